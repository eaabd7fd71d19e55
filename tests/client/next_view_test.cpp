#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "daemon/client/views.h"

namespace etad::client {
namespace {

TEST(NextView, ARowARunInTheOrderToMakeThem) {
  const Object answer =
      boost::json::parse(R"({"network":"LeNet","host":"gpu1","device":"K80","phase":"train","runs":[
    {"batch_size":256,"devices":1,"iterations":551,"seconds":60.1,
     "half_width_before_percent":18.4,"half_width_after_percent":15.2}]})")
          .as_object();
  const std::string text = next_text(answer, {});
  EXPECT_NE(text.find("256"), std::string::npos) << text;
  EXPECT_NE(text.find("± 18.4 %"), std::string::npos) << text;
  EXPECT_NE(text.find("± 15.2 %"), std::string::npos) << text;
  EXPECT_NE(text.find("LeNet, train, on K80 of gpu1"), std::string::npos) << text;
}

TEST(NextView, SaysNoHostThatIsNotKnown) {
  const std::string text = next_text(
      boost::json::parse(R"({"network":"LeNet","host":"","device":"CPU","phase":"train","runs":[{}]})")
          .as_object(),
      {});
  EXPECT_NE(text.find("LeNet, train, on CPU; in"), std::string::npos) << text;
}

TEST(NextView, NothingWorthARunIsSaid) {
  const Object none = boost::json::parse(R"({"runs":[]})").as_object();
  EXPECT_EQ(next_text(none, {}), "No further run would narrow the estimates by a hundredth.\n");
  EXPECT_EQ(next_within_text(none, {}),
            "No run within the budget would narrow the estimates by a hundredth.\n");
}

}  // namespace
}  // namespace etad::client
