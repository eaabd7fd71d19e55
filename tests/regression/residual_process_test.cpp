// The residual curve's Gaussian process against the same written down plainly: one covariance, one factor,
// one prediction at a time.
#include "regression/residual_process.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace etad::regression {
namespace {

class ResidualProcessTest : public testing::Test {
 protected:
  const std::vector<double> samples{4, 8, 16, 32};
  const std::vector<double> positions{4, 8, 16, 32, 1, 6, 24, 200};
  ResidualData data{
      find_basis("c0 + n*(c1 + c2*B)"), {}, Terms::Zero(3), 100, samples, Eigen::VectorXd::Zero(4),
      Eigen::VectorXd::Zero(4)};
  std::vector<RelatedModel> related_models;
  Kernel kernel;
  RelatedResiduals residuals;
  std::vector<KernelPart> parts;
  std::vector<Hyperparameters> points;

  void SetUp() override {
    data.coefficients << 0, 0.01, 0.001;
    data.residuals << 0.05, -0.02, 0.01, -0.01;
    data.noise << 1e-4, 4e-4, 1e-4, 2e-4;
    for (int s = 0; s < 3; ++s) {
      related_models.push_back({s == 0, {}});
      for (const double b : {2.0, 4.0, 8.0, 16.0, 24.0, 32.0}) {
        const double bend = 1 + 0.05 * std::sin(b * (s + 1));
        related_models.back().curve.push_back({b, (s + 1) * (0.004 + 0.0007 * b) * bend, 0.01});
      }
    }
    kernel = kernel_of(data, positions);
    residuals = related_residuals(data, related_models, positions);
    for (const bool counts : {false, true}) {
      parts.push_back(related_part(residuals, {10, 0.05}, counts, 8, 4));
    }
    for (const KernelPart* part : std::vector<const KernelPart*>{nullptr, &parts[0], &parts[1]}) {
      for (const double matern : {0.0, 0.03}) {
        for (const double small : {0.0, 0.2, 0.05})
          points.push_back({matern, 0.01, part ? 2.0 : 0, part, small});
      }
    }
  }

  static Eigen::MatrixXd between(const KernelPart& part) {
    return part.span.size() > 0 ? part.features * part.span : part.features;
  }

  Eigen::MatrixXd between(const Hyperparameters& s) const {
    Eigen::MatrixXd k = between(kernel.coefficients);
    k += s.small_batches * s.small_batches * between(kernel.small_batches) +
         s.matern * s.matern * between(kernel.matern);
    if (s.related_part) k += s.related_models * between(*s.related_part);
    return k;
  }

  Eigen::VectorXd own(const Hyperparameters& s) const {
    Eigen::VectorXd v = kernel.coefficients.own +
                        s.small_batches * s.small_batches * kernel.small_batches.own +
                        s.matern * s.matern * kernel.matern.own;
    if (s.related_part) v += s.related_models * s.related_part->own;
    return v.array() + s.nugget * s.nugget;
  }

  Eigen::MatrixXd covariance(const Hyperparameters& s) const {
    Eigen::MatrixXd k = between(s).topRows(4);
    k.diagonal() += data.noise;
    k.diagonal().array() += s.nugget * s.nugget;
    return k;
  }

  // At all positions, of one grid point: mean and variance.
  std::vector<std::pair<double, double>> predicted(const Hyperparameters& s, double carried) const {
    const Eigen::MatrixXd inverse = covariance(s).inverse();
    Eigen::MatrixXd k = between(s);
    k.topRows(4).diagonal().array() += s.nugget * s.nugget;  // what a measured size's nugget came to is known
    const Eigen::VectorXd rest = data.residuals - carried * residuals.carried.head(4);
    const Eigen::VectorXd mean = k * inverse * rest + carried * residuals.carried;
    const Eigen::VectorXd variance = own(s) - (k * inverse).cwiseProduct(k).rowwise().sum();
    std::vector<std::pair<double, double>> out;
    for (Eigen::Index i = 0; i < mean.size(); ++i) out.emplace_back(mean(i), variance(i));
    return out;
  }
};

TEST_F(ResidualProcessTest, EvidenceAndInverseAreThoseOfTheCovariance) {
  ASSERT_TRUE(residuals.distance);
  ResidualProcess process(data, kernel, residuals.carried);
  for (const Hyperparameters& s : points) {
    const Eigen::LLT<Eigen::MatrixXd> factor(covariance(s));
    const Eigen::MatrixXd inverse = covariance(s).inverse();
    process.set(s);
    for (const double carried : {0.0, 0.5, 1.0}) {
      const Eigen::VectorXd rest = data.residuals - carried * residuals.carried.head(4);
      const double log_diagonal = factor.matrixLLT().diagonal().array().log().sum();
      EXPECT_NEAR(process.evidence(carried), -0.5 * rest.dot(inverse * rest) - log_diagonal, 1e-9);
    }
    process.set_and_invert(s);
    EXPECT_LT((process.inverse() - inverse).norm(), 1e-9 * inverse.norm());
    const Eigen::VectorXd rest = data.residuals - 0.5 * residuals.carried.head(4);
    EXPECT_LT((process.weights(0.5) - inverse * rest).norm(), 1e-9 * (inverse * rest).norm());
  }
}

TEST_F(ResidualProcessTest, SummedFormsAreTheSumsOfThePredictions) {
  ResidualProcess process(data, kernel, residuals.carried);
  Predictions predictions(data, kernel, residuals.carried, 8);
  std::vector<Moments> expected(8);
  const std::vector<CarriedShare> shares{{0, -0.3}, {0.5, 0}, {1, -2}};
  double log_weight = 0;
  for (const Hyperparameters& s : points) {
    std::vector<CarriedShare> weighed = shares;
    for (CarriedShare& share : weighed) share.log_weight += log_weight;
    log_weight -= 0.2;
    process.set_and_invert(s);
    predictions.add(process, weighed);
    for (const CarriedShare& share : weighed) {
      const auto single = predicted(s, share.carried);
      for (std::size_t i = 0; i < 8; ++i) {
        expected[i].add(std::exp(share.log_weight), single[i].first, single[i].second);
      }
    }
  }
  const std::vector<Moments> sums = predictions.result();
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(sums[i].average(), expected[i].average(), 1e-10) << positions[i];
    EXPECT_NEAR(sums[i].variance(), expected[i].variance(), 1e-10) << positions[i];
    EXPECT_GT(sums[i].variance(), 0) << positions[i];
  }
}

// What no log should bring about, and no log may crash the daemon with: not a number among the variances.
TEST_F(ResidualProcessTest, ACovarianceWithoutAFactorSaysNothing) {
  data.noise(2) = std::numeric_limits<double>::quiet_NaN();
  const ResidualCurve residual_curve = infer_residuals(data, related_models);
  ASSERT_EQ(residual_curve.left_out.size(), 4U);
  for (const ResidualPoint& point : residual_curve.points) {
    EXPECT_EQ(point.log_ratio, 0);
    EXPECT_TRUE(std::isfinite(point.deviation));
  }
}

}  // namespace
}  // namespace etad::regression
