#include "daemon/without_throwing.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace etad {
namespace {

// As a change of the history, behind which logs are followed again whatever came of it.
TEST(WithoutThrowing, WhatIsThrownIsAFailure) {
  const auto defect = without_throwing([]() -> Result<void> { throw std::runtime_error("a defect"); });
  ASSERT_FALSE(defect);
  EXPECT_EQ(defect.error().text(), "unexpectedly: a defect");
  EXPECT_EQ(defect.error().kind, ErrorKind::internal);
  const auto memory = without_throwing([]() -> Result<void> { throw std::bad_alloc(); });
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().kind, ErrorKind::unavailable);
  EXPECT_EQ(without_throwing([]() -> Result<int> { return 3; }).value(), 3);
}

}  // namespace
}  // namespace etad
