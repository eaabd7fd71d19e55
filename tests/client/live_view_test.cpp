// The live view on a screen that is too low for it.
#include <gtest/gtest.h>

#include <sstream>

#include "daemon/client/views.h"

namespace etad::client {
namespace {

TEST(LiveText, SaysHowManyThereWasNoRoomForAndShowsTroubleFirst) {
  std::map<std::int64_t, LiveRun> runs;
  for (std::int64_t id = 1; id <= 9; ++id)
    runs[id].run =
        *object_in(R"({"network": "LeNet", "state": "running", "progress": {"iteration": 6, "of": 10}})");
  runs[2].run["stalled"] = true;
  const auto lines = [&](std::size_t height) {
    std::vector<std::string> out;
    std::istringstream text(live_text(runs, {80, false, height}));
    for (std::string line; std::getline(text, line);) out.push_back(line);
    return out;
  };
  const auto shown = lines(8);
  ASSERT_EQ(shown.size(), 7U);
  EXPECT_TRUE(shown[0].starts_with("   2  LeNet")) << shown[0];
  EXPECT_TRUE(shown[2].starts_with("   9  LeNet")) << shown[2];
  EXPECT_EQ(shown.back(), "and 6 more runs");
  EXPECT_EQ(lines(1), std::vector<std::string>{"and 9 more runs"});
  EXPECT_EQ(lines(18).size(), 18U) << "there is room for all";
  EXPECT_EQ(lines(17).back(), "and 1 more run");
  EXPECT_EQ(lines(0).size(), 18U);
}

}  // namespace
}  // namespace etad::client
