// What a machine needs for a network that is described layer by layer: the analytical family, with what only
// measurements can tell (peaks, overheads, how far each kind of layer falls short) fitted.
//
//   t(B) = c0 + sum over layers of [ c1 + m_kind sqrt((operations B / P)^2 + (bytes / W)^2) + l lowered B / S ],
//   bytes = 4 (elements B + weights)
//
// for the forward pass. P is the peak of products of matrices or, for layers that are none, S, that of single operations;
// `lowered` are the elements that a convolution copies to become such a product. Training adds the sum over the backward
// passes, with a factor of its own on all but c1, and rewriting the weights. A layer is bound by arithmetic or by memory
// (the roofline), and where both take nearly as long it takes longer than either: the root of the squares has no kink
// there that a search could not cross (formula.h).
//
// Williams, Waterman & Patterson, CACM 2009; Hong & Kim, ISCA 2009; Zhang & Owens, HPCA 2011.
#pragma once

#include <Eigen/Core>

#include "regression/estimators/formula.h"

namespace etad::estimators {

// The parameters, all in the logarithm: so every one of them is positive, and a prior on it is one on a factor.
namespace roofline {
enum Parameter : int { kPeak, kBandwidth, kScalar, kIteration, kLayer, kBackward, kLowering, kFirstKind };
inline constexpr int kParameters = kFirstKind + kLayerKinds;
using Parameters = Eigen::Matrix<double, kParameters, 1>;

// Seconds of one iteration. Linear in the number of layers.
FormulaValue predict(const Case& what, const Eigen::VectorXd& at);
}  // namespace roofline

}  // namespace etad::estimators
