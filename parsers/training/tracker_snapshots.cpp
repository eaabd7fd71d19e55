// Snapshots within the windows of training, and trainings that go on from one.
//
// A snapshot takes what the clock shows around it: from the line that tells of it to the next one that shows
// the training at the same iteration. That time is taken out of its window, whose iterations count like any
// others'. Where no line shows its end, it is what its window takes longer than the others, and the window is
// left out; where all windows are such, as in a log that saves at each of them, they count as they are.
#include <algorithm>
#include <cmath>
#include <utility>

#include "parsers/training/bar_states.h"
#include "parsers/training/tracker_parts.h"

namespace etad {

using track::RunTrack;

void track::Windows::snapshot(const Moment& m) {
  RunTrack* const r = all_.runs.open();
  if (!r || !r->declared()) return;
  const bool somewhere = m.event.text(Field::since) == "progress";
  if (!somewhere) ++r->run.snapshots;
  const auto iteration = count_of(m.event, Field::iteration);
  if (iteration && *iteration > r->run.iteration.value_or(0)) r->run.iteration = iteration;
  r->dirty = true;
  // When a line without a time arrives is a matter of when somebody looked.
  const bool begins =
      r->window.begin_snapshot(iteration.value_or(0), somewhere ? std::nullopt : m.event.time);
  if (begins && m.event.time && !somewhere)
    m.out.points.push_back(
        {r->run.ordinal,
         {iteration.value_or(r->run.iteration.value_or(0)), m.event.time, std::nan(""), true}});
}

// A measured window goes to the segments, what its snapshots took to them.
void track::Windows::give_window(RunTrack& r, Segment& window, Records& out) {
  const PhaseSummary& seen = r.run.train;
  const bool left_out =
      r.window.holds_unended_snapshot && r.training.measured_without_snapshot && seen.iterations > 0;
  Duration saved = r.window.saved;
  if (left_out) {
    const Duration usual = from_seconds(to_seconds(seen.duration) / static_cast<double>(seen.iterations) *
                                        static_cast<double>(window.iterations));
    saved = std::max(saved, window.duration - usual);
  }
  window.duration -= saved;
  if (window.duration <= Duration::zero()) {
    ++out.rejected;
    return;
  }
  add_bounded(r.run.snapshot_time, saved);
  if (const auto startup = r.training.startup_by(window.duration / window.iterations))
    r.run.startup = startup;
  if (left_out) return;
  r.training.measured_without_snapshot = r.training.measured_without_snapshot || r.window.snapshots == 0;
  r.training.by_lines = true;
  if (track::may_rush(r, window)) {
    r.training.doubtful = window;
    return;
  }
  if (const auto first = std::exchange(r.training.doubtful, {}); first && !track::rushes(*first, window))
    all_.runs.add_segment(r, *first, out);
  all_.runs.add_segment(r, window, out);
}

// Farther in than a training shows its first steps, and no farther than this one came.
bool is_amid(const RunTrack& r, std::int64_t iteration) {
  const std::int64_t stride = std::max<std::int64_t>(r.training.stride, 1);
  return iteration > 2 * stride && iteration <= r.run.iteration.value_or(0) + stride;
}

namespace {

// Whether a line goes on with a training that broke off: it says so, or shows steps amid it.
bool goes_on_with(const RunTrack& last, const Event& event) {
  if (!last.declared() || last.run.job != Job::train) return false;
  if (event.kind == EventKind::resume) return true;
  const std::int64_t at = count_of(event, Field::iteration).value_or(0);
  if (last.run.state == RunState::failed) return is_amid(last, at);
  return at > 0 && last.run.state == RunState::stopped;
}

}  // namespace

// A training that was stopped early and whose lines go on amid it, without a word of how they began, is what
// it was.
RunTrack& track::Runs::begin_or_go_on(const Moment& m) {
  const std::optional<RunTrack>& last = state_.current;
  if (!last || state_.next || !goes_on_with(*last, m.event)) return begin(m);
  const RunTrack before = *last;
  RunTrack& r = begin(m);
  r.run.framework = before.run.framework;
  r.run.network = before.run.network;
  r.run.architecture = before.run.architecture;
  r.run.host = before.run.host;
  r.run.device = before.run.device;
  r.run.devices = before.run.devices;
  // A log that is nothing but starts must not have all of these kept for each of them.
  constexpr std::int64_t kMostUnmeasured = 8;
  if (before.run.train.segments == 0) r.unmeasured_before = before.unmeasured_before + 1;
  if (r.unmeasured_before <= kMostUnmeasured) r.run.settings = before.run.settings;
  r.run.max_iterations = before.run.max_iterations;
  r.known = before.known;
  if (const auto steps = before.epochs.steps) r.epochs.steps = *steps;
  // It numbers its epochs as it did: what it shows first is none of the first two.
  if (const auto first = before.epochs.first_number; first && *first <= 1) r.epochs.see(*first);
  r.job_known = before.job_known;
  r.resumed = true;
  return r;
}

void track::Windows::resume(const Moment& m) {
  RunTrack* const open = all_.runs.open();
  // Amid a run it is another start of the program that goes on.
  const bool again = open && open->progressed() && open->run.job == Job::train;
  RunTrack& r = open && !again ? *open : all_.runs.begin_or_go_on(m);
  r.resumed = r.training.sets_up_again = true;
  if (const auto iteration = count_of(m.event, Field::iteration)) r.run.first_iteration = iteration;
  if (const auto file = m.event.text(Field::file); !file.empty()) take_setting(r, "resumed_from", file);
  all_.values.take(r, m.event);
}

}  // namespace etad
