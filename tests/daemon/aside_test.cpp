// What main has done beside itself.
#include "daemon/aside.h"

#include <gtest/gtest.h>

#include <future>
#include <stdexcept>

namespace etad {
namespace {

TEST(Aside, WhoHasSomethingDoneDoesNotWaitForIt) {
  std::promise<void> go_on;
  int done = 0;
  Aside aside;
  ASSERT_TRUE(aside.begin([&] {
    go_on.get_future().wait();
    ++done;
  }));
  EXPECT_TRUE(aside.is_busy());
  EXPECT_FALSE(aside.begin([&] { done = 100; })) << "one thing at a time";
  go_on.set_value();
  aside.wait();
  EXPECT_FALSE(aside.is_busy());
  ASSERT_TRUE(aside.begin([&] { ++done; }));
  aside.wait();
  EXPECT_EQ(done, 2);
}

TEST(Aside, WhatFailsUnexpectedlyEndsNothingElse) {
  Aside aside;
  ASSERT_TRUE(aside.begin([] { throw std::runtime_error("a defect"); }));
  aside.wait();
  EXPECT_FALSE(aside.is_busy());
}

}  // namespace
}  // namespace etad
