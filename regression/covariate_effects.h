// Which covariates (solver type, precision, …) change the step time. Runs are taken for alike whatever their
// covariates, until the evidence says that a covariate has a factor of its own.
#pragma once

#include <optional>
#include <vector>

#include "regression/basis.h"
#include "regression/model.h"
#include "regression/observations.h"
#include "regression/relative_fit.h"

namespace etad::regression {

struct CovariateEffects {
  std::vector<CovariateEffect> effects;  // of the covariates told apart
  Covariates seen;                       // all that any run has, at most kMaxCovariates
};

// What the other runs are compared with: the runs of the most common combination of covariates, fitted alone.
struct ReferenceFit {
  Covariates covariates;
  Observations rows;
  const Basis* basis = nullptr;
  std::vector<double> samples;  // different batch sizes, sorted
  RelativeFit fit;
};

// nullopt: all `rows`, which were made of `data`, have the same covariates, or too few to be held against.
std::optional<ReferenceFit> fit_reference(const Dataset& data, const Observations& rows);

// Asks, for each covariate that the reference lacks, whether the residuals of the runs that have it are
// better explained by a factor of its own (log factor ~ N(0, kCovariateDeviation^2)) or by noise. The
// covariate with the largest Bayes factor is told apart where that exceeds kCovariateEvidence ("positive" to
// Kass & Raftery, "Bayes factors", 1995, and more); its runs are divided by the factor, shrunk as the prior
// bids, and count with all the others; then the rest are asked again. So of two covariates that always come
// together only one is held responsible.
CovariateEffects select_covariates(const Dataset& data, const std::optional<ReferenceFit>& reference,
                                   Observations& rows);

inline constexpr double kCovariateDeviation = 0.25;
inline constexpr double kCovariateEvidence = 6;

}  // namespace etad::regression
