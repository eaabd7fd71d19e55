#include "regression/estimators/solvers.h"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "regression/nnls.h"

namespace etad::estimators {
namespace {

Eigen::VectorXd solve_bounded(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  return regression::solve_nnls(a.transpose() * a, a.transpose() * b);
}

}  // namespace

Eigen::VectorXd solve(Solver solver, const Eigen::MatrixXd& design, const Eigen::VectorXd& y) {
  if (solver == Solver::nnls) return solve_bounded(design, y);
  if (solver == Solver::log_squares) return least_squares(design, y.array().log());
  const Eigen::MatrixXd relative = y.cwiseInverse().asDiagonal() * design;
  if (solver == Solver::relative_nnls) return solve_bounded(relative, Eigen::VectorXd::Ones(y.size()));
  constexpr double kForgetting = 0.97;                        // weight of a row beside the one after it
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(y.size());  // roots of them
  for (Eigen::Index i = y.size() - 1; i > 0; --i) weights(i - 1) = weights(i) * std::sqrt(kForgetting);
  return least_squares(weights.asDiagonal() * relative, weights);
}

Eigen::VectorXd least_squares(const Eigen::MatrixXd& design, const Eigen::VectorXd& y) {
  return Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(design).solve(y);
}

Components principal_components(const Eigen::MatrixXd& rows, double explained) {
  Components out;
  out.mean = rows.colwise().mean();
  const Eigen::MatrixXd centred = rows.rowwise() - out.mean;
  const auto free = static_cast<double>(rows.rows() - 1);
  out.scale = (centred.colwise().squaredNorm() / free).cwiseSqrt();
  const double least = 1e-9 * std::max(1.0, out.scale.maxCoeff());
  out.scale = (out.scale.array() > least).select(out.scale, INFINITY);
  const Eigen::MatrixXd standard = centred * out.scale.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(standard.transpose() * standard / free);
  const Eigen::VectorXd variances = solver.eigenvalues().reverse().cwiseMax(0);
  const double all = variances.sum();
  Eigen::Index taken = 0;
  for (double sum = 0; taken < rows.cols() && all > 0 && sum < explained * all; ++taken)
    sum += variances(taken);
  out.directions = solver.eigenvectors().rowwise().reverse().leftCols(taken);
  return out;
}

}  // namespace etad::estimators
