// A test phase alone: which batches a line shows to be done, and how long they took.
#include "parsers/training/test_phase.h"

#include <gtest/gtest.h>

#include "tests/parsers/hand_log.h"

namespace etad::track {
namespace {

using namespace std::chrono_literals;
using test::hand_instant;

TestPhase opened(std::int64_t announced, std::optional<double> since = 0, std::int64_t net = 0) {
  TestPhase out;
  out.iteration = 100;
  out.net = net;
  out.announced = announced;
  if (since) out.since = hand_instant(*since);
  return out;
}

Event batch(std::string_view number, test::Values more = {}) {
  std::vector<std::pair<Field, std::string_view>> values = {{Field::batch, number}};
  values.insert(values.end(), more.begin(), more.end());
  return test::hand_event({}, EventKind::progress, values);
}

TEST(TestPhase, AnAnnouncementIsNoTestYetUntilItsNetBegins) {
  TestPhase phase = opened(50, 0, 1);
  EXPECT_TRUE(phase.is_clocked());
  EXPECT_FALSE(phase.is_announcement_of(0)) << "of another net";
  EXPECT_TRUE(phase.is_announcement_of(1));
  TestPhase begun = opened(50);
  ASSERT_TRUE(begun.batches_shown(batch("1"), false));
  EXPECT_FALSE(begun.is_announcement_of(0)) << "it shows batches: it had begun";
  EXPECT_FALSE(opened(50, {}).is_clocked());
}

TEST(TestPhase, WhoseBatchesAreNotShownEndsWithTheLastOfItsResults) {
  TestPhase phase = opened(0);
  EXPECT_FALSE(phase.end_before(hand_instant(90)));
  phase.tell_result(hand_instant(40));
  phase.tell_result(hand_instant(45));
  EXPECT_EQ(phase.end_before(hand_instant(90)), hand_instant(45));
  TestPhase undated = opened(0, {});
  undated.tell_result(hand_instant(40));
  EXPECT_FALSE(undated.end_before(hand_instant(90)));
}

TEST(TestPhase, CountsBatchesFromTheNumberOfTheFirst) {
  TestPhase from_zero = opened(10);
  EXPECT_EQ(from_zero.batches_shown(batch("0"), false), 1);
  from_zero.display(1, {});
  EXPECT_FALSE(from_zero.batches_shown(batch("0"), false)) << "another value of the same batch";
  EXPECT_EQ(from_zero.batches_shown(batch("9"), false), 10);
  TestPhase from_one = opened(10);
  EXPECT_EQ(from_one.batches_shown(batch("1"), false), 1);
  EXPECT_EQ(from_one.batches_shown(batch("10"), false), 10);
  EXPECT_EQ(opened(10).batches_shown(batch("5"), true), 5) << "as the training's batches do";
  EXPECT_EQ(opened(10).batches_shown(batch("5"), false), 6);
  EXPECT_EQ(opened(5).batches_shown(batch("5"), false), 5) << "no more than there are";
}

TEST(TestPhase, AFirstBatchBehindMostOfThemIsAnotherTests) {
  TestPhase phase = opened(10);
  phase.display(5, {});
  EXPECT_FALSE(phase.is_followed_by(0)) << "half of it only";
  phase.display(8, {});
  EXPECT_TRUE(phase.is_followed_by(0));
  EXPECT_TRUE(phase.is_followed_by(1));
  EXPECT_FALSE(phase.is_followed_by(9));
}

TEST(TestPhase, BatchesTakeTheTimeBetweenTheirLines) {
  TestPhase phase = opened(10);
  const auto first = phase.since_last(hand_instant(10), 5, false);
  EXPECT_EQ(first->first, 100) << "the iteration of the training";
  EXPECT_EQ(first->count, 5);
  EXPECT_EQ(first->took, 10s);
  EXPECT_EQ(first->since, hand_instant(0));
  phase.display(5, hand_instant(10));
  const auto next = phase.since_last(hand_instant(18), 9, true);
  EXPECT_EQ(next->first, 5) << "a testing job counts its own";
  EXPECT_EQ(next->count, 4);
  EXPECT_EQ(next->took, 8s);
  EXPECT_FALSE(phase.since_last({}, 9, true));
  EXPECT_FALSE(opened(10, {}).since_last(hand_instant(10), 5, false)) << "nobody saw it begin";
}

TEST(TestPhase, AStatedMeanGivesTheBatchesOnceAndTheirBeginning) {
  const auto line = [](std::string_view seconds) {
    return batch("20", {{Field::seconds, seconds}, {Field::since, "epoch"}});
  };
  TestPhase phase = opened(100);
  phase.take_mean(line("0.50"), hand_instant(20), 20);
  phase.display(20, hand_instant(20));
  EXPECT_TRUE(phase.states_mean());
  const auto given = phase.take_stated(false);
  ASSERT_TRUE(given);
  EXPECT_EQ(given->count, 20);
  EXPECT_EQ(given->took, 10s);
  EXPECT_EQ(given->since, hand_instant(10));
  EXPECT_FALSE(phase.take_stated(false)) << "they were given";
  phase.take_mean(line("0.50"), hand_instant(30), 40);
  phase.display(40, hand_instant(30));
  const auto more = phase.take_stated(false);
  ASSERT_TRUE(more);
  EXPECT_EQ(more->count, 20);
  EXPECT_EQ(more->took, 10s);
  EXPECT_FALSE(more->since);
}

TEST(TestPhase, AMeanThatIsRoundedTooMuchOrOfOneOfManyGivesNothing) {
  const auto line = [](std::string_view seconds) {
    return batch("20", {{Field::seconds, seconds}, {Field::since, "epoch"}});
  };
  TestPhase coarse = opened(100);
  coarse.take_mean(line("0.5"), {}, 20);
  coarse.display(20, {});
  EXPECT_FALSE(coarse.take_stated(false)) << "0.5 is 0.45 to 0.55";
  TestPhase alone = opened(100);
  alone.take_mean(line("0.500"), {}, 1);
  alone.display(1, {});
  EXPECT_FALSE(alone.take_stated(false)) << "the first waited for the data";
}

TEST(TestPhase, ATrainingThatGoesOnBesideItWaitedUntilThenOnce) {
  TestPhase phase = opened(10);
  EXPECT_FALSE(phase.go_on_beside({}));
  EXPECT_EQ(phase.go_on_beside(hand_instant(10)), 10s);
  EXPECT_FALSE(phase.go_on_beside(hand_instant(20)));
}

TEST(TestPhase, ALineBehindItShowsItsEndOnlyWhereItShowedItsBatches) {
  TestPhase phase = opened(10);
  EXPECT_FALSE(phase.end_before(hand_instant(30)));
  phase.batches_shown(batch("1"), false);
  EXPECT_EQ(phase.end_before(hand_instant(30)), hand_instant(30));
}

}  // namespace
}  // namespace etad::track
