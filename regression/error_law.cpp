#include "regression/error_law.h"

#include <cmath>

namespace etad::regression {

double ErrorLaw::cumulative(double x) const {
  const auto tail = [&](double size) { return size > 0 ? std::exp(-std::abs(x) / size) : 0.0; };
  const double normal = usual > 0 ? 0.5 * std::erfc(-x / (usual * std::sqrt(2.0))) : (x < 0 ? 0.0 : 1.0);
  const double up = x >= 0 ? 1 - tail(slower_size) : 0;  // of the exponential above 0
  const double down = x >= 0 ? 1 : tail(faster_size);    // of the one below
  return (1 - slower - faster) * normal + slower * up + faster * down;
}

double ErrorLaw::quantile(double p) const {
  double low = -1, high = 1;
  constexpr double kFarthest = 64;  // e^64: any interval is wide enough by then
  while (low > -kFarthest && cumulative(low) > p) low *= 2;
  while (high < kFarthest && cumulative(high) < p) high *= 2;
  for (int i = 0; i < 50; ++i) {
    const double x = 0.5 * (low + high);
    (cumulative(x) < p ? low : high) = x;
  }
  return 0.5 * (low + high);
}

}  // namespace etad::regression
