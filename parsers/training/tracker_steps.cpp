// Logs that state how long steps took, or how many samples a second were gone through, instead of showing
// when things happened; and timing runs, which state it of each layer.
#include <algorithm>
#include <cmath>
#include <utility>

#include "parsers/base/text.h"
#include "parsers/training/tracker_parts.h"

namespace etad {

using track::RunTrack;
using track::Stage;

Phase phase_of(const Event& event, Job job) {
  const std::string_view phase = event.text(Field::phase);
  if (phase.empty()) return job == Job::test ? Phase::test : Phase::train;
  return phase == name_of(Phase::test) ? Phase::test : Phase::train;
}

// A step 0 that took time: steps are counted from zero, and here they begin. It sets up and compiles, and is
// no step like the others.
void track::Steps::step_zero(const Moment& m) {
  const RunTrack* const before = all_.runs.open();
  RunTrack& r =
      before && before->run.train.segments > 0 ? all_.runs.begin_again(m) : all_.runs.for_measurement(m);
  r.reach(Stage::progressed);
  r.dirty = r.job_known = true;
  r.training.from_zero = true;
  all_.values.take(r, m.event);
  r.run.iteration = 1;
  if (!r.run.first_iteration) r.run.first_iteration = 0;
}

namespace {

// A step that was measured before: its line is there twice, or the training has been gone on with from where it was
// saved. Then the first step sets up and compiles again, as step 0 does.
bool is_step_again(const RunTrack& r, const Event& event, std::optional<std::int64_t> at) {
  return at && r.run.train.segments > 0 && at <= r.run.iteration &&
         phase_of(event, r.run.job) == Phase::train;
}

// The first one of a training that is gone on with, which its lines need not show.
bool is_first_resumed(RunTrack& r, std::optional<std::int64_t> at) {
  if (!at || !std::exchange(r.training.sets_up_again, false)) return false;
  const std::int64_t done = r.run.first_iteration.value_or(0);
  return *at >= done && *at <= done + 1;
}

// What a step's time holds that is no training, as its line tells it.
double pauses(const Event& event) {
  double seconds = 0;
  for (const FieldValue& v : event.values()) {
    if (v.field != Field::pause) continue;
    Event alone;
    alone.add(v);
    const double pause = alone.number(Field::pause).value_or(0);
    if (std::isfinite(pause) && pause > 0) seconds += pause;
  }
  return seconds;
}

std::int64_t batches_of_step(const RunTrack& r, const Event& event) {
  return event.text(Field::unit) == "batch" ? std::max<std::int64_t>(number_set(r.run, kGathered), 1) : 1;
}

// Of lines that tell of batches, of which several are gathered for a step: whether this one is the step's last. `took` is
// made the time of all of them.
bool completes_step(RunTrack& r, const Event& event, Duration& took) {
  const std::int64_t each = batches_of_step(r, event);
  if (each == 1) return true;
  add_bounded(r.training.gathered_time, took);
  if (++r.training.gathered < each) return false;
  r.training.gathered = 0;
  took = std::exchange(r.training.gathered_time, {});
  return true;
}

}  // namespace

std::int64_t steps_of_batches(const RunTrack& r, const Event& event, std::int64_t n) {
  return std::max<std::int64_t>(n / batches_of_step(r, event), 1);
}

// The first step behind others, where the run's last words tell that it broke off, or others have told of what the next
// one is. Without that it may be another process that tells what it did.
bool track::Steps::begins_anew(const RunTrack& r, const Moment& m, std::optional<std::int64_t> at) const {
  if (at != 1 || r.run.iteration.value_or(0) <= 1 || r.run.train.segments == 0 || r.training.from_zero)
    return false;
  return phase_of(m.event, r.run.job) == Phase::train &&
         (!r.last_words.message.empty() || all_.runs.next_is_described());
}

namespace {

// The time of all steps so far, but for so many of the first that it leaves out (`value`).
std::optional<track::TimeSoFar> time_so_far(const Event& event, std::int64_t last, std::int64_t apart = 0) {
  const auto elapsed = rounded(event, Field::elapsed);
  if (!elapsed || last < count_of(event, Field::value).value_or(0)) return {};
  return track::TimeSoFar{last, elapsed->first, elapsed->second, apart};
}

}  // namespace

// One step's time stands for those that no line shows only where nothing says more of them: by the time of all so far they
// are measured together, once its rounding leaves little open. False: the step's own time counts, as where a single line is
// missing.
bool track::Steps::measure_so_far(RunTrack& r, const Moment& m, std::int64_t shown_before, std::int64_t last,
                                  Duration took) {
  constexpr double kMostError = 0.05;
  auto& from = r.training.so_far;
  const auto here = time_so_far(m.event, last, last - shown_before);
  const std::int64_t left_out = count_of(m.event, Field::value).value_or(0);
  if (!from && here && shown_before > 0 && shown_before <= left_out) from = TimeSoFar{left_out, 0, 0, 0};
  if (here && from && last == shown_before) return true;  // said twice
  const bool skips = here && from && last > shown_before + 1 && here->seconds > from->seconds;
  const double apart = skips ? here->seconds - from->seconds : 0;
  const bool fine = skips && here->error + from->error <= kMostError * apart;
  if (!skips || (!fine && from->apart == 1)) {
    from = here;
    return false;
  }
  const std::int64_t n = last - from->iteration;
  const std::int64_t samples = all_.values.samples(r, Phase::train);
  if (fine && n > 0) {
    all_.runs.add_segment(r, {Phase::train, from->iteration, n, samples, from_seconds(apart), {}}, m.out);
    from = here;
    return true;
  }
  auto& alone = r.training.stated_alone;  // counts if the run ends before more is known
  if (!alone) alone = Segment{Phase::train, last - 1, 0, samples, {}, {}};
  ++alone->iterations;
  add_bounded(alone->duration, took);
  return true;
}

// What each of the steps since the line before took, amid an epoch whose end will tell it of all of them: it counts if the
// run ends before its first epoch is over. The first ones set up as well, and count where no others are told.
void track::Steps::hold_amid(const Moment& m) {
  RunTrack* const r = all_.runs.open();
  if (!r || r->run.train.segments > 0) return;
  const track::EpochCount::Line& shown = r->epochs.line;
  if (!shown.batch || shown.epoch != r->epochs.first_number) return;
  auto& alone = r->training.stated_alone;
  const std::int64_t before = alone ? alone->first_iteration + alone->iterations : 0;
  const std::int64_t steps = *shown.batch - before;
  const auto each = m.event.number(Field::seconds);
  const auto took = each ? positive_seconds(*each * static_cast<double>(steps)) : std::nullopt;
  if (!took) return;
  if (!alone || alone->first_iteration == 0)
    alone = Segment{Phase::train, before, 0, all_.values.train_samples(*r), {}, {}};
  alone->iterations += steps;
  add_bounded(alone->duration, *took);
}

// A step, or each of `iterations` steps, took `seconds`.
void track::Steps::step_time(const Moment& m) {
  if (all_.tests.is_after_end(m)) return;
  const std::string_view since = m.event.text(Field::since);
  if (since == "epoch" || since == "heading") return all_.epochs.all_steps(m);
  if (since == "amid") return hold_amid(m);
  auto at = count_of(m.event, Field::iteration);
  if (at == 0 && m.event.has(Field::seconds)) return step_zero(m);
  RunTrack& going_on = all_.runs.for_progress(m);
  RunTrack& r = begins_anew(going_on, m, at) ? all_.runs.begin_again(m) : going_on;
  r.training.from_zero = r.training.from_zero || since == "zero";
  const bool first_resumed = is_first_resumed(r, at);
  if (at && r.training.from_zero) ++*at;
  all_.values.take(r, m.event);
  if (r.run.job == Job::time) {
    if (at) r.run.iteration = at;
    return;
  }
  r.job_known = true;
  const std::int64_t n = positive_of(m.event, Field::iterations).value_or(1);
  const auto step = m.event.number(Field::seconds);
  auto took =
      positive_seconds(step ? std::optional(*step * static_cast<double>(n) - pauses(m.event)) : std::nullopt);
  if (took && !completes_step(r, m.event, *took)) return;
  const std::int64_t last = at.value_or(clamped_sum(r.run.iteration.value_or(0), n));
  if (first_resumed || is_step_again(r, m.event, at)) {
    r.run.iteration = last;
    r.training.so_far = time_so_far(m.event, last);
    return;
  }
  const std::int64_t shown_before = r.run.iteration.value_or(0);
  if (at || phase_of(m.event, r.run.job) == Phase::train) r.run.iteration = last;
  all_.runs.add_loss(r, last, m);
  if (!took) {
    ++m.out.rejected;
    return;
  }
  const Phase phase = phase_of(m.event, r.run.job);
  if (phase == Phase::train && at && n == 1 && measure_so_far(r, m, shown_before, last, *took)) return;
  constexpr std::int64_t kEnough = 10;
  if (phase == Phase::train && at &&
      r.training.holds_an_evaluation(r.run.train, kEnough, to_seconds(*took / n)))
    return;
  const std::int64_t samples = all_.values.samples(r, phase);
  all_.runs.add_segment(r, {phase, std::max<std::int64_t>(0, last - n), n, samples, *took, {}}, m.out);
}

namespace {

// The time of the last n steps by a stated rate. A rate that is the mean over all steps so far (since =
// "start") gives the time of all of them; what was measured before is taken off.
double stated_seconds(const Event& event, const Run& run, Phase phase, std::int64_t samples, std::int64_t n) {
  const double rate = event.number(Field::samples_per_second).value_or(0);
  const PhaseSummary& before = phase == Phase::train ? run.train : run.test;
  if (event.text(Field::since) != "start") return static_cast<double>(product_or_zero(samples, n)) / rate;
  return static_cast<double>(product_or_zero(samples, before.iterations + n)) / rate -
         to_seconds(before.duration);
}

}  // namespace

// So many samples a second over `iterations` steps, or over those since the last such line.
void track::Steps::throughput(const Moment& m) {
  if (all_.tests.is_after_end(m)) return;
  RunTrack& r = all_.runs.for_progress(m);
  r.job_known = true;
  all_.values.take(r, m.event);
  auto at = count_of(m.event, Field::iteration);
  if (!at && m.event.text(Field::since) == "start") at = r.run.max_iterations;  // a mean over the whole run
  const std::int64_t before = r.run.iteration.value_or(0);
  const std::int64_t n = positive_of(m.event, Field::iterations).value_or(at ? *at - before : 0);
  const std::int64_t last = at.value_or(clamped_sum(before, std::max<std::int64_t>(0, n)));
  r.run.iteration = last;
  all_.runs.add_loss(r, last, m);
  const Phase phase = phase_of(m.event, r.run.job);
  const std::int64_t samples = all_.values.samples(r, phase);
  if (n <= 0 || samples <= 0 || !m.event.has(Field::samples_per_second)) return;  // nothing to multiply with
  const auto rate = rounded(m.event, Field::samples_per_second);
  if (rate && rate->first > 0 && !is_fine(*rate)) return;  // "0.5": the end may say it better
  const auto took =
      positive_seconds(rate && rate->first > 0 ? stated_seconds(m.event, r.run, phase, samples, n) : -1);
  if (!took) {
    ++m.out.rejected;
    return;
  }
  note_derived(r.run, "seconds: samples / samples_per_second");
  all_.runs.add_segment(r, {phase, std::max<std::int64_t>(0, last - n), n, samples, *took, {}}, m.out);
}

void track::Steps::layer_time(const Moment& m) {
  RunTrack& r = all_.runs.for_progress(m);
  const std::string name = kept_text(m.event.text(Field::layer), track::kMaxText);
  const auto seconds = m.event.number(Field::seconds);
  if (name.empty() || !seconds || !std::isfinite(*seconds) || *seconds < 0 || *seconds > track::kMaxSeconds) {
    ++m.out.rejected;
    return;
  }
  auto& times = r.layer_times;
  // The two directions of a layer follow each other, or come in two sweeps, forth and back.
  auto at =
      times.empty() || times.back().layer != name
          ? std::find_if(times.begin(), times.end(), [&](const LayerTime& t) { return t.layer == name; })
          : times.end() - 1;
  if (at == times.end()) {
    if (times.size() >= track::kMaxLayerTimes) return;
    times.push_back({name, {}, {}});
    at = times.end() - 1;
  }
  (m.event.text(Field::direction) == "backward" ? at->backward : at->forward) = from_seconds(*seconds);
}

void track::Steps::total_time(const Moment& m) {
  RunTrack& r = all_.runs.for_progress(m);
  r.dirty = true;
  const auto seconds = positive_seconds(m.event.number(Field::seconds));
  if (!seconds) {
    ++m.out.rejected;
    return;
  }
  const std::string_view direction = m.event.text(Field::direction);
  const std::string key = (direction.empty() ? std::string("total") : std::string(direction)) + "_seconds";
  std::string value = std::to_string(to_seconds(*seconds));
  take_setting(r, key, value);
}

void track::Steps::give_layer_times(RunTrack& r, Records& out) {
  if (r.layer_times.empty() || !r.declared()) return;
  out.layer_times.push_back({r.run.ordinal, std::move(r.layer_times)});
  r.layer_times.clear();
}

}  // namespace etad
