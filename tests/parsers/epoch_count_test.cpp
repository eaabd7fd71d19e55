// Epochs alone: which iteration of a run a line of progress shows, and what is remembered from epoch to epoch.
#include "parsers/training/epoch_count.h"
#include "parsers/training/line_numbers.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/parsers/hand_log.h"

namespace etad::track {
namespace {

using namespace std::chrono_literals;
using test::hand_instant;

Event progress(test::Values values) {
  return test::hand_event({}, EventKind::progress, values);
}

Event batch(std::string_view epoch, std::string_view batch) {
  return progress({{Field::epoch, epoch}, {Field::batch, batch}});
}

TEST(EpochCount, MultipliesEpochsOutFromTheFirstNumberDisplayed) {
  EpochCount from_one;
  EXPECT_EQ(from_one.place_of(batch("1", "20"), 100, 0)->iteration, 20);
  EXPECT_EQ(from_one.place_of(batch("3", "5"), 100, 20)->iteration, 205);
  EpochCount from_zero;
  EXPECT_EQ(from_zero.place_of(batch("0", "20"), 100, 0)->iteration, 20);
  EXPECT_EQ(from_zero.place_of(batch("3", "5"), 100, 20)->iteration, 305);
}

TEST(EpochCount, WhatAHostileLogCountsStaysACount) {
  EpochCount bars;
  for (int i = 0; i < 20; ++i)
    for (const char* step : {"1", "1000000000000"})
      EXPECT_LE(bars.place_of(progress({{Field::iteration, step}, {Field::since, "epoch"}}), 0, 0)->iteration,
                kMaxCount);
  EpochCount batches;
  std::int64_t done = 0;
  for (int epoch = 0; epoch < 20; ++epoch)
    for (const char* each : {"1", "1000000000000"}) {
      done = batches.place_of(batch(std::to_string(epoch), each), 0, done)->iteration;
      EXPECT_LE(done, kMaxCount);
    }
}

TEST(EpochCount, OutOfATotalTheFirstOneDisplayedIsCountedFromOne) {
  EpochCount epochs;
  const auto shown = [&epochs](std::string_view epoch) {
    return epochs
        .place_of(
            progress(
                {{Field::epoch, epoch}, {Field::epochs, "50"}, {Field::batch, "5"}, {Field::batches, "833"}}),
            0, 0)
        ->iteration;
  };
  EXPECT_EQ(shown("2"), 838) << "the log begins in the second epoch";
  EXPECT_EQ(shown("50"), 49 * 833 + 5);
}

// nanoVLM shows a line an epoch, and its steps are the run's. Where the first epoch shown is not number 0, an epoch may
// hold fewer steps than lie between two lines, and twice as many say nothing.
TEST(EpochCount, TwiceAsManyAtTheEndOfTheSecondEpochAreTheRuns) {
  const auto placed = [](const std::vector<std::pair<std::string, std::string>>& lines) {
    EpochCount epochs;
    std::int64_t last = 0;
    for (const auto& [epoch, done] : lines)
      last = epochs
                 .place_of(progress({{Field::epoch, epoch}, {Field::batch, done}, {Field::batches, "9000"}}),
                           0, 0)
                 ->iteration;
    return last;
  };
  EXPECT_EQ(placed({{"0", "510"}, {"1", "1020"}}), 1020);
  EXPECT_EQ(placed({{"0", "510"}, {"1", "1022"}, {"2", "1530"}, {"3", "2041"}}), 2041);
  EXPECT_EQ(placed({{"0", "510"}, {"1", "510"}}), 9510) << "they begin again";
  EXPECT_EQ(placed({{"1", "100"}, {"2", "200"}}), 9200) << "a line every 9,100 steps";
}

TEST(EpochCount, TheLinesOwnLengthOfAnEpochWinsAndIsRemembered) {
  EpochCount epochs;
  const Event event = progress({{Field::epoch, "1"}, {Field::batch, "7"}, {Field::batches, "50"}});
  EXPECT_EQ(epochs.place_of(event, 100, 0)->iteration, 7);
  EXPECT_EQ(epochs.steps, 50);
  EXPECT_FALSE(epochs.place_of(progress({{Field::loss, "0.5"}}), 100, 0)) << "it counts nothing";
}

TEST(EpochCount, ABarThatGoesBeyondItsTotalTellsHowLongAllEpochsAre) {
  EpochCount epochs;
  const auto of_total = [&](std::string_view epoch, std::string_view batch) {
    return epochs.place_of(
        progress(
            {{Field::epoch, epoch}, {Field::epochs, "4"}, {Field::batch, batch}, {Field::batches, "14"}}),
        0, 0);
  };
  const auto beyond = [&](std::string_view epoch, std::string_view batch) {
    return epochs.place_of(progress({{Field::epoch, epoch}, {Field::epochs, "4"}, {Field::batch, batch}}), 14,
                           0);
  };
  EXPECT_EQ(of_total("1", "14")->iteration, 14);
  EXPECT_EQ(beyond("1", "15")->iteration, 15);
  EXPECT_EQ(beyond("1", "16")->planned, 64);
  EXPECT_EQ(of_total("2", "1")->iteration, 17);
  EXPECT_EQ(of_total("2", "14")->iteration, 30);
  EXPECT_EQ(beyond("2", "16")->iteration, 32);
}

TEST(EpochCount, OfEpochsOfUnknownLengthCountsOnBehindWhatWasDisplayed) {
  EpochCount epochs;
  EXPECT_EQ(epochs.place_of(batch("0", "40"), 0, 0)->iteration, 40);
  const auto next = epochs.place_of(batch("1", "10"), 0, 40);
  EXPECT_EQ(next->iteration, 50);
  EXPECT_TRUE(next->gap) << "how many batches were not displayed nobody knows";
  const auto after = epochs.place_of(batch("1", "20"), 0, 50);
  EXPECT_EQ(after->iteration, 60);
  EXPECT_FALSE(after->gap);
  EXPECT_EQ(epochs.place_of(batch("0", "30"), 0, 60)->iteration, 30) << "counted from the beginning again";
}

TEST(EpochCount, BatchesThatDoNotStartAgainAreTheRunsIterations) {
  EpochCount epochs;
  EXPECT_EQ(epochs.place_of(batch("0", "40"), 0, 0)->iteration, 40);
  const auto next = epochs.place_of(batch("1", "50"), 0, 40);
  EXPECT_EQ(next->iteration, 50);
  EXPECT_FALSE(next->gap);
}

TEST(EpochCount, ABarThatBeginsAgainWhereOneWasNearlyFullCountsOn) {
  const auto bar = [](std::string_view shown) {
    return progress({{Field::iteration, shown}, {Field::max_iter, "100"}, {Field::since, "epoch"}});
  };
  EpochCount epochs;
  EXPECT_EQ(epochs.place_of(bar("95"), 0, 0)->iteration, 95);
  const auto next = epochs.place_of(bar("3"), 0, 95);
  EXPECT_EQ(next->iteration, 103);
  EXPECT_EQ(next->planned, 200);
  EXPECT_TRUE(next->gap);
  EXPECT_EQ(epochs.done_in_epochs_over, 100);
  EpochCount early;
  early.place_of(bar("40"), 0, 0);
  EXPECT_EQ(early.place_of(bar("3"), 0, 40)->iteration, 3) << "40 of 100 was no end of an epoch";
}

TEST(EpochCount, AMeanStepTimeOfTheEpochCountsItsBatchesAndTheirRounding) {
  const auto line = [](std::string_view at) {
    return progress(
        {{Field::epoch, "2"}, {Field::batch, at}, {Field::seconds, "0.50"}, {Field::since, "epoch"}});
  };
  EpochCount from_zero;
  const auto elapsed = from_zero.elapsed(line("9"));
  EXPECT_DOUBLE_EQ(elapsed->seconds, 5) << "batch 9 is the tenth";
  EXPECT_NEAR(elapsed->error, 0.05, 1e-9);
  EXPECT_EQ(elapsed->epoch, 2);
  EpochCount from_one;
  from_one.elapsed(line("1"));
  EXPECT_TRUE(from_one.counts_batches_from_one());
  EXPECT_DOUBLE_EQ(from_one.elapsed(line("10"))->seconds, 5);
}

TEST(EpochCount, ATimeSinceTheStartIsOfNoEpoch) {
  EpochCount epochs;
  const auto elapsed = epochs.elapsed(progress({{Field::elapsed, "12.5"}}));
  EXPECT_DOUBLE_EQ(elapsed->seconds, 12.5);
  EXPECT_NEAR(elapsed->error, 0.05, 1e-9);
  EXPECT_FALSE(elapsed->epoch);
  EXPECT_FALSE(epochs.elapsed(progress({{Field::iteration, "5"}})));
}

TEST(EpochCount, AnAnnouncementIsSaidAgainOnlyWhenTheEpochIsOver) {
  EpochCount epochs;
  EXPECT_FALSE(epochs.announces_again(1, {})) << "nothing was announced";
  epochs.announce(2);
  EXPECT_FALSE(epochs.announces_again(2, {})) << "another process says the same";
  EXPECT_TRUE(epochs.announces_again(1, {}));
  EXPECT_FALSE(epochs.announces_again(3, {}));
  EXPECT_TRUE(epochs.end_announced());
  EXPECT_FALSE(epochs.end_announced()) << "it has ended already";
  EXPECT_TRUE(epochs.announces_again(2, {}));
}

TEST(EpochCount, WhatIsLeftOfAnEpochNeedsItsLength) {
  EpochCount epochs;
  EXPECT_FALSE(epochs.left_of(250));
  epochs.steps = 100;
  EXPECT_EQ(epochs.left_of(250), 50);
  EXPECT_EQ(epochs.left_of(200), 0);
}

TEST(EpochCount, RemembersTheShortestOfThoseMeasured) {
  EpochCount epochs;
  EXPECT_FALSE(epochs.shortest.has_value());
  EXPECT_FALSE(epochs.is_far_shorter(1s)) << "than nothing";
  epochs.measured(2, 10s);
  epochs.measured(3, 12s);
  EXPECT_TRUE(epochs.shortest.has_value());
  EXPECT_TRUE(epochs.is_far_shorter(4s));
  EXPECT_FALSE(epochs.is_far_shorter(5s)) << "half of the shortest";
  EXPECT_TRUE(epochs.was_measured_last(3));
  EXPECT_FALSE(epochs.was_measured_last(2));
  EXPECT_FALSE(epochs.was_measured_last({}));
  EXPECT_TRUE(epochs.has_measured_after(2));
  EXPECT_FALSE(epochs.has_measured_after(3));
}

}  // namespace
}  // namespace etad::track
