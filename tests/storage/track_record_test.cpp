// Predictions are written once, scored once, and summed up.
#include <gmock/gmock.h>

#include "tests/storage/history_fixture.h"

namespace etad::test {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

PredictionRow predicted(std::int64_t run, PredictionKind kind, double fraction, double elapsed,
                        double seconds) {
  PredictionRow p;
  p.run_id = run;
  p.kind = kind;
  p.at_fraction = fraction;
  p.made_at = kNow;
  p.elapsed = elapsed;
  p.seconds = seconds;
  p.lower = 0.9 * seconds;
  p.upper = 1.1 * seconds;
  p.model_id = 3;
  p.basis = "c0 + n*c1";
  return p;
}

class TrackRecordTest : public HistoryTest {
 protected:
  AccuracyRow accuracy(std::optional<std::string> network, std::optional<PredictionKind> kind = {},
                       std::optional<double> fraction = {}) {
    for (const auto& row : must(reader().accuracy())) {
      if (row.network == network && row.kind == kind && row.at_fraction == fraction) return row;
    }
    return {};
  }
};

TEST_F(TrackRecordTest, APredictionIsScoredByWhatWasLeftWhenItWasMade) {
  commit(source_with_run("/a.log", 1));
  must(writer().put_predictions({predicted(1, PredictionKind::total, 0, 0, 95),
                                 predicted(1, PredictionKind::remaining, 0.25, 25, 60)}));
  EXPECT_FALSE(must(reader().predictions(1))[0].actual.has_value());
  EXPECT_EQ(accuracy({}).count, 0);

  must(writer().score_run(1, std::chrono::seconds(100)));
  const auto scored = must(reader().predictions(1));
  ASSERT_THAT(scored, SizeIs(2));
  EXPECT_EQ(scored[0].kind, PredictionKind::remaining);
  EXPECT_EQ(scored[0].actual, 75);
  EXPECT_DOUBLE_EQ(*scored[0].error_percent, -20);
  EXPECT_EQ(scored[0].covered, false);
  EXPECT_EQ(scored[1].actual, 100);
  EXPECT_DOUBLE_EQ(*scored[1].error_percent, -5);
  EXPECT_EQ(scored[1].covered, true);
  EXPECT_EQ(scored[1].model_id, 3);
  EXPECT_EQ(scored[1].basis, "c0 + n*c1");
}

TEST_F(TrackRecordTest, WhatIsOnRecordStays) {
  commit(source_with_run("/a.log", 1));
  must(writer().put_predictions({predicted(1, PredictionKind::total, 0, 0, 95)}));
  must(writer().put_predictions({predicted(1, PredictionKind::total, 0, 0, 100)}));
  must(writer().score_run(1, std::chrono::seconds(100)));
  must(writer().score_run(1, std::chrono::seconds(95)));
  const auto scored = must(reader().predictions(1));
  ASSERT_THAT(scored, SizeIs(1));
  EXPECT_EQ(scored[0].seconds, 95);
  EXPECT_EQ(scored[0].actual, 100);
}

TEST_F(TrackRecordTest, ARunThatEndsAsItIsPredictedHasNoErrorInPercent) {
  commit(source_with_run("/a.log", 1));
  must(writer().put_predictions({predicted(1, PredictionKind::remaining, 0.5, 100, 5)}));
  must(writer().score_run(1, std::chrono::seconds(100)));
  EXPECT_EQ(must(reader().predictions(1))[0].actual, 0);
  EXPECT_FALSE(must(reader().predictions(1))[0].error_percent.has_value());
  EXPECT_EQ(accuracy({}).count, 0);
}

TEST_F(TrackRecordTest, AnEndThatNobodyScoredIsFound) {
  etad::Run over = lenet();
  over.state = RunState::finished;
  for (int i = 0; i < 5; ++i) commit(source_with_run("/" + std::to_string(i), 1, i < 4 ? over : lenet()));
  for (const std::int64_t run : {1, 3, 4, 5}) {
    must(writer().put_predictions({predicted(run, PredictionKind::total, 0, 0, 95),
                                   predicted(run, PredictionKind::remaining, 0.25, 25, 60)}));
  }
  must(writer().score_run(3, std::chrono::seconds(100)));
  EXPECT_THAT(must(reader().unscored_runs(10)), ElementsAre(4, 1)) << "2 has none, 3 a score, 5 is running";
  must(writer().put_predictions({predicted(3, PredictionKind::remaining, 0.5, 50, 45)}));
  EXPECT_THAT(must(reader().unscored_runs(10)), ElementsAre(4, 3, 1)) << "one of them is enough";
  EXPECT_THAT(must(reader().unscored_runs(3)), ElementsAre(4, 3)) << "the newest three are 4, 3 and 2";
}

TEST_F(TrackRecordTest, AccuracyIsByNetworkAndOverall) {
  etad::Run other = lenet();
  other.network = "CaffeNet";
  for (int i = 0; i < 3; ++i) commit(source_with_run("/" + std::to_string(i), 1, i < 2 ? lenet() : other));
  const double seconds[] = {90, 105, 130};
  for (std::int64_t run = 1; run <= 3; ++run) {
    must(writer().put_predictions({predicted(run, PredictionKind::total, 0, 0, seconds[run - 1])}));
    must(writer().score_run(run, std::chrono::seconds(100)));
  }
  const auto all = accuracy({});
  EXPECT_EQ(all.count, 3);
  EXPECT_DOUBLE_EQ(all.mean_error_percent, 15);
  EXPECT_DOUBLE_EQ(all.median_error_percent, 10);
  EXPECT_NEAR(all.bias_percent, 25.0 / 3, 1e-9);
  EXPECT_NEAR(all.coverage, 1.0 / 3, 1e-9);
  const auto one = accuracy("LeNet", PredictionKind::total, 0);
  EXPECT_EQ(one.count, 2);
  EXPECT_DOUBLE_EQ(one.median_error_percent, 7.5);
  EXPECT_DOUBLE_EQ(one.bias_percent, -2.5);
  EXPECT_EQ(accuracy("CaffeNet").count, 1);
}

}  // namespace
}  // namespace etad::test
