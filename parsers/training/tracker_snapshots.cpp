// Snapshots within the windows of training.
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
  ++r->run.snapshots;
  const auto iteration = count_of(m.event, Field::iteration);
  if (iteration && *iteration > r->run.iteration.value_or(0)) r->run.iteration = iteration;
  r->dirty = true;
  // When a line without a time arrives is a matter of when somebody looked.
  const bool begins = r->window.begin_snapshot(iteration.value_or(0), m.event.time);
  if (begins && m.event.time)
    m.out.points.push_back(
        {r->run.ordinal,
         {iteration.value_or(r->run.iteration.value_or(0)), m.event.time, std::nan(""), true}});
}

// A measured window goes to the segments, what its snapshots took to them.
void track::Windows::give_window(RunTrack& r, Segment& window, Records& out) {
  const PhaseSummary& seen = r.run.train;
  const bool left_out = r.window.unclocked && r.training.paced && seen.iterations > 0;
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
  r.run.snapshot_time += saved;
  if (const auto startup = r.training.startup_by(window.duration / window.iterations))
    r.run.startup = startup;
  if (left_out) return;
  r.training.paced = r.training.paced || r.window.snapshots == 0;
  r.training.by_lines = true;
  if (track::may_rush(r, window)) {
    r.training.doubtful = window;
    return;
  }
  if (const auto first = std::exchange(r.training.doubtful, {}); first && !track::rushes(*first, window))
    all_.runs.add_segment(r, *first, out);
  all_.runs.add_segment(r, window, out);
}

}  // namespace etad
