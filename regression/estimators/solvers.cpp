#include "regression/estimators/solvers.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "regression/nnls.h"

namespace etad::estimators {
namespace {

constexpr double kRidge = 1e-9;  // relative to unit columns: collinear columns share

Solution solve_bounded(const Eigen::MatrixXd& a, const Eigen::VectorXd& b) {
  const regression::Gram gram = a.transpose() * a;
  const regression::Terms x = regression::solve_nnls(gram, a.transpose() * b);
  return {x, regression::active_inverse(gram, x), 0};
}

}  // namespace

double Solution::deviation(const Eigen::VectorXd& x) const {
  return scale * std::sqrt(1 + x.dot(covariance * x));
}

Eigen::VectorXd solve_map(const Eigen::MatrixXd& a, const Eigen::VectorXd& b, const Eigen::VectorXd& prior,
                          const Eigen::VectorXd& penalty) {
  Eigen::MatrixXd gram = a.transpose() * a;
  gram.diagonal() += penalty;
  const Eigen::VectorXd rhs = a.transpose() * b + penalty.cwiseProduct(prior);
  const Eigen::VectorXd x = gram.ldlt().solve(rhs);
  return x.allFinite() ? x : prior;
}

Solution solve(Solver solver, const Eigen::MatrixXd& design, const Eigen::VectorXd& y) {
  Solution out;
  Eigen::VectorXd errors;
  switch (solver) {
    case Solver::nnls:
      out = solve_bounded(design, y);
      errors = (design * out.coefficients).cwiseQuotient(y).array() - 1;
      break;
    case Solver::relative_nnls:
      out = solve_bounded(y.cwiseInverse().asDiagonal() * design, Eigen::VectorXd::Ones(y.size()));
      errors = (design * out.coefficients).cwiseQuotient(y).array() - 1;
      break;
    case Solver::ridge_log: {
      const Eigen::VectorXd log_y = y.array().log();
      const Eigen::VectorXd penalty = (kRidge * design.colwise().squaredNorm().transpose()).array() + 1e-300;
      out.coefficients = solve_map(design, log_y, Eigen::VectorXd::Zero(design.cols()), penalty);
      Eigen::MatrixXd gram = design.transpose() * design;
      gram.diagonal() += penalty;
      out.covariance = gram.ldlt().solve(Eigen::MatrixXd::Identity(gram.rows(), gram.cols()));
      errors = design * out.coefficients - log_y;
      break;
    }
  }
  const auto free = std::max<Eigen::Index>(1, design.rows() - (out.coefficients.array() != 0).count());
  out.scale = std::sqrt(errors.squaredNorm() / static_cast<double>(free));
  return out;
}

Solution least_squares(const Eigen::MatrixXd& design, const Eigen::VectorXd& y) {
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(design);
  const Eigen::MatrixXd inverse = solver.pseudoInverse();
  Solution out{solver.solve(y), inverse * inverse.transpose(), 0};
  const auto free = static_cast<double>(std::max<Eigen::Index>(1, design.rows() - design.cols()));
  out.scale = std::max(1e-4, std::sqrt((y - design * out.coefficients).squaredNorm() / free));
  return out;
}

Components principal_components(const Eigen::MatrixXd& rows, double explained) {
  Components out;
  out.mean = rows.colwise().mean();
  const Eigen::MatrixXd centred = rows.rowwise() - out.mean;
  const auto free = static_cast<double>(rows.rows() - 1);
  out.scale = (centred.colwise().squaredNorm() / free).cwiseSqrt();
  const double least = 1e-9 * std::max(1.0, out.scale.maxCoeff());
  Eigen::MatrixXd standard = centred;
  for (Eigen::Index j = 0; j < rows.cols(); ++j) {
    const bool varies = out.scale(j) > least;
    if (!varies) out.scale(j) = 1;
    standard.col(j) =
        varies ? (centred.col(j) / out.scale(j)).eval() : Eigen::VectorXd::Zero(rows.rows()).eval();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(standard.transpose() * standard / free);
  const Eigen::VectorXd variances = solver.eigenvalues().reverse().cwiseMax(0);
  const double all = variances.sum();
  Eigen::Index taken = 0;
  for (double sum = 0; taken < rows.cols() && all > 0 && sum < explained * all; ++taken)
    sum += variances(taken);
  out.directions = solver.eigenvectors().rowwise().reverse().leftCols(taken);
  out.shares = variances.head(taken) / (all > 0 ? all : 1);
  return out;
}

}  // namespace etad::estimators
