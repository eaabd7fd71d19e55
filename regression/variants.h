// Solver types, precisions and their kin: joined with the others, or told apart where the runs say so.
#pragma once

#include <vector>

#include "regression/model.h"
#include "regression/observations.h"

namespace etad::regression {

struct Variants {
  std::vector<VariantEffect> effects;  // of the traits told apart
  Traits seen;                         // all that any run has, at most kMaxTraits
  bool asked = false;                  // the runs differ in their traits: `typical_noise` had a say
};

// Fits the runs of the most common combination of traits alone and asks, for each trait that it lacks,
// whether the residuals of the runs that have it are better explained by a factor of its own
// (log factor ~ N(0, kVariantDeviation^2)) or by noise. The trait with the largest Bayes factor is told apart
// where that exceeds kVariantEvidence ("positive" to Kass & Raftery, "Bayes factors", 1995, and more); its
// runs are divided by the factor, shrunk as the prior bids, and count with all the others; then the rest are
// asked again. So of two traits that always come together only one is held responsible.
// `rows` were made of `data`. `typical_noise`: of the deployment, 0 unknown.
Variants separate_variants(const Dataset& data, Observations& rows, double typical_noise);

inline constexpr double kVariantDeviation = 0.25;
inline constexpr double kVariantEvidence = 6;

}  // namespace etad::regression
