// Solver types and their kin: joined with the others, or told apart where the runs say so.
#pragma once

#include <vector>

#include "regression/model.h"
#include "regression/observations.h"

namespace etad::regression {

// Fits the most common variant alone and asks, for each other one, whether its residuals are better explained
// by a factor of its own (log factor ~ N(0, kVariantDeviation^2)) or by noise. It is told apart where the
// Bayes factor exceeds kVariantEvidence ("positive" to Kass & Raftery, "Bayes factors", 1995, and more); its
// runs are then divided by the factor, shrunk as the prior bids, and count with all the others.
// `typical_noise`: of the deployment, 0 unknown.
std::vector<VariantEffect> separate_variants(Observations& rows, double typical_noise);

inline constexpr double kVariantDeviation = 0.25;
inline constexpr double kVariantEvidence = 6;

}  // namespace etad::regression
