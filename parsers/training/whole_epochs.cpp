// Bars at their ends, which state all steps of an epoch together.
#include <algorithm>
#include <cmath>

#include "parsers/training/line_numbers.h"
#include "parsers/training/tracker_parts.h"

namespace etad {

using track::RunTrack;

namespace {

// How long so many of what is counted took: each of them `seconds`, all of them `lapse`, so many a second by
// `rate`, where that agrees with the lapse. What is written more finely counts.
std::optional<Duration> time_of_all(const Event& event, std::int64_t count) {
  constexpr double kMostError = 0.2;  // a bar has nothing better to offer, and there are many of them
  // "0s 1ms/step": the epochs are too short for more, and to take the slower ones alone would mislead.
  constexpr double kMostErrorOfInstant = 0.51;
  const auto relative = [](const auto& x) { return x && x->first > 0 ? x->second / x->first : 1; };
  const auto all = rounded(event, Field::lapse), each = rounded(event, Field::seconds),
             rate = rounded(event, Field::rate);
  const double error_of_all = relative(all), error_of_each = count > 0 ? relative(each) : 1;
  const double n = static_cast<double>(count), error_of_rate = count > 0 ? relative(rate) : 1;
  if (all && error_of_rate < std::min(error_of_all, error_of_each) &&
      std::abs(n / rate->first - all->first) <= 2 * all->second)
    return positive_seconds(n / rate->first);
  const double most_error = all && all->first == 0 ? kMostErrorOfInstant : kMostError;
  if (std::min(error_of_all, error_of_each) > most_error) return {};
  if (error_of_all <= error_of_each) return positive_seconds(all->first);
  return positive_seconds(each->first * n);
}

}  // namespace

// How many steps a bar at its end stands for. Some count samples: where the line says so, or where it counts
// as many as the log says the data set has.
std::int64_t track::Epochs::steps_shown(RunTrack& r, const Event& event, Phase phase) const {
  const std::int64_t shown = positive_of(event, Field::iterations).value_or(0);
  const std::int64_t samples = whole_number(setting_of(r.run, "dataset_size")).value_or(0);
  const bool counts_samples = event.has(Field::dataset_size) || shown == 0 || shown == samples;
  if (!counts_samples) return shown;
  if (phase == Phase::test) return 0;
  if (all_.labels.steps_per_epoch) return *all_.labels.steps_per_epoch;
  const std::int64_t batch = all_.values.train_samples(r);
  if (batch <= 0 || samples <= 0) return 0;
  note_derived(r.run, "steps_per_epoch: dataset_size / batch_size");
  return (samples + batch - 1) / batch;
}

// All steps of an epoch together, as progress bars state them (since = "epoch"). Where the log announces its
// epochs, a bar of none of them is a test's; with since = "heading" one that nothing has announced is nothing.
void track::Epochs::all_steps(const Moment& m) {
  // Where each state of a bar has a line of its own, one that is not full is not the epoch's end.
  const auto of = positive_of(m.event, Field::batches);
  if (of && positive_of(m.event, Field::iterations).value_or(*of) < *of) return see_part(m.event, *of);
  const RunTrack* const open = all_.runs.open();
  if (m.event.text(Field::since) == "heading" && (!open || !open->epochs.announced)) return;
  RunTrack& r = all_.runs.for_progress(m);
  r.dirty = true;
  const bool tests = m.event.text(Field::phase) == name_of(Phase::test);
  const bool ends = !tests && r.epochs.end_announced();
  const bool training = ends || m.event.text(Field::phase) == name_of(Phase::train);
  const Phase phase = training ? Phase::train : Phase::test;
  if (training || !r.job_known) r.run.job = training ? Job::train : Job::test;
  r.job_known = r.job_known || training;
  if (training && m.event.has(Field::dataset_size)) all_.values.take(r, m.event);
  std::int64_t steps = steps_shown(r, m.event, phase);
  // Nothing says how many, for the bar counts samples: the epoch is counted itself.
  if (training && steps == 0 && (m.event.text(Field::unit) == "epoch" || m.event.has(Field::iterations))) {
    steps = 1;
    count_epochs(r);
  }
  const auto took = time_of_all(m.event, positive_of(m.event, Field::iterations).value_or(0));
  std::int64_t first = r.run.iteration.value_or(0);
  if (training && steps > 0) {
    plan_epochs(r, m.event, steps);
    if (const auto epoch = r.epochs.announced) {
      first = r.epochs.done_before(*epoch, steps);
      if (!ends && r.run.iteration == first + steps) return;  // the same once more, behind its validation
    }
    r.run.iteration = clamped_sum(first, steps);
    if (!r.run.first_iteration) r.run.first_iteration = first;
    all_.runs.add_loss(r, first + steps, m);
  }
  if (steps <= 0 || !took) return;
  all_.runs.add_segment(r, {phase, first, steps, all_.values.samples(r, phase), *took, {}}, m.out);
}

}  // namespace etad
