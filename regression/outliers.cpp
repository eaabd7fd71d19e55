#include "regression/outliers.h"

#include <algorithm>
#include <functional>

namespace etad::regression {

double winsorised_at(std::vector<double> values, double usual) {
  if (values.size() <= kMostOutliers) return usual;
  const auto next = values.begin() + kMostOutliers;
  std::nth_element(values.begin(), next, values.end(), std::greater<>());
  return std::max(usual, *next);
}

}  // namespace etad::regression
