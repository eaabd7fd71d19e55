// The time of a job made of parts (training, tests, start-up) from the estimates of its parts.
#pragma once

#include <span>

#include "regression/model.h"

namespace etad::regression {

// The correlation of the errors of the parts of one run: a slow machine slows all of them. With 0 their
// variances would add up, with 1 their half-widths. Between the training and the testing of the same runs it
// was 0.78, 0.66 and 0.88 on the three machines of docs/accuracy.md.
inline constexpr double kPartsCorrelation = 0.75;

// Seconds add up. The half-widths w_i below and above do not: each side's is
// sqrt(sum w_i^2 + 2 rho sum_{i<j} w_i w_j), the spread of a sum of correlated errors.
// `extrapolates` is the union of the parts'. No parts: all zero.
Prediction compose(std::span<const Prediction> parts);

}  // namespace etad::regression
