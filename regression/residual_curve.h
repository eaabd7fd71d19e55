// The curve of time over batch size where a basis of a few coefficients can't follow it: r(B), by which the
// logarithm of the time departs from the basis. Real curves bend and jump (another kernel from batch 8 on, a
// library that likes multiples of 4), and a basis with enough coefficients for that would follow noise.
//
// A Gaussian process on r(B) = log(t / basis) at the measured batch sizes (Rasmussen & Williams, "Gaussian
// Processes for Machine Learning", 2006: prediction eq. 2.25-2.26, marginal likelihood eq. 2.30,
// leave-one-out in closed form eq. 5.10-5.12). Its covariance is a sum of what may make r differ from 0:
//   - the basis' own coefficients, of which the fit is only an estimate;
//   - a term in 1/B: small batches leave a device partly idle; below the smallest batch seen it stays as it
//     is there, but the estimate is less sure;
//   - the related models: the same residuals of other models of the deployment, made by fitting the basis to
//     *their* times at *our* batch sizes. Their second moments say where this device departs from the basis,
//     and by how much batch sizes depart together (empirical-Bayes multi-task covariance). Models that
//     resemble ours weigh more. So does the other phase of the same network: training contains testing, and
//     what the one departs from its basis, in seconds, the other does too. It counts only at the batch sizes that it has
//     measured; taken for 0 elsewhere, it would flatten our curve where nothing is known;
//   - a Matérn 1/2 term in log B (Ornstein-Uhlenbeck), and a nugget for what each batch size has on its own;
//   - the noise of the runs.
// The strength of each part is not chosen but averaged over: each point of a grid of hyperparameters weighs
// as much as the data make it likely (Bayesian model averaging). "None of it" is in the grid: with data that
// follow the basis, the correction vanishes.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "regression/basis.h"
#include "regression/model.h"

namespace etad::regression {

struct ResidualData {
  const Basis* basis = nullptr;
  std::span<const double> knots;
  Terms coefficients;
  double iterations = 1;        // a typical n
  std::vector<double> samples;  // different batch sizes, sorted, at most kMaxCurve
  Eigen::VectorXd residuals;    // mean log(t / basis) at each
  Eigen::VectorXd noise;        // variance of each of these means
};

struct LeftOut {
  double residual = 0;  // log(t / what the other batch sizes predict here)
  double variance = 0;  // of that prediction, without the noise of the runs here
};

struct ResidualCurve {
  std::vector<ResidualPoint> points;  // sorted by samples
  std::vector<LeftOut> left_out;      // for each batch size
};

// Needs at least one batch size. Bounded: O(grid points x samples^3 + related models' parts x points x
// samples^2).
ResidualCurve infer_residuals(const ResidualData& data, std::span<const RelatedModel> related_models);

// Whether the curve has a point at `samples`.
bool has_measured(std::span<const CurvePoint> curve, double samples);

// The correction at `samples`: exact where it was measured, else linear in log B between the points.
ResidualPoint residual_at(std::span<const ResidualPoint> points, double samples);

}  // namespace etad::regression
