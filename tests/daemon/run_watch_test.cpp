#include "daemon/run_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/service/fixtures.h"

namespace etad {
namespace {

using service::testing::kNow;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Watched : public testing::Test {
 protected:
  Watched() {
    row_.id = 12;
    row_.source = "/var/log/lenet.log";
    row_.source_kind = "file";
    row_.run = service::testing::lenet(0, RunState::running, kNow - minutes{5});
    row_.run.ended_at = kNow;
  }

  // What was told since the last call.
  std::vector<std::string> told() { return std::exchange(told_, {}); }
  void pass(seconds time) { steady_ += time; }
  void look(bool stalled, double slowdown = 0) {
    prediction::RunForecast forecast;
    forecast.stalled = stalled;
    forecast.silence = 720;
    if (slowdown > 0) {
      auto& anomaly = forecast.anomaly.emplace();
      anomaly.since_iteration = 200;
      anomaly.slowdown = slowdown;
      anomaly.lost_seconds = 97;
    }
    watch_.running(row_, forecast, std::exchange(first_, false));
  }
  void end(RunState state, bool seen = true, Instant now = kNow) {
    row_.run.state = state;
    watch_.over(row_, seen, now);
  }

  RunRow row_;
  bool first_ = true;
  std::optional<Instant> modified_;
  RunWatch::Steady steady_{hours{1}};
  std::vector<std::string> told_;
  RunWatch watch_{[this](const RunEvent& event) {
                    told_.push_back(std::string(name_of(event.kind)) + ": " + event.message);
                  },
                  [this] { return steady_; }, [this](const std::string&) { return modified_; }};
};

TEST_F(Watched, AHangIsToldOnceWhenItHasLastedAndWhenItIsOver) {
  look(false);
  EXPECT_THAT(told(), ElementsAre("begun: run 12 of LeNet is running at iteration 200 of 1000"));
  look(true);
  EXPECT_THAT(told(), IsEmpty()) << "it may be over in a moment";
  pass(RunWatch::kConfirm);
  look(true);
  look(true);
  EXPECT_THAT(told(),
              ElementsAre("stalled: run 12 of LeNet may hang: silent for 12 min at iteration 200 of 1000"));
  look(false);
  EXPECT_THAT(told(), ElementsAre("recovered: run 12 of LeNet goes on as usual at iteration 200 of 1000"));
}

TEST_F(Watched, ARunThatWasCrowdedOutAndComesBackHasBegunOnce) {
  look(false);
  EXPECT_THAT(told(), ElementsAre(HasSubstr("begun")));
  watch_.let_go(row_.id);
  first_ = true;
  look(false);
  EXPECT_THAT(told(), IsEmpty());
  watch_.forget(row_.id);
  first_ = true;
  look(false);
  EXPECT_THAT(told(), ElementsAre(HasSubstr("begun"))) << "another bears its id";
}

TEST_F(Watched, WhatIsKnownOfARunGoesWithIt) {
  look(true);
  watch_.let_go(row_.id);
  pass(RunWatch::kConfirm);
  told();
  look(true);
  EXPECT_THAT(told(), IsEmpty()) << "the silence is seen for the first time";
}

TEST_F(Watched, WhatComesAndGoesIsNotToldEachTime) {
  look(false);
  told();
  int hangs = 0;
  for (int i = 0; i < 60; ++i) {
    look(true);
    pass(RunWatch::kConfirm);
    look(true);
    pass(seconds{20});
    look(false);
  }
  for (const std::string& each : told()) hangs += each.starts_with("stalled") ? 1 : 0;
  EXPECT_EQ(hangs, 1) << "within half an hour";
}

TEST_F(Watched, ALogThatIsCaughtUpWithHangsNowhere) {
  for (int i = 0; i < 20; ++i) {
    *row_.run.ended_at += seconds{30};  // old lines, but new ones
    look(true);
    pass(seconds{5});
  }
  EXPECT_THAT(told(), ElementsAre(HasSubstr("begun")));
}

TEST_F(Watched, ASlowRunIsToldWithItsSlowdown) {
  look(false, 2.1);
  pass(RunWatch::kConfirm);
  look(false, 2.1);
  const auto all = told();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1],
            "slow: run 12 of LeNet is 2.1 times as slow as usual since iteration 200: at iteration 200 of "
            "1000, 97 s "
            "lost so far");
}

TEST_F(Watched, TheEndIsToldWithItsReason) {
  row_.run.message = "out of memory";
  end(RunState::failed);
  EXPECT_THAT(told(), ElementsAre("failed: run 12 of LeNet failed at iteration 200 of 1000: out of memory"));
  end(RunState::lost);
  EXPECT_THAT(told(), ElementsAre(HasSubstr("lost: ")));
}

TEST_F(Watched, AFailureBetweenTwoLooksIsNewsAndOneInAnOldLogIsNot) {
  end(RunState::failed, false, kNow + minutes{1});
  EXPECT_EQ(told().size(), 1U);
  end(RunState::failed, false, kNow + hours{48});
  EXPECT_THAT(told(), IsEmpty());
  modified_ = kNow + hours{48} - seconds{1};  // a log that was only now written, with old times in it
  row_.run.ordinal = 1;
  end(RunState::failed, false, kNow + hours{48});
  EXPECT_EQ(told().size(), 1U);
}

TEST_F(Watched, ALogThatIsReadAgainFailsOnce) {
  end(RunState::failed);
  told();
  row_.id = 13;
  end(RunState::failed, false);
  EXPECT_THAT(told(), IsEmpty());
  row_.run.ordinal = 1;
  end(RunState::failed, false);
  EXPECT_EQ(told().size(), 1U) << "another run of that log";
}

TEST_F(Watched, ImportsAreNobodysTrouble) {
  row_.source_kind = "import";
  look(true);
  pass(RunWatch::kConfirm);
  look(true);
  end(RunState::failed);
  EXPECT_THAT(told(), IsEmpty());
}

}  // namespace
}  // namespace etad
