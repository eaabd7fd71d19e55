#include "storage/time_integral.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace etad {
namespace {

double seconds_between(Instant from, Instant to) {
  return std::chrono::duration<double>(to - from).count();
}

// That which so many quarters of the values lie below.
double quartile(std::vector<double> values, std::size_t quarters) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() * quarters / 4);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

class Sum {
 public:
  void extent(double min, double max) {
    total_.min = seen_ ? std::min(total_.min, min) : min;
    total_.max = seen_ ? std::max(total_.max, max) : max;
    seen_ = true;
  }
  void area(double mean, double seconds) {
    total_.integral += mean * seconds;
    total_.covered += seconds;
  }
  // What holds where no sample lies inside the interval, only on both sides of it.
  void edge(double a, double b) {
    if (!edge_) edge_ = std::minmax({a, b});
  }
  TimeIntegral total() {
    if (!seen_ && edge_) extent(edge_->first, edge_->second);
    return total_;
  }

 private:
  TimeIntegral total_;
  bool seen_ = false;
  std::optional<std::pair<double, double>> edge_;
};

// Not the median: of two monitors that write down the same GPU a moment apart, half the distances are that moment.
double usual_distance(const std::vector<const SeriesPoint*>& samples) {
  std::vector<double> distances;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    if (const double d = seconds_between(samples[i - 1]->at, samples[i]->at); d > 0) distances.push_back(d);
  }
  return quartile(std::move(distances), 3);
}

TimeIntegral of_samples(const std::vector<SeriesPoint>& points, Instant from, Instant to) {
  std::vector<const SeriesPoint*> samples;  // "[N/A]" is no sample
  for (const SeriesPoint& point : points) {
    if (std::isfinite(point.mean)) samples.push_back(&point);
  }
  const double longest = kLongestGap * usual_distance(samples);
  Sum sum;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const SeriesPoint& here = *samples[i];
    if (here.at >= from && here.at < to) sum.extent(here.mean, here.mean);
    if (i + 1 == samples.size()) break;
    const SeriesPoint& next = *samples[i + 1];
    const double length = seconds_between(here.at, next.at);
    const Instant begin = std::max(here.at, from), end = std::min(next.at, to);
    if (!(length > 0) || length > longest || begin >= end) continue;
    const auto value_at = [&](Instant at) {
      return here.mean + (next.mean - here.mean) * seconds_between(here.at, at) / length;
    };
    const double first = value_at(begin), last = value_at(end);
    sum.area((first + last) / 2, seconds_between(begin, end));
    sum.edge(first, last);
  }
  return sum.total();
}

TimeIntegral of_steps(const std::vector<SeriesPoint>& points, std::chrono::seconds step, Instant from,
                      Instant to) {
  std::vector<double> counts;
  for (const SeriesPoint& point : points) counts.push_back(static_cast<double>(point.count));
  const double usual = std::max(quartile(std::move(counts), 2), 1.0);
  const auto inside = [&](const SeriesPoint& point) { return point.at >= from && point.at + step <= to; };
  const bool any_inside = std::any_of(points.begin(), points.end(), inside);
  Sum sum;
  for (const SeriesPoint& point : points) {
    const double overlap = seconds_between(std::max(point.at, from), std::min<Instant>(point.at + step, to));
    if (!(overlap > 0) || point.count <= 0 || !std::isfinite(point.mean)) continue;
    if (inside(point) || !any_inside) sum.extent(point.min, point.max);
    sum.area(point.mean, overlap * std::min(static_cast<double>(point.count) / usual, 1.0));
  }
  TimeIntegral total = sum.total();
  total.step = static_cast<double>(step.count());
  return total;
}

}  // namespace

TimeIntegral integrate(const std::vector<SeriesPoint>& points, std::chrono::seconds step, Instant from,
                       Instant to) {
  if (from >= to) return {};
  return step.count() > 0 ? of_steps(points, step, from, to) : of_samples(points, from, to);
}

}  // namespace etad
