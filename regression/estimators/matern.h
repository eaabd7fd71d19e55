// The covariance of a curve over the logarithm of the batch size that has a slope everywhere and no
// curvature of its own: Matern with nu = 3/2 (Rasmussen & Williams 2006, eq. 4.17). Its length is about a
// doubling and a half.
#pragma once

#include <cmath>

namespace etad::estimators {

inline double matern(double distance) {
  constexpr double kLength = 1;
  const double r = std::sqrt(3.0) * std::abs(distance) / kLength;
  return (1 + r) * std::exp(-r);
}

}  // namespace etad::estimators
