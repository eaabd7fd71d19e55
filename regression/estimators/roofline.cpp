#include "regression/estimators/roofline.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "regression/estimators/grouped.h"
#include "regression/estimators/methods.h"
#include "regression/statistics.h"

namespace etad::estimators {
namespace roofline {

namespace {
constexpr double kBytes = 4;
constexpr double kUpdate = 10;

double squared(double x) {
  return x * x;
}
}  // namespace

Prediction predict(const Case& what, const Parameters& at) {
  const Eigen::Array<double, kParameters, 1> value = at.array().exp();
  const bool train = what.phase == "train";
  const double samples = what.samples_per_device();
  const double per_byte = 1 / value(kBandwidth), per_scalar = samples / value(kScalar),
               per_matrix = samples / value(kPeak);
  Parameters sum = Parameters::Zero();  // of each parameter's share of the time
  double seconds = value(kIteration);
  sum(kIteration) = value(kIteration);
  // The quantities go in, `times` over for the lowering, and the time comes out that is in proportion to `factor`.
  const auto pass = [&](const LayerCosts& layer, double operations, double bytes, double times,
                        double factor) {
    const int kind = kFirstKind + layer.kind, peak = layer.matrix ? kPeak : kScalar;
    const double compute = operations * (layer.matrix ? per_matrix : per_scalar), memory = bytes * per_byte;
    const double squares = squared(compute) + squared(memory);
    const double time = factor * value(kind) * std::sqrt(squares);
    const double computing = squares > 0 ? time * squared(compute) / squares : 0;  // its share by the peak
    const double lowering = factor * times * value(kLowering) * layer.lowered * per_scalar;
    sum(peak) -= computing;
    sum(kBandwidth) -= time - computing;
    sum(kind) += time;
    sum(kLowering) += lowering;
    sum(kScalar) -= lowering;
    sum(kLayer) += value(kLayer);
    seconds += time + lowering + value(kLayer);
    return time + lowering;
  };
  for (const LayerCosts& layer : what.costs->layers) {
    const double moved = kBytes * (layer.elements * samples + layer.weights);
    pass(layer, layer.operations, moved, 1, 1);
    if (!train || layer.backward_operations <= 0) continue;
    const double times = layer.backward_operations / std::max(layer.operations, 1.0);
    sum(kBackward) += pass(layer, layer.backward_operations, 2 * moved, times, value(kBackward));
    const double update = kUpdate * kBytes * layer.weights * per_byte;
    sum(kBandwidth) -= update;
    seconds += update;
  }
  return {seconds, sum / seconds};
}

}  // namespace roofline

namespace {

using roofline::Parameters;
using roofline::squared;

constexpr int kMaxNetworks = 32;  // more of them hardly make a machine's parameters surer
constexpr int kSteps = 12;
constexpr int kTries = 8;       // of a step
constexpr double kNear = 3e-2;  // a step this short, in the logarithm, is the last

// Standard deviations of the priors. Peaks and overheads are hardly known beforehand; a kind of layer falls
// short of the peaks like the others, or half or twice as much.
constexpr double kPeakPrior = 2, kOverheadPrior = 2, kBackwardPrior = 0.3, kLoweringPrior = 0.3,
                 kKindPrior = 0.6;

// How far networks, their phases and single runs are off, before any is seen, and how many that is worth.
constexpr double kNetworkPrior = 0.1, kPhasePrior = 0.06, kNoisePrior = 0.1, kPriorWorth = 3;

// The machine of which the runs' networks would be typical: peaks at their median rates, overheads of a
// hundredth of an iteration.
Parameters typical(const Runs& runs) {
  std::vector<double> rates, traffic, seconds, layers;
  for (const Datum* run : runs) {
    double operations = 0, elements = 0;
    const double samples = run->what.samples_per_device();
    for (const LayerCosts& layer : run->what.costs->layers) {
      const bool train = run->what.phase == "train";
      operations += samples * (layer.operations + (train ? layer.backward_operations : 0));
      elements += samples * layer.elements * (train ? 3 : 1) + layer.weights;
    }
    rates.push_back(std::log(std::max(operations, 1.0) / run->value));
    traffic.push_back(std::log(std::max(4 * elements, 1.0) / run->value));
    seconds.push_back(std::log(run->value));
    layers.push_back(std::log(static_cast<double>(run->what.costs->layers.size())));
  }
  using regression::median;
  Parameters x = Parameters::Zero();
  x(roofline::kPeak) = median(rates) + std::log(1.5);
  x(roofline::kBandwidth) = median(traffic) + std::log(3.0);
  x(roofline::kScalar) = x(roofline::kPeak) - std::log(30.0);
  x(roofline::kIteration) = median(seconds) - std::log(100.0);
  x(roofline::kLayer) = median(seconds) - median(layers) - std::log(100.0);
  return x;
}

// A machine's roofline, fitted to its runs of described networks: the maximum a posteriori by Levenberg and Marquardt's
// method (Marquardt, SIAM J. Appl. Math. 11, 1963).
class Roofline {
 public:
  explicit Roofline(Runs& runs);  // of at most kMaxNetworks networks, the first ones
  Reply operator()(const Case& what) const;

 private:
  struct Group {
    const Case* what = nullptr;
    double log_value = 0;  // mean of its runs
    double runs = 0;
    int network = 0, phase = 0;  // indices of the random effects
  };
  using Groups = std::vector<Group>;
  // A row a group.
  struct Rows {
    Eigen::Matrix<double, Eigen::Dynamic, roofline::kParameters> gradients;
    Eigen::VectorXd residual;  // of its logarithm
  };
  static Rows rows_at(const Groups& groups, const Eigen::VectorXd& x);
  static void add_rows(const Groups& groups, const Rows& rows, const Eigen::VectorXd& weight,
                       Eigen::MatrixXd& information, Eigen::VectorXd& slope);
  Eigen::VectorXd precision() const;
  Eigen::VectorXd weights_of(const Groups& groups, const Rows& rows) const;
  void learn_deviations(const Rows& rows, const Eigen::VectorXd& weight);
  void fit(const Groups& groups, const Eigen::VectorXd& prior);
  Parameters parameters() const { return x_.head<roofline::kParameters>(); }

  int columns_ = roofline::kParameters;
  std::map<std::string, int> networks_, phases_;  // places of their effects among the columns
  Eigen::VectorXd x_;
  Eigen::MatrixXd root_;  // of their covariance, which is its transpose times itself
  double between_networks_ = kNetworkPrior, between_phases_ = kPhasePrior, noise_ = kNoisePrior;
};

Roofline::Roofline(Runs& runs) {
  std::map<std::string, Group> by_case;
  Runs used;
  for (const Datum* run : runs) {
    const std::string network = run->what.network;
    if (!networks_.contains(network)) {
      if (networks_.size() >= kMaxNetworks) continue;
      networks_[network] = columns_++;
    }
    const std::string phase = key_of(run->what, kNetwork | kPhase);
    if (!phases_.contains(phase)) phases_[phase] = columns_++;
    used.push_back(run);
    Group& group = by_case[key_of(run->what, kNetwork | kPhase | kSamples)];
    group.what = &run->what;
    group.log_value += std::log(run->value);
    group.runs += 1;
    group.network = networks_[network];
    group.phase = phases_[phase];
  }
  runs = std::move(used);
  x_ = Eigen::VectorXd::Zero(columns_);
  x_.head<roofline::kParameters>() = typical(runs);
  const Eigen::VectorXd prior = x_;
  std::vector<Group> groups;
  for (auto& [key, group] : by_case) {
    group.log_value /= group.runs;
    if (roofline::predict(*group.what, parameters()).gradient.allFinite()) groups.push_back(group);
  }
  fit(groups, prior);
}

// One over the variances of the priors, those of networks and phases as they have been found to differ.
Eigen::VectorXd Roofline::precision() const {
  Eigen::VectorXd out = Eigen::VectorXd::Constant(columns_, 1 / squared(kKindPrior));
  out.head<3>().setConstant(1 / squared(kPeakPrior));
  out.segment<2>(roofline::kIteration).setConstant(1 / squared(kOverheadPrior));
  out(roofline::kBackward) = 1 / squared(kBackwardPrior);
  out(roofline::kLowering) = 1 / squared(kLoweringPrior);
  for (const auto& [name, at] : networks_) out(at) = 1 / squared(between_networks_);
  for (const auto& [name, at] : phases_) out(at) = 1 / squared(between_phases_);
  return out;
}

Roofline::Rows Roofline::rows_at(const Groups& groups, const Eigen::VectorXd& x) {
  const auto n = static_cast<Eigen::Index>(groups.size());
  Rows out{{n, roofline::kParameters}, Eigen::VectorXd(n)};
  for (Eigen::Index i = 0; const Group& group : groups) {
    const auto predicted = roofline::predict(*group.what, x.head<roofline::kParameters>());
    out.residual(i) = group.log_value - std::log(predicted.seconds) - x(group.network) - x(group.phase);
    out.gradients.row(i++) = predicted.gradient.transpose();
  }
  return out;
}

// Student's t: a run that went astray has little say. Replicates share what moved their time.
Eigen::VectorXd Roofline::weights_of(const Groups& groups, const Rows& rows) const {
  Eigen::VectorXd out(rows.residual.size());
  for (Eigen::Index i = 0; const Group& group : groups) {
    const double runs = 2 * group.runs / (1 + group.runs);
    out(i) = runs / squared(noise_) * 5 / (4 + runs * squared(rows.residual(i) / noise_));
    ++i;
  }
  return out;
}

// What the rows add to the normal equations. Behind the parameters' columns each row has nothing but a one for its
// network and one for its phase.
void Roofline::add_rows(const Groups& groups, const Rows& rows, const Eigen::VectorXd& weight,
                        Eigen::MatrixXd& information, Eigen::VectorXd& slope) {
  constexpr int kCount = roofline::kParameters;
  information.topLeftCorner<kCount, kCount>() +=
      rows.gradients.transpose() * weight.asDiagonal() * rows.gradients;
  slope.head<kCount>() += rows.gradients.transpose() * weight.cwiseProduct(rows.residual);
  for (Eigen::Index i = 0; const Group& group : groups) {
    const std::array levels = {group.network, group.phase};
    for (const int level : levels) {
      information.row(level).head<kCount>() += weight(i) * rows.gradients.row(i);
      information(level, level) += weight(i);
      slope(level) += weight(i) * rows.residual(i);
    }
    information(std::ranges::max(levels), std::ranges::min(levels)) += weight(i++);
  }
}

// By expectation and maximisation, with the prior's worth of pseudo-members.
void Roofline::learn_deviations(const Rows& rows, const Eigen::VectorXd& weight) {
  const auto between = [&](const std::map<std::string, int>& members, double assumed) {
    double sum = kPriorWorth * squared(assumed);
    for (const auto& [name, i] : members) sum += squared(x_(i)) + root_.col(i).squaredNorm();
    return std::sqrt(sum / (kPriorWorth + static_cast<double>(members.size())));
  };
  between_networks_ = between(networks_, kNetworkPrior);
  between_phases_ = between(phases_, kPhasePrior);
  const double known = weight.dot(rows.residual.cwiseAbs2()) * squared(noise_);
  noise_ = std::sqrt((kPriorWorth * squared(kNoisePrior) + known) /
                     (kPriorWorth + static_cast<double>(weight.size())));
}

void Roofline::fit(const Groups& groups, const Eigen::VectorXd& prior) {
  Rows rows = rows_at(groups, x_);
  double damping = 1;
  for (int step = 0; step < kSteps; ++step) {
    const Eigen::VectorXd precise = precision(), weight = weights_of(groups, rows);
    const auto cost = [&](const Eigen::VectorXd& x) {
      return weight.dot(rows.residual.cwiseAbs2()) + precise.dot((x - prior).cwiseAbs2());
    };
    Eigen::MatrixXd information = precise.asDiagonal();
    Eigen::VectorXd slope = precise.cwiseProduct(prior - x_);
    add_rows(groups, rows, weight, information, slope);
    // As far as the derivatives hold: a step that makes it worse is damped more, the one after a good step less.
    const double before = cost(x_);
    Eigen::LLT<Eigen::MatrixXd> solver;
    Eigen::VectorXd change;
    for (int tried = 0; tried < kTries; ++tried, damping *= 2) {
      Eigen::MatrixXd damped = information;
      damped.diagonal() *= 1 + damping;
      change = solver.compute(damped).solve(slope);
      if (!change.allFinite()) return;
      rows = rows_at(groups, x_ + change);
      if (cost(x_ + change) <= before) break;
    }
    damping /= 2;
    // Damping makes steps short and not the parameters surer.
    root_ = solver.compute(information).matrixL().solve(Eigen::MatrixXd::Identity(columns_, columns_));
    x_ += change;
    learn_deviations(rows, weight);
    if (change.cwiseAbs().maxCoeff() < kNear) break;
  }
}

Reply Roofline::operator()(const Case& what) const {
  const auto [seconds, gradient] = roofline::predict(what, parameters());
  const auto place = [](const std::map<std::string, int>& all, const std::string& key) {
    const auto found = all.find(key);
    return found == all.end() ? -1 : found->second;
  };
  const int network = place(networks_, what.network), phase = place(phases_, key_of(what, kNetwork | kPhase));
  Eigen::VectorXd x = Eigen::VectorXd::Zero(columns_);
  x.head<roofline::kParameters>() = gradient;
  for (const int level : {network, phase})
    if (level >= 0) x(level) = 1;
  double log_mean = std::log(seconds);
  double variance = (root_ * x).squaredNorm() + squared(noise_);
  if (network >= 0) log_mean += x_(network);
  if (phase >= 0) log_mean += x_(phase);
  if (network < 0) variance += squared(between_networks_);
  if (phase < 0) variance += squared(between_phases_);
  const double deviation = std::sqrt(variance);
  if (!std::isfinite(log_mean) || !std::isfinite(deviation))
    return abstain("the network's costs are beyond all numbers");
  return {Estimate{log_mean, deviation, {}}, {}};
}

}  // namespace

Estimator layer_roofline() {
  return grouped({.name = "roofline",
                  .source = "Williams, Waterman, Patterson, CACM 2009; Hong, Kim, ISCA 2009",
                  .targets = {Target::seconds},
                  .group = [](const Case& what) { return key_of(what, kMachine | kDevices); },
                  .layered = true,
                  .usable = [](const Datum& run) { return run.what.phase != "time"; },
                  .enough = [](const Runs& runs) { return different(runs, kNetwork) >= 2; },
                  .missing = "runs of 2 networks on one machine, whose logs showed their layers",
                  .fit = [](Runs& runs) { return Roofline(runs); }});
}

}  // namespace etad::estimators
