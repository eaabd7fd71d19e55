// A window of training: from one displayed iteration to the next. Internal to parsers/training.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "parsers/base/record.h"

namespace etad::track {

inline constexpr std::size_t kMaxHeldTests = 64;  // of one window

// A displayed iteration.
struct Anchor {
  std::int64_t iteration = 0;
  std::optional<Instant> at;
  std::optional<double> elapsed;      // seconds since the run's start, where the log counts them
  double error = 0;                   // by how much their rounding may be off
  std::optional<std::int64_t> epoch;  // where they are counted from its beginning: which one
  std::int64_t steps = 0;             // and of how many steps they are, where they are a mean times these
  bool dated = false;  // the line shows its time itself, so that `at` is not that of its arrival
  // Where the count is rounded ("12K"): whether it has just changed. Only from there to where it changes again are the
  // steps as many as it tells.
  std::optional<bool> changed;
};

// How long a window took, as the line at its end says; zero: it says nothing.
struct Statement {
  Duration took{};
  bool tests_inside = true;  // false: it speaks of steps, so what lies between them is not in it
  bool measured = false;     // a duration of all of the window, not one worked out from a rate or a step

  explicit operator bool() const { return took > Duration::zero(); }
};

// A snapshot that has begun.
struct Save {
  Instant since;
  std::int64_t iteration = 0;  // of the training; 0: the line does not say
  Instant last_line;           // the last line since: it takes at least so long
};

// Bars of another length that were drawn amid a window, by the seconds that they count.
struct OtherBars {
  std::int64_t number = 0;
  std::int64_t of = 0;         // the last of them
  double over = 0, shown = 0;  // those before it, and its own

  void see(std::int64_t length, double elapsed);
  double seconds() const { return over + shown; }
};

// The window at hand, and what happened in it that is no training: test phases and snapshots.
struct Window {
  std::optional<Anchor> from;  // where it began; nullopt: not yet, or nobody has seen it
  // Of all below nothing is left when the next window begins.
  std::optional<Instant> shown_again;  // a later line that showed the same iteration, the last of them
  // Of a run without a measurement so far: the words of the line that it began with, and the last line that said the same
  // of the same iteration.
  std::optional<std::string> words;
  std::optional<Instant> said_again;
  Duration test_time{};
  std::vector<Segment> held_tests;  // until the window shows whether the clock was set
  std::int64_t snapshots = 0;
  std::optional<Save> saving;           // the last of them, until a line shows that it is over
  Duration saved{};                     // what those took whose ends are known
  bool holds_unended_snapshot = false;  // one whose end no line shows
  bool holds_unknown_gap = false;      // time that is no training: no difference of times measures the window
  bool holds_unmeasured_test = false;  // a test's result lies in it, and nothing says how long the test took
  bool holds_undated_test = false;     // such a result, of lines that show no time
  bool over_border = false;            // it ends in the epoch after the one that it began in
  bool other_bar = false;              // another bar was drawn amid it, such as an evaluation's
  std::optional<Anchor> last_state;    // of a bar that shows too little to close the window
  bool bar_over = false;               // a test shows that this was the bar's last one
  bool turned_back = false;            // it began at a line that counted back
  Duration waited{};  // as the run's own bar shows that is drawn again behind it, at the same iteration
  OtherBars others;

  void begin(const Anchor& at);  // with nothing in it so far
  // Whether a line is stamped before the one that it began with, but not before the run began.
  bool begins_behind(std::optional<Instant> stamp, std::optional<Instant> run_began) const {
    return stamp && run_began && from && from->dated && *stamp < *from->at && *stamp >= *run_began;
  }
  bool can_hold() const { return held_tests.size() < kMaxHeldTests; }

  // Snapshots inside. `at` is the time that a line shows; one without says no more than that there was one.
  bool begin_snapshot(std::int64_t iteration, std::optional<Instant> at);  // false: a file of the same one
  void see_line(Instant at);                                               // amid a snapshot or not
  void end_snapshot(std::optional<Instant> at);  // if one is under way; nullopt: no line shows its end
  void end_snapshot_by_test(std::int64_t iteration, std::optional<Instant> at);
  void end_snapshot_by_progress(const Anchor& to, Duration took);
  void pass_over_snapshots() {  // none of them is in what the window took
    saving.reset();
    saved = {};
    holds_unended_snapshot = false;
  }

  // Its training, tests taken out and snapshots not, into `took`; false where it cannot be told. `usual`: by how much the
  // clock shows more than what is said, line after line.
  bool training_time(const Statement& said, const Anchor& to, Duration& took, Duration usual = {});
};

}  // namespace etad::track
