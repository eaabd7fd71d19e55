// Names as people mistype them.
#include "parsers/base/suggest.h"

#include <gtest/gtest.h>

namespace etad::prediction {
namespace {

TEST(EditDistance, CountsSlips) {
  EXPECT_EQ(edit_distance("LeNet", "lenet"), 0U);
  EXPECT_EQ(edit_distance("LeNet", "LNet"), 1U);
  EXPECT_EQ(edit_distance("LeNet", "LNeet"), 1U);  // two letters swapped
  EXPECT_EQ(edit_distance("", "abc"), 3U);
}

TEST(NearNames, AreTheNearestFirstAndNoneAtAllWhereNoneIsNear) {
  EXPECT_EQ(near_names("alexnet", {"AlexNet_v2", "LeNet", "AlexNet", "ResNet50"}),
            (std::vector<std::string>{"AlexNet", "LeNet", "AlexNet_v2"}));
  EXPECT_TRUE(near_names("transformer", {"LeNet", "VGG"}).empty());
  EXPECT_TRUE(near_names("", {"LeNet"}).empty());
  EXPECT_EQ(near_names("net", {"net1", "net2", "net3"}, 2).size(), 2U);
}

}  // namespace
}  // namespace etad::prediction
