#include "regression/covariates.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "tests/places.h"

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

// The page tells by the same settings which runs a model is of.
TEST(CovariatesOfARun, ThePageGoesByTheSame) {
  std::string names;
  for (const std::string& name : covariate_names()) names += (names.empty() ? "'" : ", '") + name + "'";
  std::ostringstream screen;
  screen << std::ifstream(ETAD_EXAMPLES "/../page/js/screens/network.js").rdbuf();
  EXPECT_NE(screen.str().find("{train: [" + names + "], test: ['precision']}"), std::string::npos) << names;
}

}  // namespace
}  // namespace etad::regression
