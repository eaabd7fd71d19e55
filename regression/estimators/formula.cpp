#include "regression/estimators/formula.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "regression/estimators/owners.h"
#include "regression/estimators/solvers.h"
#include "regression/statistics.h"

namespace etad::estimators {
namespace {

constexpr std::size_t kMostNetworks = 32;  // more of them hardly make a machine's parameters surer
constexpr std::size_t kMostOwners = 16;    // of the first of these
constexpr int kSteps = 12;
constexpr int kTries = 8;       // of a step
constexpr double kNear = 3e-2;  // a step this short, in the logarithm, is the last
constexpr double kWorth = 3;    // levels, and runs, that what is assumed of their deviations counts for
constexpr double kNoiseDegrees =
    4;  // of freedom of the noise, Student's t: a run that went astray has little say

double squared(double x) {
  return x * x;
}

// The maximum a posteriori by Levenberg and Marquardt's method (Marquardt, SIAM J. Appl. Math. 11, 1963).
class FittedFormula {
 public:
  FittedFormula(Formula formula, Runs& runs) : formula_(std::move(formula)), noise_(formula_.noise) {
    search(points_of(runs));
  }

  Reply operator()(const Case& what) const {
    const auto [value, gradient] = formula_.at(what, x_.head(formula_.mean.size()));
    Eigen::VectorXd row = Eigen::VectorXd::Zero(x_.size());
    row.head(gradient.size()) = gradient;
    double log_mean = std::log(value), variance = squared(noise_);
    for (const Effect& effect : std::span(effects_).first<kOwner>()) {
      const auto level = effect.levels.find(key_of(what, effect.facts));
      if (level == effect.levels.end()) {
        variance += squared(effect.deviation);
      } else {
        row(level->second) = 1;
        log_mean += x_(level->second);
      }
    }
    const double deviation = std::sqrt(variance + (root_ * row).squaredNorm());
    if (!std::isfinite(log_mean) || !std::isfinite(deviation))
      return abstain("the network's costs are beyond all numbers");
    return {Estimate{log_mean, deviation, {}}, {}};
  }

 private:
  // A random effect, with a level for each network, each of its phases, or each owner but the first.
  struct Effect {
    unsigned facts = 0;  // equal within a level; of owners none
    double assumed = 0, deviation = assumed;
    std::map<std::string, Eigen::Index> levels = {};  // places behind the parameters
  };
  static constexpr std::size_t kOwner = 2, kEffects = 3;  // in effects_
  // One owner's replicates of one network in one phase.
  struct Point {
    const Case* what = nullptr;
    double log_value = 0;  // their mean
    double runs = 0;
    std::vector<Eigen::Index> levels = {};
  };
  // A row a point.
  struct Rows {
    Eigen::MatrixXd gradients;
    Eigen::VectorXd residual;  // of its logarithm
  };

  std::vector<Point> points_of(Runs& runs) {
    std::map<std::string, Point> replicates;
    Runs taken;
    auto columns = formula_.mean.size();
    const auto& networks = effects_.front().levels;
    for (const Datum* run : runs) {
      if (networks.size() == kMostNetworks && !networks.contains(key_of(run->what, kNetwork))) continue;
      taken.push_back(run);
      const std::string owner = std::to_string(run->owner);
      Point& point = replicates[key_of(run->what, kNetworkInPhase | kSamples) + ' ' + owner];
      point = {&run->what, point.log_value + std::log(run->value), point.runs + 1};
      for (std::size_t i = 0; i < kEffects; ++i) {
        if (i == kOwner && run->owner == runs.front()->owner) continue;
        const auto [level, is_new] = effects_[i].levels.try_emplace(
            i == kOwner ? owner : key_of(run->what, effects_[i].facts), columns);
        if (is_new) ++columns;
        point.levels.push_back(level->second);
      }
    }
    x_ = Eigen::VectorXd::Zero(columns);
    x_.head(formula_.mean.size()) = formula_.mean;
    runs = std::move(taken);
    std::vector<Point> out;
    for (auto& [key, point] : replicates) {
      point.log_value /= point.runs;
      if (formula_.at(*point.what, formula_.mean).gradient.allFinite()) out.push_back(point);
    }
    return out;
  }

  Rows rows_at(const std::vector<Point>& points, const Eigen::VectorXd& x) const {
    const auto n = static_cast<Eigen::Index>(points.size());
    Rows out{Eigen::MatrixXd(n, formula_.mean.size()), Eigen::VectorXd(n)};
    for (Eigen::Index i = 0; const Point& point : points) {
      const auto [value, gradient] = formula_.at(*point.what, x.head(formula_.mean.size()));
      out.residual(i) = point.log_value - std::log(value) - x(point.levels).sum();
      out.gradients.row(i++) = gradient;
    }
    return out;
  }

  // One over the variances beforehand, those of the effects as they have been found to differ.
  Eigen::VectorXd precision() const {
    Eigen::VectorXd out(x_.size());
    out.head(formula_.mean.size()) = formula_.deviation.cwiseAbs2().cwiseInverse();
    for (const Effect& effect : effects_)
      for (const auto& [key, level] : effect.levels) out(level) = 1 / squared(effect.deviation);
    return out;
  }

  // What the rows add to the normal equations. Behind the parameters' columns each has nothing but a one for each level.
  static void add_rows(const std::vector<Point>& points, const Rows& rows, const Eigen::VectorXd& weight,
                       Eigen::MatrixXd& information, Eigen::VectorXd& slope) {
    const auto parameters = rows.gradients.cols();
    information.topLeftCorner(parameters, parameters) +=
        rows.gradients.transpose() * weight.asDiagonal() * rows.gradients;
    slope.head(parameters) += rows.gradients.transpose() * weight.cwiseProduct(rows.residual);
    for (Eigen::Index i = 0; const auto& [what, log_value, runs, levels] : points) {
      for (const Eigen::Index level : levels) {
        information.row(level).head(parameters) += weight(i) * rows.gradients.row(i);
        for (const Eigen::Index other : levels)
          if (other <= level) information(level, other) += weight(i);
        slope(level) += weight(i) * rows.residual(i);
      }
      ++i;
    }
  }

  void search(const std::vector<Point>& points) {
    const Eigen::VectorXd beforehand = x_;
    // Replicates share what moved their time: many say hardly more than one.
    const Eigen::ArrayXd count =
        numbers_of(points, [](const Point& point) { return 2 * point.runs / (1 + point.runs); });
    root_ = precision().cwiseSqrt().cwiseInverse().asDiagonal();
    Rows rows = rows_at(points, x_);
    double damping = 1;
    for (int step = 0; step < kSteps; ++step) {
      const Eigen::VectorXd precise = precision();
      const Eigen::VectorXd weight = count * (kNoiseDegrees + 1) / squared(noise_) /
                                     (kNoiseDegrees + count * (rows.residual.array() / noise_).square());
      const auto cost = [&](const Eigen::VectorXd& x) {
        return weight.dot(rows.residual.cwiseAbs2()) + precise.dot((x - beforehand).cwiseAbs2());
      };
      Eigen::MatrixXd information = precise.asDiagonal();
      Eigen::VectorXd slope = precise.cwiseProduct(beforehand - x_);
      add_rows(points, rows, weight, information, slope);
      // As far as the derivatives hold: a step that makes it worse is damped more, the one after a good step less.
      const double before = cost(x_);
      Eigen::LLT<Eigen::MatrixXd> solver;
      Eigen::VectorXd change;
      for (int tried = 0; tried < kTries; ++tried, damping *= 2) {
        Eigen::MatrixXd damped = information;
        damped.diagonal() *= 1 + damping;
        change = solver.compute(damped).solve(slope);
        if (!change.allFinite()) return;
        rows = rows_at(points, x_ + change);
        if (cost(x_ + change) <= before) break;
      }
      damping /= 2;
      // Damping makes steps short and not the parameters surer.
      root_ = solver.compute(information).matrixL().solve(Eigen::MatrixXd::Identity(x_.size(), x_.size()));
      x_ += change;
      learn_deviations(rows.residual, weight);
      if (change.cwiseAbs().maxCoeff() < kNear) break;
    }
  }

  // By expectation and maximisation, with what is assumed as some networks and runs more.
  void learn_deviations(const Eigen::VectorXd& residual, const Eigen::VectorXd& weight) {
    const auto learnt = [](double assumed, double squares, double count) {
      return std::sqrt((kWorth * squared(assumed) + squares) / (kWorth + count));
    };
    for (Effect& effect : effects_) {
      double squares = 0;
      for (const auto& [key, level] : effect.levels)
        squares += squared(x_(level)) + root_.col(level).squaredNorm();
      effect.deviation = learnt(effect.assumed, squares, static_cast<double>(effect.levels.size()));
    }
    noise_ = learnt(formula_.noise, weight.dot(residual.cwiseAbs2()) * squared(noise_),
                    static_cast<double>(weight.size()));
  }

  Formula formula_;
  std::array<Effect, kEffects> effects_ = {Effect{kNetwork, formula_.between_networks},
                                           {kNetworkInPhase, formula_.between_phases},
                                           {0, formula_.between_owners}};
  Eigen::VectorXd x_;     // the parameters, and the effects' levels
  Eigen::MatrixXd root_;  // of their covariance, which is its transpose times itself
  double noise_;
};

// Those of the owners who were there first, as many as have run two networks. `runs` are in the order of owners.
Runs first_ones(const Runs& runs) {
  Runs out;
  for (const Datum* run : runs) {
    if (!out.empty() && run->owner != out.back()->owner && different(out, kNetwork) >= 2) break;
    out.push_back(run);
  }
  return out;
}

// What another owner ran may be far from what the first ones' networks foretell; half of it, further than a factor of
// kFarOff and than the fit itself thinks likely, is not of this machine, or not of this world.
void leave_out_who_contradicts(const std::function<Formula(const Runs&)>& formula_of, Runs& runs) {
  constexpr double kFarOff = 3, kLikely = 2;  // kLikely: standard deviations
  Runs first = first_ones(runs);
  const std::size_t count = first.size();
  if (count == runs.size()) return;
  const FittedFormula foretold(formula_of(first), first);
  std::map<std::int64_t, std::vector<double>> off;  // one and more: too far
  for (const Datum* run : std::span(runs).subspan(count)) {
    const auto estimate = foretold(run->what).estimate;
    const double allowed = estimate ? std::max(std::log(kFarOff), kLikely * estimate->deviation) : 1;
    off[run->owner].push_back(estimate ? std::abs(std::log(run->value) - estimate->log_mean) / allowed : 1);
  }
  std::erase_if(runs, [&](const Datum* run) {
    const auto its = off.find(run->owner);
    return its != off.end() && regression::median(its->second) >= 1;
  });
}

}  // namespace

Answers fit_formula(const std::function<Formula(const Runs&)>& formula_of, Runs& runs) {
  const auto ranks = ranks_of_owners(runs, [](const Datum* run) -> const Datum& { return *run; });
  const auto rank_of = [&](const Datum* run) { return ranks.at(run->owner); };
  std::erase_if(runs, [&](const Datum* run) { return rank_of(run) >= kMostOwners; });
  std::ranges::stable_sort(runs, {}, rank_of);
  if (ranks.size() > 1) leave_out_who_contradicts(formula_of, runs);
  return FittedFormula(formula_of(runs), runs);
}

}  // namespace etad::estimators
