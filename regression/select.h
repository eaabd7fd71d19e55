// The competition of the bases, and its verdict.
#pragma once

#include <optional>
#include <vector>

#include "regression/model.h"
#include "regression/relative_fit.h"

namespace etad::regression {

// How well a basis predicts what it has not seen: each fold is left out once, the basis is fitted to the
// others and asked for the runs of that fold.
struct CrossValidation {
  std::vector<double> residuals;  // log(t / prediction from the other folds), per row
  std::vector<double> leverages;  // relative variance of that prediction, per unit of noise variance
  std::optional<double>
      error;  // mean over folds of the mean |t / prediction - 1|; none: nothing was left out
  std::vector<double> fold_errors;
};

struct Candidate {
  const Basis* basis = nullptr;
  CrossValidation validation;
};

struct Selection {
  Folds folds;                        // by which they were judged
  std::vector<Candidate> candidates;  // all that could compete; empty: nothing to fit from
  std::size_t chosen = 0;

  const Candidate& winner() const { return candidates[chosen]; }
};

// Every basis that the data can support is cross-validated, by batch size where there are three or more,
// otherwise by run. The simplest within one standard error of the best wins (Breiman et al., "Classification
// and Regression Trees", 1984, section 3.4.3). The standard error is that of the difference of the two means:
// with three folds the best basis' own may be small by chance.
Selection select_basis(const Dataset& rows);

std::vector<Rival> rivals(const Selection& selection);

}  // namespace etad::regression
