#include "regression/anomaly.h"

#include <cmath>

#include "regression/pace.h"
#include "regression/statistics.h"

namespace etad::regression {
namespace {

// Fewer windows than this prove nothing: the first are slow, and so is any stall.
constexpr std::size_t kLeastWindows = 8;

struct Span {
  double iterations = 0, seconds = 0;
  double pace() const { return seconds / iterations; }
};

Span span_of(const PaceCourse& course, std::size_t begin, std::size_t end) {
  Span span;
  for (std::size_t i = begin; i < end; ++i) {
    span.iterations += course.blocks[i].iterations;
    span.seconds += course.blocks[i].seconds;
  }
  return span;
}

// What most of the windows say, which a few stalls can't.
double usual_pace(const PaceCourse& course, std::size_t begin, std::size_t end) {
  std::vector<double> levels;
  for (std::size_t i = begin; i < end; ++i) levels.push_back(course.blocks[i].level);
  return median(std::move(levels));
}

// The first block of the stretches of constant pace, counted from the end, that are all too slow; none: the
// number of blocks.
std::size_t slow_since(const PaceCourse& course, double allowed) {
  std::size_t since = course.blocks.size();
  for (auto change = course.changes.rbegin(); change != course.changes.rend(); ++change) {
    if (!(usual_pace(course, *change, since) > allowed)) break;
    since = *change;
  }
  return since;
}

double seconds_before(const std::vector<Stretch>& seen, double iteration) {
  double seconds = 0;
  for (const Stretch& s : seen) {
    if (!s.test && s.first_iteration >= iteration) break;
    if (s.seconds > 0 && std::isfinite(s.seconds)) seconds += s.seconds;
  }
  return seconds;
}

}  // namespace

std::optional<Anomaly> anomaly(const std::vector<Stretch>& seen, const Prediction& train) {
  if (!(train.seconds > 0) || !std::isfinite(train.seconds) || !(train.upper >= train.seconds))
    return std::nullopt;
  const auto course = pace_course(seen);
  if (!course || course->windows < kLeastWindows) return std::nullopt;

  const std::size_t since = slow_since(*course, train.upper);
  if (since == course->blocks.size()) return std::nullopt;
  const Span slow = span_of(*course, since, course->blocks.size());
  Anomaly out;
  out.since_iteration = course->blocks[since].first_iteration;
  out.since_seconds = seconds_before(seen, out.since_iteration);
  out.seconds_per_iteration = slow.pace();
  out.slowdown = slow.pace() / train.seconds;
  out.lost_seconds = slow.seconds - train.seconds * slow.iterations;
  if (!std::isfinite(out.slowdown) || !std::isfinite(out.lost_seconds) || !std::isfinite(out.since_seconds))
    return std::nullopt;
  return out;
}

}  // namespace etad::regression
