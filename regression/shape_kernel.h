// The covariance of regression/shape.h, taken apart into what can be weighed separately.
#pragma once

#include <span>
#include <vector>

#include "regression/shape.h"

namespace etad::regression {

// One part of the covariance: between all positions (rows; the measured batch sizes first) and the measured
// ones (columns), and of each position with itself.
struct KernelPart {
  Eigen::MatrixXd between;
  Eigen::VectorXd own;
};

// How siblings are weighed: the same network's other phase `same_network` times as much as another network's,
// and all by exp(-d^2 / (2 distance^2)) of the root mean square difference d of their residuals to ours.
struct SiblingWeights {
  double same_network;
  double distance;
};

KernelPart coefficients_part(const ShapeData& data, std::span<const double> positions);
KernelPart small_batches_part(const ShapeData& data, std::span<const double> positions);
KernelPart rough_part(const ShapeData& data, std::span<const double> positions);

// Standard deviation of log t at b below the smallest batch size seen: a device may stop getting faster
// there, and nothing that was measured says where. 0 at and above it.
double latency_deviation(const ShapeData& data, double smallest, double b);

// Residuals of the siblings at all positions, 0 outside the batch sizes they have seen; siblings whose batch
// sizes do not cover ours are left out.
struct SiblingResiduals {
  bool same_network = false;
  double distance = 0;  // root mean square difference to ours
  Eigen::VectorXd residuals;
  // Of the network's other phase: what its residuals would be for us if its bends were ours, second for
  // second (testing is the forward part of training), but no more than in proportion.
  Eigen::VectorXd carried;
};
std::vector<SiblingResiduals> sibling_residuals(const ShapeData& data, std::span<const Sibling> siblings,
                                                std::span<const double> positions);

KernelPart siblings_part(const std::vector<SiblingResiduals>& siblings, const SiblingWeights& weights,
                         std::size_t positions, std::size_t measured);

}  // namespace etad::regression
