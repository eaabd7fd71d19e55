// Runs whose lines measure nothing, by what their end, the first state of their bar, or their only line says of all of it.
#include <algorithm>
#include <cmath>
#include <utility>

#include "parsers/training/stated_window.h"
#include "parsers/training/tracker_parts.h"

namespace etad {

using track::Anchor;
using track::Pace;
using track::RunTrack;
using track::Statement;
using track::statement;

namespace {

// How many they were by a rate that is rounded too much to tell the very number.
std::int64_t iterations_nearly(Run& run, const Event& event, Duration elapsed) {
  const auto rate = rounded(event, Field::rate);
  if (!rate || !is_fine(*rate)) return 0;
  const double n = rate->first * to_seconds(elapsed);
  if (n < 1 || n > static_cast<double>(track::kMaxCount)) return 0;
  note_derived(run, "iterations: seconds * rate");
  return std::llround(n);
}

// Whether they are as many as the line's own rate of them says within its rounding.
bool agrees_with_rate(const Event& event, Duration elapsed, std::int64_t steps) {
  const auto rate = rounded(event, Field::rate);
  if (!rate || rate->first <= 0) return true;
  const double seconds = to_seconds(elapsed);
  return std::abs(static_cast<double>(steps) - rate->first * seconds) <= rate->second * seconds + 1;
}

// Samples a second over steps a second: the samples of a step, where the roundings leave one number open. 0: they do not.
std::int64_t samples_by_rates(const Event& event) {
  const auto steps = rounded(event, Field::rate), samples = rounded(event, Field::samples_per_second);
  if (!steps || !samples || steps->first <= steps->second) return 0;
  const double most = (samples->first + samples->second) / (steps->first - steps->second);
  const double least = (samples->first - samples->second) / (steps->first + steps->second);
  const double only = std::ceil(least);
  if (only < 1 || only > static_cast<double>(track::kMaxCount) || only != std::floor(most)) return 0;
  return std::llround(only);
}

// How many they were by samples a second. The batch may be that of another part of the program, such as an evaluation, or
// one device's of several: then the line's own rate of steps is another one.
std::int64_t steps_by_samples(const Event& event, Duration elapsed, std::int64_t samples,
                              std::int64_t planned) {
  const std::int64_t steps = iterations_by_rate(event, Field::samples_per_second, elapsed, samples, planned);
  return agrees_with_rate(event, elapsed, steps) ? steps : 0;
}

// The same by the batch that both rates together show, where nothing else tells; it is the run's from now on.
std::int64_t steps_by_both_rates(RunTrack& r, const Event& event, Duration elapsed) {
  const std::int64_t shown = samples_by_rates(event);
  const std::int64_t steps = steps_by_samples(event, elapsed, shown, 0);
  if (steps == 0) return 0;
  r.known.global_batch_size = shown;
  r.known.batch_size.reset();
  r.known.iter_size = 1;
  r.known.tokens_per_iteration = 0;
  note_derived(r.run, "batch_size: samples_per_second / rate");
  return steps;
}

// How many they were where a line told of each, or of every so many, of which a rounded rate leaves one number open.
std::int64_t steps_logged(std::int64_t lines, const Event& event, Duration elapsed) {
  const auto rate = rounded(event, Field::rate);
  if (!rate || lines <= 0) return 0;
  const double n = rate->first * to_seconds(elapsed), error = rate->second * to_seconds(elapsed);
  const auto shown = static_cast<double>(lines);
  const double every = std::round(n / shown), steps = every * shown;
  if (every < 1 || every - 1 > error || error > shown / 2 || std::abs(steps - n) > error) return 0;
  return std::llround(steps);
}

// How many the lines of progress showed, where they show it finely enough: the last ones may not be shown. Of
// epochs that headings count the last one is over, too.
std::int64_t steps_shown(const RunTrack& r) {
  constexpr std::int64_t kFine = 20;
  const std::int64_t shown = r.run.iteration.value_or(0), stride = r.training.stride;
  if (const auto& epoch = r.epochs.announced;
      epoch && r.epochs.open && shown > 1 && shown == r.epochs.done_before(*epoch, 1))
    return shown + 1;
  const std::int64_t planned = r.run.max_iterations.value_or(0);
  if (planned > 0 && shown <= planned && shown + stride > planned) return planned;
  return stride > 0 && shown >= kFine * stride ? shown : 0;
}

// How many the epochs done have, or else these, where the end counts them and its time is rounded but little.
std::int64_t epochs_done(RunTrack& r, const Event& event) {
  constexpr double kMostError = 0.05;
  const auto epochs = positive_of(event, Field::epoch);
  const auto elapsed = rounded(event, Field::elapsed);
  if (!epochs || !elapsed || elapsed->second > kMostError * elapsed->first) return 0;
  if (r.epochs.steps) return product_or_zero(*epochs, *r.epochs.steps);
  count_epochs(r);
  return *epochs;
}

// What was shown was not this training: a bar of less than a second, such as one over the data, of more steps than its
// end says that it had.
bool showed_another(const Run& run, const Event& end, std::int64_t steps) {
  constexpr std::int64_t kMuchMore = 2;
  return end.has(Field::rate) && run.iteration.value_or(0) > kMuchMore * steps;
}

// It was gone on with behind its last step, and made none: its rate is that of the steps planned.
bool did_nothing(const Event& end, Duration took) {
  constexpr Duration kMoment = std::chrono::seconds(1);
  return took < kMoment && end.number(Field::loss) == 0;
}

}  // namespace

// A run that was never long enough between two of its lines to be measured, and says at its end how long all
// of it took, or how fast it went: its training is what its tests have left.
void track::Runs::measure_whole(RunTrack& r, const Moment& m) {
  // Its time may be that of the steps which lines have shown, from the first to the last.
  const bool of_shown = m.event.text(Field::since) == "progress";
  const std::int64_t first = of_shown ? r.run.first_iteration.value_or(0) : 0;
  if (r.run.job == Job::time || r.run.train.segments > 0 || (r.resumed && !of_shown) || r.run.snapshots > 0)
    return;
  if (r.run.first_iteration.value_or(0) > 0 && r.headed) return;
  auto steps = positive_of(m.event, Field::iterations).value_or(0);
  if (of_shown) steps = r.run.iteration.value_or(0) - first;
  const auto elapsed = positive_seconds(m.event.number(Field::elapsed));
  if (!elapsed) return measure_by_rate(r, m, steps);
  if (r.run.job != Job::train || did_nothing(m.event, *elapsed)) return;
  const std::int64_t planned = r.run.max_iterations.value_or(0);
  if (steps == 0) steps = iterations_by_rate(m.event, Field::rate, *elapsed, 1, planned);
  if (steps == 0) steps = steps_by_samples(m.event, *elapsed, all_.values.train_samples(r), planned);
  // Of some tests no line says how many batches they had, so that they are no segments.
  Duration took = *elapsed - std::max(r.run.test.duration, r.training.tests_stated);
  // Of a run that nothing showed before, others have told of its evaluations.
  const Duration tests = from_seconds(std::exchange(state_.logged.tests, 0));
  if (r.run.test.segments == 0 && !of_shown && tests < took) took -= tests;
  if (steps == 0 && planned == 0) steps = steps_logged(state_.logged.lines, m.event, *elapsed);
  if (steps == 0 && planned == 0) steps = iterations_nearly(r.run, m.event, *elapsed);
  if (steps == 0 && !m.event.has(Field::rate) && !m.event.has(Field::samples_per_second))
    steps = steps_shown(r);
  if (steps == 0) steps = epochs_done(r, m.event);
  if (steps == 0) steps = steps_by_both_rates(r, m.event, *elapsed);
  if (steps <= 0 || took <= Duration::zero()) return;
  if (!of_shown && showed_another(r.run, m.event, steps)) {
    r.run.iteration = steps;
    r.run.max_iterations.reset();
  }
  r.run.first_iteration = first;
  r.run.iteration = std::max(r.run.iteration.value_or(0), first + steps);
  add_segment(r, {Phase::train, first, steps, all_.values.train_samples(r), took, {}}, m.out);
}

// By a run's end that says but the mean rate of all its steps.
void track::Runs::measure_by_rate(RunTrack& r, const Moment& m, std::int64_t steps) {
  const Phase phase = r.run.job == Job::test ? Phase::test : Phase::train;
  if (phase == Phase::test && r.run.test.segments > 0) return;
  const auto rate = rounded(m.event, Field::samples_per_second);
  if (!rate || !is_fine(*rate)) return;
  const std::int64_t samples = all_.values.samples(r, phase);
  if (steps == 0) steps = r.run.iteration.value_or(r.run.max_iterations.value_or(0));
  const auto took = positive_seconds(static_cast<double>(product_or_zero(samples, steps)) / rate->first);
  if (!took) return;
  note_derived(r.run, "seconds: samples / samples_per_second");
  r.run.first_iteration = 0;
  add_segment(r, {phase, 0, steps, samples, *took, {}}, m.out);
}

// What the steps before a bar's first state took, the bar itself says: it counts from the run's beginning. One that
// goes on from a snapshot counts steps as done that took no time. Where the first ones are far slower, the start was in
// them.
void track::Runs::measure_beginning(RunTrack& r, const Anchor& from, std::int64_t steps, Duration took,
                                    Records& out) {
  constexpr double kOtherStepTime = 3, kFirstStep = 2, kMostError = 0.05;
  const bool bar = from.elapsed && !from.epoch && !from.dated && r.run.max_iterations;
  if (!bar || r.run.train.segments > 0 || r.resumed || from.iteration < 1) return;
  const double before = *from.elapsed - to_seconds(r.training.tests_before);
  const double usual = to_seconds(took) / static_cast<double>(steps) * static_cast<double>(from.iteration);
  if (from.error > kMostError * before || before * kOtherStepTime < usual) return;
  if (before > (from.iteration == 1 ? kFirstStep : kOtherStepTime) * usual) {
    if (!r.run.startup) r.run.startup = from_seconds(before - usual);
    return;
  }
  r.run.first_iteration = 0;
  add_segment(r, {Phase::train, 0, from.iteration, all_.values.train_samples(r), from_seconds(before), {}},
              out);
}

namespace {

// What the state of a bar that counts from the run's beginning tells of all steps until it. Its rate shows that they were
// done in that time, and not before it by a training that was gone on with; of the first ones it is finer. Without a rate
// the last state tells of all steps.
double bar_so_far(const Event& event, const Anchor& here) {
  constexpr double kOtherPace = 3, kMostError = 0.05;
  double pace = 0;
  if (!here.elapsed || here.epoch || here.error >= kMostError * *here.elapsed) return 0;
  const bool states_pace = event.read(Field::rate, pace) || event.read(Field::seconds, pace);
  if (!states_pace) return count_of(event, Field::max_iter) == here.iteration ? *here.elapsed : 0;
  if (event.has(Field::rate)) pace = 1 / pace;
  const double by_rate = static_cast<double>(here.iteration) * pace;
  if (*here.elapsed > kOtherPace * by_rate || by_rate > kOtherPace * *here.elapsed) return 0;
  return std::abs(by_rate - *here.elapsed) <= 2 * here.error ? by_rate : *here.elapsed;
}

// How many steps the line tells of, where it is the first one: those since the beginning, if that is known.
std::int64_t steps_of_first_line(const RunTrack& r, const Pace& pace, const Anchor& here) {
  if (pace.counts) return std::llround(pace.iterations());
  return here.iteration - r.run.first_iteration.value_or(here.iteration);
}

}  // namespace

// A run may break off, or be over, behind the first line that measures it, or show but states whose rounding drowns what
// lies between them.
void track::Windows::hold_stated_alone(RunTrack& r, const Event& event, const Anchor& here) {
  // An epoch's first step waits for data: where the lines of several epochs show no other, it tells nothing of the rest.
  if (here.steps == 1 && r.window.from && positive_of(event, Field::batches).value_or(1) > 1)
    return r.training.stated_alone.reset();
  std::int64_t n = here.steps > 0 ? here.steps : here.iteration;
  Statement said = statement(here.steps > 0 ? *here.elapsed : bar_so_far(event, here), true);
  if (!said && !r.window.from && !here.elapsed) {
    const Pace pace(event);
    n = steps_of_first_line(r, pace, here);
    if (n <= 0 && event.has(Field::lapse)) return;  // of so many that nobody knows
    n = std::max<std::int64_t>(n, 1);
    Anchor beginning;
    beginning.iteration = here.iteration - n;
    beginning.at = here.at;
    said = statement_of(r, event, pace, beginning, here);
  }
  if (!said || r.resumed) return;
  r.training.stated_alone = Segment{Phase::train,
                                    std::max<std::int64_t>(0, here.iteration - n),
                                    n,
                                    all_.values.train_samples(r),
                                    said.took,
                                    {}};
}

void track::Runs::measure_stated_alone(RunTrack& r, Records& out) {
  const auto stated = std::exchange(r.training.stated_alone, {});
  if (!stated || r.run.train.segments > 0 || r.run.job != Job::train) return;
  if (!r.run.iteration) r.run.iteration = stated->first_iteration + stated->iterations;
  add_segment(r, *stated, out);
}

}  // namespace etad
