#include "regression/changes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "regression/statistics.h"

namespace etad::regression {
namespace {

// Sums that give any interval's squared deviations from its mean in constant time.
class Deviations {
 public:
  explicit Deviations(const std::vector<double>& series)
      : sum_(series.size() + 1), square_(series.size() + 1) {
    const double origin = series.front();  // near the values: keeps the difference of squares exact
    for (std::size_t i = 0; i < series.size(); ++i) {
      const double v = series[i] - origin;
      sum_[i + 1] = sum_[i] + v;
      square_[i + 1] = square_[i] + v * v;
    }
  }
  double operator()(std::size_t begin, std::size_t end) const {
    const double s = sum_[end] - sum_[begin];
    return square_[end] - square_[begin] - s * s / static_cast<double>(end - begin);
  }

 private:
  std::vector<double> sum_, square_;
};

constexpr double kPenalty = 100;       // of a change, in units of the noise's variance, times ln(length)
constexpr double kNoiseFloor = 0.001;  // no series is taken to be quieter than that

double noise_of(const std::vector<double>& series) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < series.size(); ++i) steps.push_back(series[i] - series[i - 1]);
  return std::max(kNoiseFloor, robust_scale(steps) / std::sqrt(2.0));  // a difference has twice the variance
}

}  // namespace

std::vector<std::size_t> level_changes(const std::vector<double>& series, std::size_t min_length) {
  const std::size_t n = series.size();
  const std::size_t least = std::max<std::size_t>(1, min_length);
  if (n == 0) return {};
  if (n < 2 * least) return {0};

  const double penalty = kPenalty * std::pow(noise_of(series), 2) * std::log(static_cast<double>(n));
  const Deviations deviations(series);

  std::vector<double> best(n + 1, std::numeric_limits<double>::infinity());  // cost of the first j values
  std::vector<std::size_t> begin(n + 1, 0);  // of the last interval among them
  best[0] = -penalty;
  for (std::size_t j = least; j <= n; ++j) {
    const auto consider = [&](std::size_t i) {
      const double cost = best[i] + deviations(i, j) + penalty;
      if (cost < best[j]) {
        best[j] = cost;
        begin[j] = i;
      }
    };
    consider(0);
    for (std::size_t i = least; i + least <= j; ++i) consider(i);
  }

  std::vector<std::size_t> changes;
  for (std::size_t j = n; j > 0; j = begin[j]) changes.push_back(begin[j]);
  std::reverse(changes.begin(), changes.end());
  return changes;
}

}  // namespace etad::regression
