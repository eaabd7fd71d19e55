// A window of training alone, and what is known of the training beside it.
#include "parsers/training/training_window.h"

#include <gtest/gtest.h>

#include "parsers/training/training_progress.h"
#include "tests/parsers/hand_log.h"

namespace etad::track {
namespace {

using namespace std::chrono_literals;
using test::hand_instant;

// A displayed iteration whose line shows its time.
Anchor shown(std::int64_t iteration, double seconds) {
  Anchor out;
  out.iteration = iteration;
  out.at = hand_instant(seconds);
  out.dated = true;
  return out;
}

std::optional<Duration> time_of(Window& window, const Statement& said, const Anchor& to) {
  Duration took{};
  return window.training_time(said, to, took) ? std::optional(took) : std::nullopt;
}

Segment tested(Duration took) {
  return {Phase::test, 0, 10, 8, took, {}};
}

TEST(TrainingWindow, IsTheDifferenceOfTwoTimesLessTheTests) {
  Window window;
  EXPECT_FALSE(window.from);
  window.begin(shown(100, 0.5));
  window.test_time += 10s;
  EXPECT_EQ(time_of(window, {}, shown(200, 100.5)), 90s);
}

TEST(TrainingWindow, AnHourThatTheClockWasSetIsNeitherTrainingNorTest) {
  Window window;
  window.begin(shown(100, 0.5));
  window.held_tests.push_back(tested(3610s));  // the clock was set while it tested
  window.test_time += 3610s;
  const Statement said{100s, true, true};
  EXPECT_EQ(time_of(window, said, shown(200, 3700.5)), 90s);
  const auto held = window.held_tests;
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0].duration, 10s);
}

TEST(TrainingWindow, TheLogsWordCountsWhereTheClockShowsWholeSecondsOnly) {
  const Statement said{99'600ms, true, false};
  Window whole;
  whole.begin(shown(100, 0));
  EXPECT_EQ(time_of(whole, said, shown(200, 100)), 99'600ms);
  Window finer;
  finer.begin(shown(100, 0.25));
  EXPECT_EQ(time_of(finer, said, shown(200, 100.25)), 100s);
}

TEST(TrainingWindow, LinesDatedByTheirArrivalGiveWayToAMeasurement) {
  Anchor from = shown(100, 0.5), to = shown(200, 130.5);
  from.dated = to.dated = false;
  Window window;
  window.begin(from);
  EXPECT_EQ(time_of(window, Statement{100s, true, true}, to), 100s);
  EXPECT_EQ(time_of(window, {}, to), 130s) << "where nothing better is said";
}

TEST(TrainingWindow, AcrossAGapOnlyWhatIsSaidOfItsStepsCounts) {
  Window window;
  window.begin(shown(100, 0));
  window.holds_unknown_gap = true;
  EXPECT_FALSE(time_of(window, {}, shown(200, 100)));
  EXPECT_FALSE(time_of(window, Statement{80s, true, true}, shown(200, 100)));
  EXPECT_EQ(time_of(window, Statement{80s, false, false}, shown(200, 100)), 80s);
  window.begin(shown(200, 100));
  EXPECT_FALSE(window.holds_unknown_gap) << "the next window has none";
}

TEST(TrainingWindow, BeginsWithNothingInIt) {
  Window window;
  window.begin(shown(100, 0));
  window.held_tests.push_back(tested(5s));
  window.test_time += 5s;
  window.begin_snapshot(150, hand_instant(50));
  window.end_snapshot(hand_instant(52));
  window.begin(shown(200, 100));
  EXPECT_TRUE(window.held_tests.empty());
  EXPECT_EQ(window.test_time, 0s);
  EXPECT_FALSE(window.snapshots > 0);
  EXPECT_EQ(window.saved, 0s);
  EXPECT_EQ(window.from->iteration, 200);
}

TEST(TrainingWindow, HoldsNoMoreTestsThanItMay) {
  Window window;
  while (window.can_hold()) window.held_tests.push_back(tested(1s));
  EXPECT_EQ(window.held_tests.size(), kMaxHeldTests);
}

TEST(TrainingWindow, ASnapshotLastsUntilALineShowsItsEnd) {
  Window window;
  window.begin(shown(0, 0));
  EXPECT_TRUE(window.begin_snapshot(100, hand_instant(50)));
  EXPECT_FALSE(window.begin_snapshot(100, hand_instant(51))) << "another file of it";
  window.end_snapshot_by_test(100, hand_instant(53));
  EXPECT_EQ(window.saved, 3s);
  EXPECT_FALSE(window.holds_unended_snapshot);
  window.end_snapshot(hand_instant(60));  // none is under way
  EXPECT_EQ(window.saved, 3s);
  window.begin_snapshot(200, hand_instant(80));
  window.end_snapshot_by_test(150, hand_instant(90));
  EXPECT_TRUE(window.holds_unended_snapshot) << "a test at another iteration tells nothing of its end";
  EXPECT_EQ(window.saved, 3s);
}

TEST(TrainingWindow, ASnapshotWithoutATimeIsUnclocked) {
  Window window;
  window.begin(shown(0, 0));
  window.begin_snapshot(100, {});
  EXPECT_TRUE(window.snapshots > 0);
  EXPECT_TRUE(window.holds_unended_snapshot);
}

TEST(TrainingWindow, OfTheTimeUpToTheNextDisplayOneIterationIsNoSnapshot) {
  Window window;
  window.begin(shown(0, 1));
  window.begin_snapshot(100, hand_instant(100));
  window.see_line(hand_instant(102));
  window.end_snapshot_by_progress(shown(100, 105), 104s);
  EXPECT_EQ(window.saved, 4s) << "99 iterations took 99 s";
  Window full;
  full.begin(shown(0, 1));
  full.begin_snapshot(100, hand_instant(100));
  full.see_line(hand_instant(105));
  full.end_snapshot_by_progress(shown(100, 105), 104s);
  EXPECT_EQ(full.saved, 5s) << "its lines leave no room for an iteration";
  Window far;
  far.begin(shown(0, 1));
  far.begin_snapshot(100, hand_instant(100));
  far.end_snapshot_by_progress(shown(150, 160), 159s);
  EXPECT_TRUE(far.holds_unended_snapshot) << "fifty iterations were computed since";
}

// Six seconds and a half of steps, which lines state, and two between them: no clock was set. A single pause is none of it.
TEST(TrainingProgress, WhatStampsSayMoreLineAfterLineIsNoShiftOfTheClock) {
  Training training;
  const Statement said{6500ms, false, false};
  const auto took = [&](double until) {
    Window window;
    window.begin(shown(100, 0));
    Duration out{};
    window.training_time(said, shown(110, until), out, training.usual_more(said.took));
    training.see_stamps(said.took, from_seconds(until));
    return out;
  };
  for (int i = 0; i < 30; ++i) EXPECT_EQ(took(i == 20 ? 10 : 6.75), i == 20 ? 6500ms : 6750ms);
  for (int i = 0; i < 30; ++i) took(8.5);
  EXPECT_EQ(took(9), 9s);
  EXPECT_EQ(took(7.25), 7250ms);
  EXPECT_EQ(took(3600), 6500ms);
}

TEST(TrainingProgress, TheStartUpIsTheTimeToTheFirstIterationWithoutTests) {
  Training training;
  training.tests_before += 5s;
  EXPECT_EQ(training.first_progress(20s, 0), 15s);
  EXPECT_FALSE(training.until_progress.has_value());
  Training impossible;
  impossible.tests_before += 30s;
  EXPECT_FALSE(impossible.first_progress(20s, 0)) << "the clock was set";
}

TEST(TrainingProgress, IterationsInTheStartUpAreTakenOutAtTheFirstStepTime) {
  Training training;
  EXPECT_FALSE(training.first_progress(20s, 10));
  EXPECT_TRUE(training.until_progress.has_value());
  EXPECT_EQ(training.startup_by(1s), 10s);
  EXPECT_FALSE(training.startup_by(1s)) << "once";
  Training slow;
  slow.first_progress(20s, 10);
  EXPECT_EQ(slow.startup_by(3s), 0s) << "never less than nothing";
  Training endless;
  endless.first_progress(20s, std::int64_t{1} << 62U);
  EXPECT_EQ(endless.startup_by(4s), 0s) << "the product of both overflows to 0";
}

TEST(TrainingProgress, StepsTooShortForTheClockTakeNothingOfTheStartUp) {
  Training training;
  training.first_progress(20s, 10);
  EXPECT_EQ(training.startup_by(0s), 20s);
}

}  // namespace
}  // namespace etad::track
