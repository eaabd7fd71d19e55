// The competition of the bases, and its verdict.
#pragma once

#include <vector>

#include "regression/cross_validation.h"
#include "regression/model.h"

namespace etad::regression {

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
