#include "regression/error_law.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace etad::regression {

double ErrorLaw::cumulative(double x) const {
  const auto tail = [&](double size) { return size > 0 ? std::exp(-std::abs(x) / size) : 0.0; };
  const double normal = usual > 0 ? 0.5 * std::erfc(-x / (usual * std::sqrt(2.0))) : (x < 0 ? 0.0 : 1.0);
  const double up = x >= 0 ? 1 - tail(slower_size) : 0;  // of the exponential above 0
  const double down = x >= 0 ? 1 : tail(faster_size);    // of the one below
  return (1 - slower - faster) * normal + slower * up + faster * down;
}

double ErrorLaw::density(double x) const {
  const double size = x >= 0 ? slower_size : faster_size, share = x >= 0 ? slower : faster;
  const double tail = size > 0 ? share * std::exp(-std::abs(x) / size) / size : 0.0;
  const double z = x / usual;
  const double normal = usual > 0 ? std::exp(-0.5 * z * z) / (usual * std::sqrt(2 * std::numbers::pi)) : 0.0;
  return (1 - slower - faster) * normal + tail;
}

// Newton's method, held between bounds that halve where it would leave them.
double ErrorLaw::quantile(double p) const {
  double low = -1, high = 1;
  constexpr double kFarthest = 64;  // e^64: any interval is wide enough by then
  constexpr double kExact = 1e-9;   // of a step whose next one would be of its square
  while (low > -kFarthest && cumulative(low) > p) low *= 2;
  while (high < kFarthest && cumulative(high) < p) high *= 2;
  double x = 0.5 * (low + high);
  for (int i = 0; i < 60; ++i) {
    const double missing = p - cumulative(x);
    (missing > 0 ? low : high) = x;
    const double step = missing / density(x);
    if (std::abs(step) < kExact) return x + step;
    x = x + step > low && x + step < high ? x + step : 0.5 * (low + high);
  }
  return x;
}

}  // namespace etad::regression
