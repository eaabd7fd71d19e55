// A window's time is the difference of the two lines' times less the test phases inside. Where the log itself
// says how long the window took and the two disagree beyond measure, the clock was set in between, and the
// log's own word counts.
//
// A snapshot takes what the clock shows around it: from the line that tells of it to the next one that shows
// the training at the same iteration.
#include "parsers/training/training_window.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <utility>

#include "parsers/training/line_numbers.h"

namespace etad::track {

namespace {

using namespace std::chrono_literals;

// Beyond this the clock must have been set: rounding and the printing itself never come near it.
constexpr Duration kGrossAtLeast = 2s;
constexpr double kGrossShare = 0.05;

bool whole_second(Instant at) {
  return at.time_since_epoch() % 1s == 0s;
}

// By how much the clock was set between two lines, where the log's own word shows that it was.
Duration clock_shift(const Statement& said, const Anchor& from, const Anchor& to, Duration tests,
                     Duration usual) {
  const Duration measured = between(*from.at, *to.at) - (said.tests_inside ? Duration::zero() : tests);
  const Duration more = measured - said.took;
  const bool gross = std::chrono::abs(more - usual) > kGrossAtLeast &&
                     std::abs(to_seconds(more)) > kGrossShare * to_seconds(said.took);
  return gross ? more : Duration::zero();
}

// A test phase across which the clock was set: put right by the same amount, where that can be it.
void unbend_tests(Window& window, Duration shift, Duration longest) {
  for (Segment& test : window.held_tests) {
    const Duration right = test.duration - shift;
    const bool impossible = test.duration <= Duration::zero() || test.duration > longest;
    if (!impossible || right <= Duration::zero() || right > longest) continue;
    test.duration = right;
    window.test_time -= shift;
    return;
  }
}

}  // namespace

// Made anew in its place, which happens at nearly every line of progress: to assign an empty one would clear all of its
// bytes first, and then move each of its parts.
void Window::begin(const Anchor& at) {
  const Anchor start = at;
  std::destroy_at(this);
  ::new (static_cast<void*>(this)) Window;
  from = start;
}

bool Window::begin_snapshot(std::int64_t iteration, std::optional<Instant> at) {
  ++snapshots;
  // What does not say its iteration speaks of the one that is going on.
  if (saving && (saving->iteration == iteration || iteration == 0)) return false;
  if (saving || !at) holds_unended_snapshot = true;
  saving.reset();
  if (at) saving = Save{*at, iteration, *at};
  return true;
}

// Several processes may each draw it, one a little behind the other.
void OtherBars::see(std::int64_t length, double elapsed) {
  if (number > 0 && length == of && 2 * elapsed >= shown) {
    shown = std::max(shown, elapsed);
    return;
  }
  over += std::exchange(shown, elapsed);
  of = length;
  ++number;
}

void Window::see_line(Instant at) {
  if (saving) saving->last_line = std::max(saving->last_line, at);
}

void Window::end_snapshot(std::optional<Instant> at) {
  if (!saving) return;
  const Duration took = at ? between(saving->since, *at) : Duration::zero();
  holds_unended_snapshot = holds_unended_snapshot || !at;
  add_bounded(saved, std::max(Duration::zero(), took));
  saving.reset();
}

// A test at the same iteration begins when the snapshot is over; another one shows nothing of its end.
void Window::end_snapshot_by_test(std::int64_t iteration, std::optional<Instant> at) {
  if (saving) end_snapshot(saving->iteration == iteration ? at : std::nullopt);
}

// Some show an iteration only when the next one has been computed, or show that one: of the time up to here
// one iteration is taken out, as far as the lines in between leave room for one.
void Window::end_snapshot_by_progress(const Anchor& to, Duration took) {
  if (!saving) return;
  const Save& save = *saving;
  const std::int64_t n = to.iteration - from->iteration;
  const std::int64_t since = to.iteration - save.iteration;
  if (since < 0 || since > 1 || !to.at) return end_snapshot(std::nullopt);
  const Duration most = between(save.since, *to.at), least = between(save.since, save.last_line);
  const Duration others = took - saved - most;
  const Duration one = n > 1 && others > Duration::zero() ? others / (n - 1) : Duration::zero();
  const Duration itself = std::clamp(most - one, std::min(least, most), most);
  end_snapshot(save.since + std::chrono::duration_cast<Instant::duration>(itself));
}

bool Window::training_time(const Statement& said, const Anchor& to, Duration& took, Duration usual) {
  const Anchor& first = *from;
  const auto stated = [&] { return said.tests_inside ? said.took - test_time : said.took; };
  // Lines that show no time are dated by their arrival, which is a matter of when somebody looked: the log's
  // own word counts, and a log that is followed says the same as one that is imported.
  const bool looked_at = !(first.dated && to.dated) && said && said.measured;
  if (!first.at || !to.at || holds_unknown_gap || looked_at) {
    if (!said || (said.tests_inside && holds_unknown_gap)) return false;
    took = stated();
    return true;
  }
  const Duration shift = said ? clock_shift(said, first, to, test_time, usual) : Duration::zero();
  if (shift != Duration::zero() && said.tests_inside) unbend_tests(*this, shift, said.took);
  took = between(*first.at, *to.at) - test_time;
  if (!said) return true;
  const Duration apart = took > stated() ? took - stated() : stated() - took;
  const bool finer = whole_second(*first.at) && whole_second(*to.at) && apart <= 1s;
  if (shift != Duration::zero() || finer) took = stated();
  return true;
}

}  // namespace etad::track
