#include "regression/traits.h"

#include <gtest/gtest.h>

namespace etad::regression {
namespace {

TEST(TraitsOfARun, EveryNameIsThereKnownOrNot) {
  const Traits said = traits_of({{"type", "Adam"}, {"precision", "fp16"}, {"base_lr", "0.1"}}, true);
  EXPECT_EQ(said, (Traits{"iter_size=1", "precision=fp16", "sequence_length=", "type=Adam", "workers="}));
  EXPECT_EQ(traits_of({{"iter_size", "4"}}, true).front(), "iter_size=4");
}

TEST(TraitsOfARun, TestingDependsOnThePrecisionAlone) {
  EXPECT_EQ(traits_of({{"type", "Adam"}, {"iter_size", "4"}}, false), Traits{"precision="});
}

TEST(TraitsOfARun, Names) {
  EXPECT_EQ(trait_name("type=Adam"), "type");
  EXPECT_EQ(trait_name("type="), "type");
}

}  // namespace
}  // namespace etad::regression
