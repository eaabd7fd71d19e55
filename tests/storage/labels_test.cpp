// What may be said of a run beside its log.
#include "storage/labels.h"

#include <gtest/gtest.h>

namespace etad {
namespace {

TEST(Labels, AMistypedNameIsToldTheNearest) {
  const auto near = check_labels({{"batch_sise", "64"}});
  ASSERT_FALSE(near);
  EXPECT_EQ(near.error().hint, "did you mean \"batch_size\"?");
  const auto far = check_labels({{"colour", "red"}});
  ASSERT_FALSE(far);
  EXPECT_TRUE(far.error().hint.starts_with("labels are network, ")) << far.error().hint;
  EXPECT_TRUE(check_labels({{"job", "7"}, {"gpus", "0,1"}}));
}

TEST(Labels, GpusAreNamedByIndexOrUuid) {
  for (const char* named : {"0", "0, 12", "GPU-5f3a,1"})
    EXPECT_TRUE(check_labels({{"gpus", named}})) << named;
  for (const char* nothing : {"-1", "+1", "00", "0,", "GPU-", "all"})
    EXPECT_FALSE(check_labels({{"gpus", nothing}})) << nothing;
}

}  // namespace
}  // namespace etad
