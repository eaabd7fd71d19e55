#include "regression/drift.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "regression/statistics.h"

namespace etad::regression {
namespace {

constexpr std::size_t kLeastBefore = 4, kLeastAfter = 4;
constexpr double kRunsScore = -2;      // one in 44 by chance
constexpr double kChangeScore = 5;     // of medians; the best of 200 places reaches 4 by chance
constexpr double kLeastChange = 0.03;  // smaller ones are not worth losing data for

double absolute_deviation(const std::vector<double>& values, double middle) {
  double sum = 0;
  for (const double x : values) sum += std::abs(x - middle);
  return sum;
}

struct Change {
  std::size_t at = 0;  // first index after it
  double size = 0, score = 0;
  double middle = 0;  // between the two medians
};

// Where two medians describe the residuals best, by least absolute deviations; its score tells nothing of the
// place, since it favours the middle. Every place is looked at, so that a change too young to be believed is
// not found too early either.
Change best_change(const std::vector<double>& residuals) {
  Change best;
  double least = 0;
  for (std::size_t at = kLeastBefore; at < residuals.size(); ++at) {
    const auto split = residuals.begin() + static_cast<std::ptrdiff_t>(at);
    const std::vector<double> earlier(residuals.begin(), split), later(split, residuals.end());
    const double before = median(earlier), after = median(later);
    const double deviation = absolute_deviation(earlier, before) + absolute_deviation(later, after);
    if (best.at > 0 && deviation >= least) continue;
    least = deviation;
    std::vector<double> inside = residuals;
    for (std::size_t i = 0; i < inside.size(); ++i) inside[i] -= i < at ? before : after;
    const auto a = static_cast<double>(at), b = static_cast<double>(residuals.size() - at);
    // A median's variance is pi/2 times a mean's.
    const double error = std::max(1e-3, robust_scale(inside)) * std::sqrt(1.5708 * (1 / a + 1 / b));
    best = {at, std::abs(after - before), std::abs(after - before) / error, 0.5 * (before + after)};
  }
  return best;
}

}  // namespace

double runs_score(const std::vector<double>& residuals_in_order, double middle) {
  double above = 0, below = 0, runs = 0;
  int last = 0;
  for (const double r : residuals_in_order) {
    if (r == middle) continue;
    const int sign = r > middle ? 1 : -1;
    (sign > 0 ? above : below) += 1;
    runs += sign != last;
    last = sign;
  }
  const double count = above + below;
  if (above < 2 || below < 2) return 0;
  const double product = 2 * above * below;
  const double variance = product * (product - count) / (count * count * (count - 1));
  return variance > 0 ? (runs - product / count - 1) / std::sqrt(variance) : 0;
}

std::optional<double> drop_before_change(Observations& rows, const std::vector<double>& residuals) {
  std::vector<std::size_t> dated;
  std::vector<double> values;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].started_at <= 0 || rows[i].weight <= 0) continue;
    dated.push_back(i);
    values.push_back(residuals[i]);
  }
  if (values.size() < kLeastBefore + kLeastAfter) return std::nullopt;
  const Change change = best_change(values);
  if (change.at + kLeastAfter > values.size()) return std::nullopt;
  if (runs_score(values, change.middle) > kRunsScore) return std::nullopt;
  if (change.score < kChangeScore || change.size < kLeastChange) return std::nullopt;
  for (std::size_t i = 0; i < change.at; ++i) rows[dated[i]].weight = 0;
  return rows[dated[change.at]].started_at;
}

}  // namespace etad::regression
