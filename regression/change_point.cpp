#include "regression/change_point.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <queue>

#include "regression/statistics.h"

namespace etad::regression {
namespace {

constexpr std::size_t kLeastBefore = 4, kLeastAfter = 4;
constexpr double kRunsStatistic = -2;   // one in 44 by chance
constexpr double kChangeStatistic = 5;  // of medians; the best of 200 places reaches 4 by chance
constexpr double kLeastChange = 0.03;   // smaller ones are not worth losing data for

// The median of what has come so far, and how far that lies from it: two heaps, of the smaller half and of
// the larger.
class RunningMedian {
 public:
  void add(double x) {
    const bool low = smaller_.empty() || x <= smaller_.top();
    (low ? below_ : above_) += x;
    low ? smaller_.push(x) : larger_.push(x);
    if (smaller_.size() > larger_.size() + 1) move(smaller_, below_, larger_, above_);
    if (larger_.size() > smaller_.size()) move(larger_, above_, smaller_, below_);
  }

  double median() const {
    return smaller_.size() > larger_.size() ? smaller_.top() : (smaller_.top() + larger_.top()) / 2;
  }

  double absolute_deviation() const {
    const double odd = smaller_.size() > larger_.size() ? smaller_.top() : 0;
    return above_ - (below_ - odd);
  }

 private:
  template <class From, class To>
  static void move(From& from, double& from_sum, To& to, double& to_sum) {
    const double x = from.top();
    from.pop();
    to.push(x);
    from_sum -= x;
    to_sum += x;
  }

  std::priority_queue<double> smaller_;
  std::priority_queue<double, std::vector<double>, std::greater<>> larger_;
  double below_ = 0, above_ = 0;  // their sums
};

// Of the first values: [i] of i of them, from 1 on.
struct Middles {
  std::vector<double> medians{0}, deviations{0};
};

Middles middles_of(const std::vector<double>& values) {
  Middles out;
  RunningMedian running;
  for (const double x : values) {
    running.add(x);
    out.medians.push_back(running.median());
    out.deviations.push_back(running.absolute_deviation());
  }
  return out;
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
  const std::size_t size = residuals.size();
  const Middles earlier = middles_of(residuals), later = middles_of({residuals.rbegin(), residuals.rend()});
  std::size_t at = kLeastBefore;
  const auto deviation = [&](std::size_t i) { return earlier.deviations[i] + later.deviations[size - i]; };
  for (std::size_t i = kLeastBefore + 1; i < size; ++i) {
    if (deviation(i) < deviation(at)) at = i;
  }
  const double before = earlier.medians[at], after = later.medians[size - at];
  std::vector<double> inside = residuals;
  for (std::size_t i = 0; i < size; ++i) inside[i] -= i < at ? before : after;
  const auto a = static_cast<double>(at), b = static_cast<double>(size - at);
  // A median's variance is pi/2 times a mean's.
  const double error = std::max(1e-3, robust_scale(inside)) * std::sqrt(1.5708 * (1 / a + 1 / b));
  return {at, std::abs(after - before), std::abs(after - before) / error, 0.5 * (before + after)};
}

}  // namespace

double runs_statistic(const std::vector<double>& residuals_in_order, double middle) {
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
    if (rows[i].started_at <= 0) continue;
    dated.push_back(i);
    values.push_back(residuals[i]);
  }
  if (values.size() < kLeastBefore + kLeastAfter) return std::nullopt;
  const Change change = best_change(values);
  if (change.at + kLeastAfter > values.size()) return std::nullopt;
  if (runs_statistic(values, change.middle) > kRunsStatistic) return std::nullopt;
  if (change.score < kChangeStatistic || change.size < kLeastChange) return std::nullopt;
  const double changed_at = rows[dated[change.at]].started_at;
  std::erase_if(rows,
                [&](const Observation& row) { return row.started_at > 0 && row.started_at < changed_at; });
  return changed_at;
}

}  // namespace etad::regression
