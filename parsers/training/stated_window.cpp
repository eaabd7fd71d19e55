#include "parsers/training/stated_window.h"

#include <cmath>

#include "parsers/training/line_numbers.h"

namespace etad::track {

using namespace std::chrono_literals;

Pace::Pace(const Event& event) {
  const bool takes = event.read(Field::lapse, lapse), goes = event.read(Field::rate, rate);
  counts = takes && goes && std::isfinite(lapse * rate);
}

bool Pace::speaks_of_all(std::int64_t n) const {
  return !counts || std::abs(iterations() - static_cast<double>(n)) <= 0.5 + 0.02 * static_cast<double>(n);
}

Statement statement(double seconds, bool tests_inside, bool measured) {
  if (!std::isfinite(seconds) || seconds <= 0 || seconds > kMaxSeconds) return {};
  return {from_seconds(seconds), tests_inside, measured};
}

bool holds_something_else(const Pace& pace, const Anchor& from, const Anchor& to) {
  const std::int64_t steps = to.iteration - from.iteration;
  if (pace.speaks_of_all(steps) || pace.iterations() < 1 || !from.at || !to.at) return false;
  const auto n = static_cast<double>(steps);
  const double other_step_time =
      n > 10 * pace.iterations() ? 1.5 : 3;  // the more is unseen, the less it takes
  const double step_time = to_seconds(between(*from.at, *to.at)) / n * pace.rate;
  return step_time > other_step_time || step_time < 1 / other_step_time;
}

namespace {

// Whether the rounding of the times that two lines count drowns what lies between them.
bool drowns_in_rounding(const Anchor& from, const Anchor& to) {
  constexpr double kMostError = 0.05;
  const double apart = *to.elapsed - *from.elapsed;
  return apart >= 0 && from.error + to.error > kMostError * apart;
}

}  // namespace

Statement stated_window(const Event& event, const Pace& pace, const Anchor& from, const Anchor& to) {
  const std::int64_t n = to.iteration - from.iteration;
  if (event.has(Field::lapse)) return pace.speaks_of_all(n) ? statement(pace.lapse, true, true) : Statement{};
  if (to.elapsed && to.steps == n)
    return statement(*to.elapsed, false, true);  // all steps of its epoch so far
  if (from.elapsed && to.elapsed) {
    if (from.epoch != to.epoch) return {};  // counted from two beginnings
    if (!(from.dated && to.dated) && drowns_in_rounding(from, to)) return {};
    // Of two means the second may show that steps are counted from 1, not from 0: the first one is of as many fewer.
    const bool means = from.steps > 0 && to.steps > n;
    const double times = means ? static_cast<double>(to.steps - n) / static_cast<double>(from.steps) : 1;
    return statement(*to.elapsed - *from.elapsed * times, true, true);
  }
  if (pace.rate > 0) return statement(static_cast<double>(n) / pace.rate, true);
  if (const auto step = event.number(Field::seconds)) return statement(static_cast<double>(n) * *step, false);
  return {};
}

namespace {

// Two lines without times of their own that follow each other so soon that the rounding of what they state
// drowns what lies between them: the window stays open. Lines that are seen coming far enough apart are dated
// well enough by that, if they come when they say: of a bar whose states came as one line all have that one's time.
bool too_soon_to_tell(const Anchor& from, const Anchor& to) {
  if (!from.elapsed || !to.elapsed || from.epoch != to.epoch || (from.dated && to.dated)) return false;
  if (!drowns_in_rounding(from, to)) return false;
  if (!from.at || !to.at) return true;
  constexpr double kFarApart = 10, kLate = 1;
  const double seen = to_seconds(between(*from.at, *to.at)), apart = *to.elapsed - *from.elapsed;
  return seen < kFarApart || std::abs(seen - apart) > from.error + to.error + kLate;
}

bool states_a_pace(const Event& event) {
  return event.has(Field::lapse) || event.has(Field::rate) || event.has(Field::samples_per_second);
}

// Two lines of one time: their stamps count whole seconds of lines that come faster, or they show none and were seen at
// one look, as what a program's buffer held. The window stays open, so that what it takes to the next second, or to
// the next look, stands for all of its steps.
bool timed_alike(const Event& event, const Anchor& from, const Anchor& to) {
  if (!from.at || from.at != to.at || (from.elapsed && to.elapsed)) return false;
  return !event.has(Field::seconds) && !states_a_pace(event);
}

// A line without any time amid others that count it, such as an evaluation's table, or that are stamped, such as what
// another of a program's loggers writes of the same step: the window stays open.
bool says_no_time(const Event& event, const Anchor& from, const Anchor& to) {
  if (to.elapsed || to.at || event.has(Field::seconds)) return false;
  if (from.elapsed && !from.at) return true;
  return from.dated && !states_a_pace(event);
}

// An epoch's first step, by the mean of its steps: it waits for data, and is measured with those that come next.
bool is_first_of_epoch(const Anchor& from, const Anchor& to) {
  return to.steps == 1 && from.elapsed == 0 && from.epoch == to.epoch && to.iteration == from.iteration + 1;
}

}  // namespace

bool tells_no_time_yet(const Event& event, const Anchor& from, const Anchor& to) {
  return is_first_of_epoch(from, to) || too_soon_to_tell(from, to) || timed_alike(event, from, to) ||
         says_no_time(event, from, to);
}

}  // namespace etad::track
