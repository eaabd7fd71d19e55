#include "regression/compose.h"

#include <algorithm>
#include <cmath>

namespace etad::regression {

Prediction compose(std::span<const Prediction> parts) {
  Prediction total;
  double below = 0, above = 0, below_squares = 0, above_squares = 0;
  for (const Prediction& part : parts) {
    const double down = std::max(0.0, part.seconds - part.lower),
                 up = std::max(0.0, part.upper - part.seconds);
    total.seconds += part.seconds;
    below += down;
    above += up;
    below_squares += down * down;
    above_squares += up * up;
    for (const std::string& input : part.extrapolates) {
      if (std::ranges::find(total.extrapolates, input) == total.extrapolates.end()) {
        total.extrapolates.push_back(input);
      }
    }
  }
  // (sum w)^2 = sum w^2 + 2 sum_{i<j} w_i w_j, so the correlated spread mixes the two extremes.
  const auto spread = [&](double sum, double squares) {
    return std::sqrt((1 - kPartsCorrelation) * squares + kPartsCorrelation * sum * sum);
  };
  total.lower = std::max(0.0, total.seconds - spread(below, below_squares));
  total.upper = total.seconds + spread(above, above_squares);
  return total;
}

}  // namespace etad::regression
