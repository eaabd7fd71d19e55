// What the log says of runs, however many of them a user's logs begin.
#include "daemon/run_messages.h"

#include <gmock/gmock.h>

namespace etad {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class RunMessagesTest : public testing::Test {
 protected:
  void tell(std::int64_t owner, std::chrono::seconds at) {
    RunRow row;
    row.owner = owner;
    const prediction::RunForecast forecast;
    messages_.tell({RunEventKind::begun, row, forecast, "run of user " + std::to_string(owner)},
                   MessageLimit::Time(std::chrono::hours(1000)) + at);
  }

  std::vector<std::string> told_, left_out_;
  RunMessages messages_{[this](const RunEvent& event) { told_.push_back(event.message); },
                        [this](const std::string& text) { left_out_.push_back(text); }};
};

TEST_F(RunMessagesTest, OfOneUserThereAreSoManyAMinuteAndAnothersAreTold) {
  for (int i = 0; i < 1000; ++i) tell(1001, std::chrono::seconds(i % 50));
  EXPECT_THAT(told_, SizeIs(RunMessages::kMostAMinute));
  told_.clear();
  tell(1002, std::chrono::seconds(50));
  EXPECT_THAT(told_, ElementsAre("run of user 1002"));
  EXPECT_THAT(left_out_, SizeIs(0));
}

TEST_F(RunMessagesTest, HowManyWereLeftOutIsToldWithTheNext) {
  for (int i = 0; i < 1000; ++i) tell(1001, {});
  told_.clear();
  tell(1001, std::chrono::seconds(61));
  EXPECT_THAT(left_out_,
              ElementsAre("760 messages about runs of user 1001 were left out: `etactl runs` tells all"));
  EXPECT_THAT(told_, SizeIs(1));
}

TEST_F(RunMessagesTest, HowManyWereLeftOutIsToldAlsoWhereNoMoreCome) {
  for (int i = 0; i < 1000; ++i) tell(1001, {});
  const MessageLimit::Time begin(std::chrono::hours(1000));
  messages_.tell_left_out(begin + std::chrono::seconds(59));
  EXPECT_THAT(left_out_, SizeIs(0));
  messages_.tell_left_out(begin + std::chrono::seconds(61));
  messages_.tell_left_out(begin + std::chrono::seconds(122));
  EXPECT_THAT(left_out_,
              ElementsAre("760 messages about runs of user 1001 were left out: `etactl runs` tells all"));
}

}  // namespace
}  // namespace etad
