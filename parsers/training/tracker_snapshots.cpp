// Snapshots within the windows of training.
//
// A snapshot takes what the clock shows around it: from the line that tells of it to the next one that shows
// the training at the same iteration. That time is taken out of its window, whose iterations count like any
// others'. Where no line shows its end, it is what its window takes longer than the others, and the window is
// left out; where all windows are such, as in a log that saves at each of them, they count as they are.
#include <algorithm>
#include <cmath>

#include "parsers/training/tracker_parts.h"

namespace etad {

using track::RunTrack;
using track::Stage;
using track::Window;

void track::Windows::snapshot(const Moment& m) {
  RunTrack* const r = all_.runs.open();
  if (!r || !r->declared()) return;
  Window& w = r->window;
  ++w.snapshots;
  ++r->run.snapshots;
  const auto iteration = count_of(m.event, Field::iteration);
  if (iteration && *iteration > r->run.iteration.value_or(0)) r->run.iteration = iteration;
  r->dirty = true;
  const std::int64_t at = iteration.value_or(0);
  if (w.saving && w.saving->iteration == at) return;  // another file of the same one
  if (w.saving) w.unclocked = true;
  w.saving.reset();
  // When a line without a time arrives is a matter of when somebody looked.
  if (m.event.time) {
    w.saving = track::Save{*m.event.time, at, *m.event.time};
    m.out.points.push_back(
        {r->run.ordinal, {iteration.value_or(r->run.iteration.value_or(0)), m.event.time, std::nan(""), true}});
  }
  if (!w.saving) w.unclocked = true;
}

void end_save(Window& w, std::optional<Instant> at) {
  if (!w.saving) return;
  const Duration took = at ? between(w.saving->since, *at) : Duration::zero();
  w.unclocked = w.unclocked || !at;
  w.saved += std::max(Duration::zero(), took);
  w.saving.reset();
}

// Some show an iteration only when the next one has been computed, or show that one: of the time up to here
// one iteration is taken out, as far as the lines in between leave room for one.
void end_save_by_progress(Window& w, const track::Anchor& to, Duration took) {
  if (!w.saving) return;
  const std::int64_t n = to.iteration - w.from->iteration;
  const std::int64_t since = to.iteration - w.saving->iteration;
  if (since < 0 || since > 1 || !to.at) return end_save(w, std::nullopt);
  const Duration most = between(w.saving->since, *to.at),
                 least = between(w.saving->since, w.saving->last_line);
  const Duration others = took - w.saved - most;
  const Duration one = n > 1 && others > Duration::zero() ? others / (n - 1) : Duration::zero();
  const Duration save = std::clamp(most - one, std::min(least, most), most);
  end_save(w, w.saving->since + std::chrono::duration_cast<Instant::duration>(save));
}

// A measured window goes to the segments, what its snapshots took to them.
void track::Windows::give_window(RunTrack& r, Segment window, Records& out) {
  Window& w = r.window;
  const PhaseSummary& seen = r.run.train;
  const bool left_out = w.unclocked && r.training.paced && seen.iterations > 0;
  if (left_out) {
    const Duration usual = from_seconds(to_seconds(seen.duration) / static_cast<double>(seen.iterations) *
                                        static_cast<double>(window.iterations));
    w.saved = std::max(w.saved, window.duration - usual);
  }
  window.duration -= w.saved;
  if (window.duration <= Duration::zero()) {
    ++out.rejected;
    return;
  }
  r.run.snapshot_time += w.saved;
  if (r.training.until_progress) {
    const Duration one = window.duration / window.iterations;
    r.run.startup = std::max(Duration::zero(), *r.training.until_progress - one * r.training.done_before);
    r.training.until_progress.reset();
  }
  if (left_out) return;
  r.training.paced = r.training.paced || w.snapshots == 0;
  r.training.by_lines = true;
  all_.runs.add_segment(r, window, out);
}

}  // namespace etad
