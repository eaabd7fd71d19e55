#include "regression/nnls.h"

#include <gtest/gtest.h>

#include <random>

namespace etad::regression {
namespace {

struct Problem {
  Eigen::MatrixXd a;
  Eigen::VectorXd b;
  Terms solve() const { return solve_nnls(a.transpose() * a, a.transpose() * b); }
};

Problem random_problem(std::mt19937& random, int rows, int columns) {
  std::normal_distribution<double> normal;
  Problem p{Eigen::MatrixXd(rows, columns), Eigen::VectorXd(rows)};
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) p.a(i, j) = normal(random);
    p.b(i) = normal(random);
  }
  return p;
}

// The Kuhn-Tucker conditions, which only the minimiser meets.
TEST(Nnls, MeetsTheKuhnTuckerConditions) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const Problem p = random_problem(random, 12, 1 + round % 6);
    const Terms x = p.solve();
    const Eigen::VectorXd gradient = p.a.transpose() * (p.b - p.a * x);
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      EXPECT_GE(x(i), 0);
      EXPECT_LE(gradient(i), 1e-6);
      if (x(i) > 0) {
        EXPECT_NEAR(gradient(i), 0, 1e-6);
      }
    }
  }
}

TEST(Nnls, CollinearAndEmptyColumnsStayFinite) {
  Problem p{Eigen::MatrixXd::Ones(5, 4), Eigen::VectorXd::Constant(5, 2)};
  p.a.col(3).setZero();
  const Terms x = p.solve();
  EXPECT_TRUE(x.allFinite());
  EXPECT_NEAR((p.a * x)(0), 2, 1e-6);
  EXPECT_EQ(x(3), 0);
}

TEST(Nnls, IsIndifferentToUnits) {
  std::mt19937 random(5);
  Problem p = random_problem(random, 10, 3);
  const Terms x = p.solve();
  p.a.col(1) *= 1e12;
  const Terms scaled = p.solve();
  EXPECT_NEAR(scaled(0), x(0), 1e-6 * (1 + x(0)));
  EXPECT_NEAR(scaled(1) * 1e12, x(1), 1e-6 * (1 + x(1)));
}

}  // namespace
}  // namespace etad::regression
