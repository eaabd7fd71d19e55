#include "regression/accidents.h"

#include <algorithm>
#include <functional>

namespace etad::regression {

double most_of_accidents(std::vector<double> values, double usual) {
  if (values.size() <= kAccidents) return usual;
  const auto next = values.begin() + kAccidents;
  std::nth_element(values.begin(), next, values.end(), std::greater<>());
  return std::max(usual, *next);
}

}  // namespace etad::regression
