// Solver types, precisions and their kin: joined with the others, or told apart where the runs say so.
#pragma once

#include <optional>
#include <vector>

#include "regression/basis.h"
#include "regression/model.h"
#include "regression/observations.h"
#include "regression/relative_fit.h"

namespace etad::regression {

struct Variants {
  std::vector<VariantEffect> effects;  // of the traits told apart
  Traits seen;                         // all that any run has, at most kMaxTraits
};

// What the runs are held against: those of the most common combination of traits, fitted alone. How noisy
// runs are it does not know.
struct VariantReference {
  Traits traits;
  Observations rows;
  const Basis* basis = nullptr;
  std::vector<double> samples;  // different batch sizes, sorted
  std::vector<double> knots;
  RelativeFit fit;
};

// nullopt: all `rows`, which were made of `data`, have the same traits, or too few to be held against.
std::optional<VariantReference> variant_reference(const Dataset& data, const Observations& rows);

// Asks, for each trait that the reference lacks, whether the residuals of the runs that have it are better
// explained by a factor of its own (log factor ~ N(0, kVariantDeviation^2)) or by noise. The trait with the
// largest Bayes factor is told apart where that exceeds kVariantEvidence ("positive" to Kass & Raftery,
// "Bayes factors", 1995, and more); its runs are divided by the factor, shrunk as the prior bids, and count
// with all the others; then the rest are asked again. So of two traits that always come together only one is
// held responsible. `typical_noise`: of the deployment, 0 unknown.
Variants separate_variants(const Dataset& data, const std::optional<VariantReference>& reference,
                           double typical_noise, Observations& rows);

inline constexpr double kVariantDeviation = 0.25;
inline constexpr double kVariantEvidence = 6;

}  // namespace etad::regression
