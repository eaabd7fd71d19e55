#include "regression/covariates.h"

#include <gtest/gtest.h>

namespace etad::regression {
namespace {

TEST(CovariatesOfARun, EveryNameIsThereKnownOrNot) {
  const Covariates said = covariates_of({{"type", "Adam"}, {"precision", "fp16"}, {"base_lr", "0.1"}}, true);
  EXPECT_EQ(said, (Covariates{"iter_size=1", "precision=fp16", "sequence_length=", "type=Adam", "workers="}));
  EXPECT_EQ(covariates_of({{"iter_size", "4"}}, true).front(), "iter_size=4");
}

TEST(CovariatesOfARun, TestingDependsOnThePrecisionAlone) {
  EXPECT_EQ(covariates_of({{"type", "Adam"}, {"iter_size", "4"}}, false), Covariates{"precision="});
}

TEST(CovariatesOfARun, Names) {
  EXPECT_EQ(covariate_name("type=Adam"), "type");
  EXPECT_EQ(covariate_name("type="), "type");
}

}  // namespace
}  // namespace etad::regression
