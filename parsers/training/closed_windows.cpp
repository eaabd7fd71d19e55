// Where a window of training ends: how long its steps took, and whether it is a measurement of them.
//
// Its time is the difference of the two lines' times less the test phases inside. Where the log itself says how long the
// window took and the two disagree beyond measure, the clock was set in between, and the log's own word counts.
#include <algorithm>
#include <chrono>
#include <utility>

#include "parsers/training/line_numbers.h"
#include "parsers/training/stated_window.h"
#include "parsers/training/tracker_parts.h"
#include "parsers/training/window_doubts.h"

namespace etad {

using track::Anchor;
using track::held_a_pause;
using track::holds_something_else;
using track::is_as_slow;
using track::lacks_lines;
using track::lacks_steps;
using track::leaps;
using track::overstates;
using track::Pace;
using track::pace_of;
using track::ran_beside;
using track::returns;
using track::RunTrack;
using track::stated_window;
using track::Statement;
using track::statement;
using track::sums_its_steps;
using track::was_no_pause;
using track::was_told_at_once;
using track::Window;

namespace {

// The time of one step stands for all of a window, and that step holds an evaluation.
bool was_no_usual_step(RunTrack& r, std::int64_t n, const Event& event, const Statement& said) {
  const std::int64_t enough = n < 2 ? 10 : 3;  // a step of its own may be a slow one of the first
  return !said.measured && event.has(Field::seconds) &&
         r.training.holds_an_evaluation(r.run.train, enough, to_seconds(said.took) / static_cast<double>(n));
}

// A window over the border of two epochs, around a test's result, or with a wait that its bar shows, that took much longer
// than the steps before it: it holds a validation, or a saving, of whose time no line tells. Less will do where a result
// stands in it and its lines count the time so far.
bool held_a_validation(const PhaseSummary& before, const Window& window, std::int64_t n, Duration took,
                       bool counted_on) {
  const bool may_hold = window.over_border || window.holds_undated_test || window.waited > Duration::zero();
  if (!may_hold || before.segments < 3) return false;
  const double much_longer = counted_on ? 1.5 : 3;
  return to_seconds(took) * static_cast<double>(before.iterations) >
         much_longer * to_seconds(before.duration) * static_cast<double>(n);
}

// It is far longer than those before, at quite another step time: another training's. A second one in a row at the same
// pace shows that it is the run's own, whose first steps were shown one by one and took long.
bool leapt(RunTrack& r, std::int64_t n, Duration took) {
  constexpr double kOtherPace = 2;
  const double pace = to_seconds(took) / static_cast<double>(n);
  const bool leap = leaps(r.run.train, n, took);
  const auto last = std::exchange(r.training.step_time_of_leap, leap ? std::optional(pace) : std::nullopt);
  return leap && (!last || pace > kOtherPace * *last || *last > kOtherPace * pace);
}

// Its lines do not show how long so many steps take: they tell at once of what was done before, or are of another
// training.
bool shows_no_steps(RunTrack& r, const Event& event, const Statement& said, std::int64_t n, Duration took) {
  const bool at_once = !said && was_told_at_once(n, event.text(Field::unit) == "epoch", took);
  return took <= Duration::zero() || at_once || leapt(r, n, took);
}

// By the clock, the log's own or that of its stamps, the training stood still in it. Others behind it show that it is slow
// by now, or that lines come seldom.
bool paused(RunTrack& r, const Statement& said, const Segment& w) {
  const PhaseSummary& before = r.run.train;
  const bool by_clock = !said || (said.measured && before.iterations > 0);
  const bool lacks = !said && lacks_lines(before, w.iterations, w.duration);
  const bool pause = !lacks && by_clock && held_a_pause(before, w.iterations, w.duration);
  const double last = std::exchange(r.training.last_pace, pace_of(w));
  const bool again = std::exchange(r.training.stood_still, lacks || pause);
  if (again || !(lacks || (pause && !is_as_slow(pace_of(w), last)))) return false;
  if (pause) r.training.left_out = w;
  return true;
}

// Bars of another length that were drawn amid so many steps tell of tests. Where each step, or every other, has one, as in
// those that learn from what they generate, it is a part of the step.
void take_tests_by_bars(Window& window, const Anchor& from, const Anchor& to) {
  constexpr std::int64_t kSteps = 10;
  const track::OtherBars& others = window.others;
  const bool few = others.number <= (to.iteration - from.iteration) / kSteps;
  if (others.number == 0 || !few || !from.elapsed || !to.elapsed) return;
  const bool within = others.seconds() < *to.elapsed - *from.elapsed;
  if (within) window.test_time = std::max(window.test_time, from_seconds(others.seconds()));
}

// Whether a time worked out from samples a second is in keeping with what was measured before: some count
// tokens for samples, and then it is not the clock that is wrong.
bool keeps_step_time(const PhaseSummary& before, std::int64_t n, Duration took) {
  if (before.iterations == 0) return false;
  const double step_time = to_seconds(took) / static_cast<double>(n) *
                           static_cast<double>(before.iterations) / to_seconds(before.duration);
  return step_time > 0.5 && step_time < 2;
}

}  // namespace

// How many of what the line's samples_per_second counts a step holds: samples, or tokens. 0: unknown.
std::int64_t track::Windows::samples_of_step(const RunTrack& r, const Event& event) const {
  return event.text(Field::unit) == "tok" ? r.known.tokens_per_iteration : all_.values.train_samples(r);
}

// What the line says of the window's time, worked out from samples a second where it says no more.
Statement track::Windows::statement_of(RunTrack& r, const Event& event, const Pace& pace, const Anchor& from,
                                       const Anchor& to) const {
  const bool by_stamps = from.dated && to.dated;
  const std::int64_t n = to.iteration - from.iteration;
  if (const Statement said = stated_window(event, pace, from, to)) return said;
  const auto rate = event.number(Field::samples_per_second);
  if (!rate || *rate <= 0) return {};
  const std::string_view unit = event.text(Field::unit);
  const std::int64_t each = samples_of_step(r, event);
  const Statement said = statement(static_cast<double>(product_or_zero(each, n)) / *rate, false);
  if (said && by_stamps && unit != "sample" && !keeps_step_time(r.run.train, n, said.took)) return {};
  if (said && (!from.at || !to.at)) note_derived(r.run, "seconds: samples / samples_per_second");
  return said;
}

// What the line says of it, unless its lines are known to state more time than lies between them.
Statement track::Windows::trusted_statement(RunTrack& r, const Event& event, const Pace& pace,
                                            const Anchor& to) const {
  const Anchor& from = *r.window.from;
  const Statement said = statement_of(r, event, pace, from, to);
  if (!said || said.measured || !from.dated || !to.dated) return said;
  if (r.run.train.segments == 0) r.training.overstated = overstates(said.took, between(*from.at, *to.at));
  return r.training.overstated ? Statement{} : said;
}

namespace {

// What is said of its steps is far more than the stamps show since the run began: it is not these that it counts.
// (Local time goes back by an hour in autumn.)
bool reaches_behind_beginning(const Run& run, const Statement& said, const Anchor& from, const Anchor& to) {
  constexpr auto kClockSet = std::chrono::hours(2);
  if (!said || !from.dated || !to.dated || !run.started_at) return false;
  const Duration since = between(*run.started_at, *to.at);
  return since > Duration::zero() && said.took - since > kClockSet;
}

// The tests in a window as bars show them: by how long the run's own waited, or by others that were drawn amid it.
void take_waits(RunTrack& r, const Anchor& to) {
  Window& w = r.window;
  if (w.waited > Duration::zero()) {
    w.test_time = r.training.shows_waits ? w.waited : std::max(w.test_time, w.waited);
  } else {
    take_tests_by_bars(w, *w.from, to);
  }
}

// What a line states of its steps may leave out a part of each of them; what is more than that holds tests, perhaps.
constexpr Duration kMostUnsaid = std::chrono::seconds(2);

// The time of so many steps, tests taken out and snapshots not, where it can be told.
std::optional<Duration> time_of_steps(RunTrack& r, const Event& event, const Statement& said, std::int64_t n,
                                      const Anchor& to) {
  Window& w = r.window;
  const bool alone = w.test_time == Duration::zero() && !w.holds_unmeasured_test && !w.over_border;
  const bool compares = said && w.from->dated && to.dated && !said.measured && alone;
  const Duration unsaid =
      compares ? std::min(r.training.usual_more(said.took), kMostUnsaid) : Duration::zero();
  if (compares) r.training.see_stamps(said.took, between(*w.from->at, *to.at));
  Duration took{};
  if (!w.training_time(said, to, took, unsaid)) return {};
  if (!said && ran_beside(r.run.train, n, w.test_time, took)) took += w.test_time;
  if (said && w.snapshots > 0 && sums_its_steps(event)) {
    took = said.took;
    w.pass_over_snapshots();
  }
  return took;
}

// A test lies somewhere in it, and others without one tell how long the steps take.
bool is_left_out_for_test(RunTrack& r, const Statement& said) {
  const bool holds_a_test = r.window.holds_unmeasured_test && !said.measured;
  if (!holds_a_test) ++r.training.untested;
  return holds_a_test && r.training.has_untested_windows();
}

// What it states is the steps' mean, of nothing else.
bool states_steps_alone(const Event& event) {
  return event.text(Field::key) == "record";
}

bool is_left_out_for_validation(const RunTrack& r, const Event& event, const Statement& said, std::int64_t n,
                                const Anchor& to, Duration took) {
  const Window& w = r.window;
  const bool counted_on = w.holds_undated_test && w.from->elapsed && to.elapsed;
  const bool may_hold =
      (!said.measured && !states_steps_alone(event)) || w.waited > Duration::zero() || counted_on;
  return may_hold && held_a_validation(r.run.train, w, n, took, counted_on);
}

}  // namespace

void track::Windows::close_window(RunTrack& r, const Moment& m, const Anchor& to) {
  Window& w = r.window;
  const Anchor from = *w.from;
  const std::int64_t n = to.iteration - from.iteration;
  const Pace pace(m.event);
  if (holds_something_else(pace, from, to) || returns(r.run.train, w, n)) {
    ++m.out.rejected;
    return;
  }
  const Statement said = trusted_statement(r, m.event, pace, to);
  if (reaches_behind_beginning(r.run, said, from, to)) {
    ++m.out.rejected;
    return all_.tests.release(r, m.out);
  }
  const bool by_stamps = from.dated && to.dated;
  if (said && !by_stamps && !states_steps_alone(m.event) && was_no_usual_step(r, n, m.event, said))
    return all_.tests.release(r, m.out);
  take_waits(r, to);
  const auto time = time_of_steps(r, m.event, said, n, to);
  all_.tests.release(r, m.out);
  if (!time || is_left_out_for_test(r, said)) return;
  const Duration took = *time;
  if (shows_no_steps(r, m.event, said, n, took)) {
    ++m.out.rejected;
    return;
  }
  if (is_left_out_for_validation(r, m.event, said, n, to, took)) return;
  if (!said && w.over_border && lacks_steps(r.run.train, n, r.epochs.steps.value_or(0), took)) return;
  Segment window{Phase::train, from.iteration, n, all_.values.train_samples(r), took, from.at};
  if (paused(r, said, window)) {
    ++m.out.rejected;
    return;
  }
  if (was_no_pause(r.training)) all_.runs.add_segment(r, *r.training.left_out, m.out);
  r.training.left_out.reset();
  w.end_snapshot_by_progress(to, took);
  all_.runs.measure_beginning(r, from, n, took, m.out);
  give_window(r, window, m.out);
}

}  // namespace etad
