// What is known of a run's training beside the window at hand. Internal to parsers/training.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "parsers/base/record.h"

namespace etad::track {

class Training {
 public:
  struct State {
    Duration tests_before{};  // before the first progress
    // From the first line to the first progress, where that shows iterations already done: they are taken out
    // of the start-up as soon as a window shows how long they take.
    std::optional<Duration> until_progress;
    std::int64_t done_before = 0;           // those iterations
    bool paced = false;                     // a window without a snapshot has been measured
    std::int64_t stride = 0;                // iterations between the two lines of progress shown last
    bool from_zero = false;                 // steps are counted from 0: step 9 is the tenth
    std::optional<std::int64_t> other_bar;  // of another length than the run's own, drawn amid it
    std::optional<std::int64_t> full_bar;   // the longest bar seen behind the end, full at once
    bool by_lines = false;                  // its iterations have been measured from line to line
    std::int64_t untested = 0;              // windows measured without any test inside
  };

  // The start-up: from the run's first line to its first iteration, tests taken out.
  void add_test_before(Duration took) { state_.tests_before += took; }
  bool awaits_step_time() const { return state_.until_progress.has_value(); }
  // The first progress comes `since` after the first line and shows `done` iterations. Gives the start-up
  // where that is it; where iterations are in it, startup_by() gives it later.
  std::optional<Duration> first_progress(Duration since, std::int64_t done);
  std::optional<Duration> startup_by(Duration step_time);  // once

  void measured_window(bool with_snapshot);
  bool measured_without_snapshot() const { return state_.paced; }
  bool measured_by_lines() const { return state_.by_lines; }

  // Enough of them to do without those that hold a test of unknown length.
  bool has_untested_windows() const { return state_.untested >= kEnough; }
  void measured_untested_window() { ++state_.untested; }

  std::int64_t stride() const { return state_.stride; }
  void set_stride(std::int64_t iterations) { state_.stride = iterations; }
  bool counts_from_zero() const { return state_.from_zero; }
  void count_from_zero() { state_.from_zero = true; }

  // Progress bars that are not its own, by their lengths.
  const std::optional<std::int64_t>& other_bar() const { return state_.other_bar; }
  void see_other_bar(std::int64_t of) { state_.other_bar = of; }
  const std::optional<std::int64_t>& full_bar() const { return state_.full_bar; }
  void see_full_bar(std::int64_t of) { state_.full_bar = std::max(state_.full_bar.value_or(0), of); }

  const State& state() const { return state_; }  // to save and restore it
  State& state() { return state_; }

 private:
  static constexpr std::int64_t kEnough = 3;

  State state_;
};

inline std::optional<Duration> Training::first_progress(Duration since, std::int64_t done) {
  const Duration before = since - state_.tests_before;
  state_.done_before = done;
  if (before < Duration::zero()) return {};
  if (done <= 0) return before;
  state_.until_progress = before;
  return {};
}

inline std::optional<Duration> Training::startup_by(Duration step_time) {
  if (!state_.until_progress) return {};
  const Duration startup = *state_.until_progress - step_time * state_.done_before;
  state_.until_progress.reset();
  return std::max(Duration::zero(), startup);
}

inline void Training::measured_window(bool with_snapshot) {
  state_.paced = state_.paced || !with_snapshot;
  state_.by_lines = true;
}

}  // namespace etad::track
