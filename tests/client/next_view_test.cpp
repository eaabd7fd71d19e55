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

TEST(NextView, NothingWorthARunIsSaid) {
  EXPECT_NE(next_text(boost::json::parse(R"({"runs":[]})").as_object(), {}).find("no run"),
            std::string::npos);
}

}  // namespace
}  // namespace etad::client
