#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "regression/model.h"

namespace etad::regression {
namespace {

RunObservation run_of(double n, double b, double t) {
  RunObservation run;
  run.samples = b;
  run.iterations = n;
  run.seconds = t;
  return run;
}

TEST(Fit, RecoversAnAffineNetwork) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.02);
  Dataset data;
  for (int i = 0; i < 40; ++i) {
    const double n = 100.0 * (1 + i % 7), b = 8 << (i % 4);
    data.push_back(run_of(n, b, (3 + n * (0.01 + 0.002 * b)) * std::exp(noise(random))));
  }
  const auto model = fit(data);
  ASSERT_TRUE(model);
  const auto p = model->predict(1000, 48, 0.9);
  ASSERT_TRUE(p);
  EXPECT_NEAR(p->seconds / (3 + 1000 * (0.01 + 0.002 * 48)), 1, 0.02);
  EXPECT_LT(p->lower, p->seconds);
  EXPECT_GT(p->upper, p->seconds);
}

TEST(Fit, OneRunIsAnsweredWithAWideInterval) {
  const auto model = fit({run_of(100, 32, 50)});
  ASSERT_TRUE(model);
  const auto p = model->predict(200, 32, 0.9);
  ASSERT_TRUE(p);
  EXPECT_NEAR(p->seconds, 100, 1e-6);
  EXPECT_GT(p->upper / p->seconds, 1.05);
  EXPECT_EQ(p->extrapolates, std::vector<std::string>{"iterations"});
}

// Each of two runs is the only one of its batch size: neither can be foretold from the other.
TEST(Fit, TwoRunsAtTwoBatchSizesAreNoLessSureThanOne) {
  const auto one = fit({run_of(1000, 64, 50)});
  const auto two = fit({run_of(1000, 64, 50), run_of(1000, 32, 30)});
  ASSERT_TRUE(one && two);
  const auto before = one->predict(1000, 64, 0.9), after = two->predict(1000, 64, 0.9);
  EXPECT_LT(after->upper / after->seconds, 1.05 * before->upper / before->seconds);
  EXPECT_GT(after->upper / after->seconds, 1.1) << "the noise is assumed still";
  EXPECT_FALSE(two->error_percent) << "nor does it say how good the model is";
  EXPECT_FALSE(one->error_percent || one->rivals.front().error_percent);
  const auto three = fit({run_of(1000, 64, 50), run_of(1000, 32, 30), run_of(1000, 64, 51)});
  EXPECT_NEAR(*three->error_percent, 2, 0.1);
}

// Two lengths tell a cost per run, but what is left when one of them is hidden does not.
TEST(Fit, ASecondRunOfAnotherLengthIsNoLessSureThanOne) {
  const auto one = fit({run_of(1000, 64, 50)});
  const auto two = fit({run_of(1000, 64, 50), run_of(5000, 64, 251)});
  ASSERT_TRUE(one && two);
  const auto before = one->predict(1000, 64, 0.9), after = two->predict(1000, 64, 0.9);
  EXPECT_LT(after->upper / after->seconds, 1.05 * before->upper / before->seconds);
}

TEST(Fit, RivalsCountTheTermsOfTheirFormulas) {
  Dataset data;
  for (const double b : {8., 16., 32.}) {
    for (int i = 0; i < 3; ++i) data.push_back(run_of(100, b, 100 * (0.01 + 0.002 * b) * (1 + 0.01 * i)));
  }
  const auto model = fit(data);
  ASSERT_TRUE(model);
  for (const Rival& rival : model->rivals) {
    if (rival.basis == "n*(c1 + c2*B)") {
      EXPECT_EQ(rival.parameters, 2);
    } else if (rival.basis == "c0 + n*(c1 + c2*B)") {
      EXPECT_EQ(rival.parameters, 3);
    }
  }
}

TEST(Fit, NothingToFitFrom) {
  EXPECT_FALSE(fit({}));
  EXPECT_FALSE(fit({run_of(0, 1, 1), run_of(1, 1, 0), run_of(1, 1, std::nan(""))}));
}

}  // namespace
}  // namespace etad::regression
