// What is known of a run's training beside the window at hand. Internal to parsers/training.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "parsers/base/record.h"

namespace etad::track {

// What an end says of all of a run beside its rate.
struct Summary {
  double seconds = 0, rate = 0, rate_error = 0;  // rate 0: it says samples a second alone
  std::optional<double> loss;

  bool is_unlike(const Summary& other) const;
};

// The time of all steps so far, which some lines tell beside that of their own step.
struct TimeSoFar {
  std::int64_t iteration = 0;
  double seconds = 0, error = 0;  // and by how much rounding may be off
  std::int64_t apart = 0;         // steps since the line before; 0: not known
};

// Lines that each tell of so many steps, beside a bar whose states may be missing.
struct LinesBesideBar {
  std::int64_t lines = 0;  // since the bar's last state
  std::int64_t every = 0;  // so many steps a line, between all states so far
  std::int64_t agreed = 0;
  bool uneven = false;  // or not

  void see_bar(std::int64_t steps);   // that many since its state before
  std::int64_t steps_behind() const;  // the bar's last state
};

// Epochs, one behind the other, whose times lines tell, and of whose steps none does: what counts where no steps come.
struct EpochsAlone {
  std::int64_t first = 0, last = 0;  // by their numbers
  std::int64_t of = 0;               // out of so many; 0: unknown
  std::vector<Segment> told;         // those that are told, or two or more together where there are many

  void tell(const Segment& epoch);
};

// The steps of tests that an epoch's bar counts beside its own, as Lightning's did before version 2, where bars of
// those tests are drawn amid it.
struct TestsOfBar {
  std::int64_t bar_of = 0, all = 0;   // a bar of so many holds so many of tests; 0: none is known
  std::optional<std::int64_t> epoch;  // whose bar it is, and where it stood as drawn last but amid a test
  std::int64_t batch = 0, batches = 0;
  double elapsed = 0;
  std::int64_t of = 0, done = 0;  // steps of the test going on, and how many of them are done; 0: none is
  double took = 0;                // as its own bar says
  std::int64_t passed = 0;        // of this epoch's that are over
  double seconds = 0;

  // Where the training stands.
  struct Own {
    std::int64_t batch = 0, batches = 0;
    double elapsed = 0;
  };

  void see_test(std::int64_t at, std::int64_t out_of, std::optional<double> seconds_of_test);
  std::optional<Own> own_of(std::int64_t number, const Own& shown);  // nothing: a test goes on
  std::int64_t in_bar(std::int64_t length) const { return length == bar_of ? all : 0; }
};

struct Training {
  // How it begins.
  Duration tests_before{};  // before the first progress
  Duration bar_stood{};     // at 0, for these tests
  // From the first line to the first progress, where that shows iterations already done: they are taken out
  // of the start-up as soon as a window shows how long they take.
  std::optional<Duration> until_progress;
  std::int64_t done_until_progress = 0;  // those iterations
  bool sets_up_again = false;            // it has been gone on with, and its next step sets up and compiles

  // What it counts.
  std::int64_t stride = 0;  // iterations between the two lines of progress shown last
  bool by_lines = false;    // its iterations have been measured from line to line
  bool zero_trained =
      false;  // a step number 0 has been shown with its loss: the last is one less than they are
  bool zero_of_plan = false;       // and its line showed the plan ("[0/2000]")
  bool from_zero = false;          // steps are counted from 0: step 9 is the tenth
  std::optional<bool> by_samples;  // whether counts that may be either are samples; unset while none tells
  bool endless = false;            // what it counts is planned anew for each epoch, of how many nothing tells
  bool shows_loss = false;         // some line of it has
  std::int64_t epochs_of_block = 0;  // of the block that began; 0: an epoch did, or nothing
  std::optional<TimeSoFar> so_far;   // from where on the steps count that no line shows
  std::int64_t gathered = 0;  // batches whose lines told their times, of the step that they are gathered for
  Duration gathered_time{};
  std::optional<EpochsAlone> alone;
  std::int64_t shown_beside = 0;  // how far the series of its file have come that are not followed

  // Its bars, and others amid it.
  std::optional<double> last_elapsed;      // as the line displayed last counts it
  bool shows_waits = false;                // its bar has shown how long it waited for a test
  std::optional<TestsOfBar> tests_of_bar;  // its bar counts the steps of its tests, too
  LinesBesideBar beside_bar;
  std::optional<std::int64_t> other_bar;  // of another length than the run's own, drawn amid it

  // What its windows have shown.
  Duration tests_stated{}, last_stated{};  // all whose results say how long they took; the last of them
  std::int64_t untested = 0;               // windows measured without any test inside
  bool measured_without_snapshot = false;  // some window has been
  bool overstated = false;                 // its lines state more time than lies between them
  double stamps_more = 0;    // the part of what they state by which their stamps say more, in the middle
  bool stood_still = false;  // the last window was as long as one with a pause in it
  std::optional<Segment> left_out;  // for which it was left out, unless the next one is as slow
  double last_pace = 0;             // the last window's
  bool slow_step = false;           // the last step took much longer than those before
  // Seconds a step of the last window, where it was left out as another training's.
  std::optional<double> step_time_of_leap;
  // The first states of a bar amid a training, until more of it are measured.
  std::optional<Segment> doubtful;
  // What a line states of the steps until it, of a run that nothing measures so far: all that is known if it ends so.
  std::optional<Segment> stated_alone;

  // How it ends, and what comes behind that.
  std::optional<double> time_left;  // as a line said last that it is more than a step
  bool left_beyond_epoch =
      false;  // such a time was more than what its epoch had left: it is that of all epochs
  std::optional<std::int64_t> told_by_end;  // how many epochs an end told of: the last may be shown below it
  std::optional<Summary> summed_up;         // by its end
  bool trained_behind = false;              // a loss has been shown behind that end: another training goes on
  bool begun_again = false;                 // its own bar has been drawn from its beginning behind that end
  std::optional<std::int64_t> full_bar;     // the longest bar seen behind the end that began no run
  std::optional<std::int64_t> open_bar;     // the longest of those that have not come to their end

  // Of windows with nothing in them but steps, whose lines state a time and bear stamps.
  void see_stamps(Duration stated, Duration shown);
  Duration usual_more(Duration stated) const;

  // The start-up: from the run's first line to its first iteration, tests taken out. The first progress comes
  // `since` after the first line and shows `done` iterations. Gives the start-up where that is it; where
  // iterations are in it, startup_by() gives it later, once.
  std::optional<Duration> first_progress(Duration since, std::int64_t done);
  std::optional<Duration> startup_by(Duration step_time);

  // Whether a line says that no more than a step is to come, behind others that said more. (Some state what is left
  // before the step that they count.)
  bool sees_the_end(double left_now, std::optional<double> step_time);

  // Whether a line late in its epoch, which has so many steps left of `batches`, says that no epoch is to come behind it.
  bool sees_last_epoch(double left_now, double step_time, std::int64_t steps, std::int64_t batches);

  // Whether a summary behind the run's own is another training's. Each of several processes says it of the same one, but
  // no loss comes in between, nor does the bar begin again, and what they say is alike.
  bool is_another(const std::optional<Summary>& then) const;

  // Whether a step of `seconds` took much longer than those before it, of which there are `enough` measurements: it holds
  // an evaluation of which no line tells, as every 250th of build-nanogpt's. A second one behind it shows that the
  // training is that slow by now.
  bool holds_an_evaluation(const PhaseSummary& before, std::int64_t enough, double seconds);

  // Enough of them to do without those that hold a test of unknown length: as many as three lines an epoch show.
  bool has_untested_windows() const { return untested >= 2; }
};

inline void LinesBesideBar::see_bar(std::int64_t steps) {
  constexpr std::int64_t kFew = 10;  // where each step has its state, or nearly, they tell nothing
  const std::int64_t n = std::exchange(lines, 0);
  uneven = uneven || n < kFew || steps % n != 0 || (every > 0 && every != steps / n);
  if (uneven) return;
  every = steps / n;
  ++agreed;
}

// The first of them may be of the state itself.
inline std::int64_t LinesBesideBar::steps_behind() const {
  return agreed < 2 || uneven || lines < 2 ? 0 : (lines - 1) * every;
}

// One window more or less moves it by little, however far it is off: pauses are not what is usual.
inline void Training::see_stamps(Duration stated, Duration shown) {
  constexpr double kStep = 0.02, kMost = 0.5;
  const bool more = to_seconds(shown) > (1 + stamps_more) * to_seconds(stated);
  stamps_more = std::clamp(stamps_more + (more ? kStep : -kStep), 0.0, kMost);
}

inline Duration Training::usual_more(Duration stated) const {
  return from_seconds(stamps_more * to_seconds(stated));
}

inline void EpochsAlone::tell(const Segment& epoch) {
  constexpr std::size_t kMost = 64;
  if (told.size() >= kMost) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i + 1 < told.size(); i += 2, ++kept) {
      told[kept] = told[i];
      told[kept].iterations += told[i + 1].iterations;
      told[kept].duration += told[i + 1].duration;
    }
    told.resize(kept);
  }
  told.push_back(epoch);
}

inline bool Training::holds_an_evaluation(const PhaseSummary& before, std::int64_t enough, double seconds) {
  constexpr double kMuchLonger = 10;
  const bool slow = before.segments >= enough && seconds * static_cast<double>(before.iterations) >
                                                     kMuchLonger * to_seconds(before.duration);
  const bool slow_before = std::exchange(slow_step, slow);
  return slow && !slow_before;
}

inline std::optional<Duration> Training::first_progress(Duration since, std::int64_t done) {
  const Duration before = since - tests_before;
  done_until_progress = done;
  if (before < Duration::zero()) return {};
  if (done <= 0) return before;
  until_progress = before;
  return {};
}

inline std::optional<Duration> Training::startup_by(Duration step_time) {
  if (!until_progress) return {};
  const Duration before = *until_progress;
  until_progress.reset();
  // Divided, for a log may claim so many iterations that a product would overflow.
  if (step_time > Duration::zero() && done_until_progress > before / step_time) return Duration::zero();
  return before - step_time * done_until_progress;
}

// The processes of a training take nearly as long, and tell the same loss. Another training may take as long by chance,
// or for other steps at another rate, but hardly comes to the same loss as well.
inline bool Summary::is_unlike(const Summary& other) const {
  constexpr double kOther = 0.02, kOtherLoss = 0.001;
  if (std::abs(other.seconds - seconds) > kOther * seconds) return true;
  if (std::abs(other.rate - rate) > kOther * rate + rate_error + other.rate_error) return true;
  return loss && other.loss && std::abs(*other.loss - *loss) > kOtherLoss * std::abs(*loss);
}

inline bool Training::is_another(const std::optional<Summary>& then) const {
  return then && summed_up && (trained_behind || begun_again || summed_up->is_unlike(*then));
}

inline bool Training::sees_the_end(double left_now, std::optional<double> step_time) {
  const double one = 1.5 * step_time.value_or(0);
  if (left_now <= one) return time_left.has_value();
  time_left = left_now;
  return false;
}

inline bool Training::sees_last_epoch(double left_now, double step_time, std::int64_t steps,
                                      std::int64_t batches) {
  constexpr double kNearly = 1.5;
  const bool beyond = left_now > kNearly * step_time * static_cast<double>(steps);
  left_beyond_epoch = left_beyond_epoch || beyond;
  return left_beyond_epoch && !beyond && 2 * steps <= batches;
}

}  // namespace etad::track
