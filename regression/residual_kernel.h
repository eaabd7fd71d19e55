// The parts of the covariance of regression/residual_curve.h, each of which has a strength of its own.
// "Positions" are batch sizes, the measured ones first. A part is a matrix with a row for each position and a
// column for each measured batch size.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "regression/residual_curve.h"

namespace etad::regression {

// A part of the covariance. Between a position and the measured ones it is the position's features times
// `span`.
struct KernelPart {
  Eigen::MatrixXd features;  // positions x features
  Eigen::MatrixXd span;      // features x measured; empty: the features are the covariances themselves
  Eigen::MatrixXd measured;  // between the measured ones
  Eigen::VectorXd own;       // of each position with itself
};

// What does not depend on the related models, at all positions.
struct Kernel {
  KernelPart coefficients;   // the basis' own
  KernelPart small_batches;  // the term in 1/B, of rank one
  KernelPart matern;
};
Kernel kernel_of(const ResidualData& data, std::span<const double> positions);

// Standard deviation of log t at b below the smallest batch size seen: a device may stop getting faster
// there, and nothing that was measured says where. 0 at and above it.
double latency_deviation(const ResidualData& data, double smallest, double b);

// Residuals of the related models at all positions, 0 outside the batch sizes they have seen; related models
// whose batch sizes do not cover ours are left out.
struct RelatedResiduals {
  Eigen::MatrixXd others;          // a column for each related model but the other phase
  Eigen::VectorXd distances;       // root mean square difference of each to ours
  std::optional<double> distance;  // of the other phase; empty: it has nothing to say
  Eigen::VectorXd other_phase;
  // What the other phase's residuals would be for us if they were ours, second for second (testing is
  // the forward part of training), but no more than in proportion.
  Eigen::VectorXd carried;
  bool is_part = false;  // it takes less time than we do: testing, and we are training
};
RelatedResiduals related_residuals(const ResidualData& data, std::span<const RelatedModel> related_models,
                                   std::span<const double> positions);

// The network's other phase among the related models that count; nullptr: none, or it does not cover our
// batch sizes.
const RelatedModel* other_phase_of(const ResidualData& data, std::span<const RelatedModel> related_models);

// How related models are weighed: the same network's other phase `same_network` times as much as another
// network's, and all by exp(-d^2 / (2 distance^2)) of the root mean square difference d of their residuals to
// ours.
struct RelatedWeights {
  double same_network;
  double distance;
};

// The weighed second moments of the related models' residuals at the first `positions` of all; the other
// phase's among them where it `counts` and has something to say.
KernelPart related_part(const RelatedResiduals& related_models, const RelatedWeights& weights, bool counts,
                        Eigen::Index positions, Eigen::Index measured);

}  // namespace etad::regression
