// What the health names first, of many.
#include "daemon/health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace etad {
namespace {

TEST(HealthOf, OneUsersManyFoldersHideNoneOfAnothers) {
  auto lookup = std::make_shared<follow::Lookup>();
  for (int i = 0; i < 100; ++i)
    lookup->unreadable.push_back({"/a/" + std::to_string(i), "Permission denied", 1001});
  lookup->unreadable.push_back({"/b/1", "Permission denied", 1002});
  HealthInputs inputs;
  inputs.ingest.lookup = lookup;
  inputs.formats = 1;
  const service::Health health = health_of(inputs, {});
  ASSERT_EQ(health.notes.size(), 1U);
  EXPECT_EQ(health.notes[0].count, 101);
  EXPECT_THAT(health.notes[0].subjects, testing::Contains("/b/1: Permission denied"));
}

}  // namespace
}  // namespace etad
