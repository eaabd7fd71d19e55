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
  Parameters sum = Parameters::Zero();  // of each parameter's share of the time
  double seconds = value(kIteration);
  sum(kIteration) = value(kIteration);
  const auto pass = [&](const LayerCosts& layer, double operations, double bytes, bool backward) {
    const int kind = kFirstKind + layer.kind, peak = layer.matrix ? kPeak : kScalar;
    const double factor = backward ? value(kBackward) : 1;
    const double compute = operations * samples / value(peak), memory = bytes / value(kBandwidth);
    const double squares = squared(compute) + squared(memory);
    const double time = value(kind) * factor * std::sqrt(squares);
    if (squares > 0)
      sum(peak) -= time * squared(compute) / squares, sum(kBandwidth) -= time * squared(memory) / squares;
    sum(kind) += time;
    seconds += time;
    const double lowering = value(kLowering) * layer.lowered * samples / value(kScalar) * factor *
                            (backward ? operations / std::max(layer.operations, 1.0) : 1);
    sum(kLowering) += lowering;
    sum(kScalar) -= lowering;
    seconds += lowering;
    sum(kLayer) += value(kLayer);
    seconds += value(kLayer);
  };
  for (const LayerCosts& layer : what.costs->layers) {
    const double moved = kBytes * (layer.elements * samples + layer.weights);
    pass(layer, layer.operations, moved, false);
    if (!train || layer.backward_operations <= 0) continue;
    const double before = seconds;
    pass(layer, layer.backward_operations, 2 * moved, true);
    sum(kBackward) += seconds - before - value(kLayer);
    const double update = kUpdate * kBytes * layer.weights / value(kBandwidth);
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
constexpr int kSteps = 20;
constexpr int kHalvings = 8;    // of a step
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

// A machine's roofline, fitted to its runs of described networks: the maximum a posteriori by Gauss-Newton.
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
  void fit(const std::vector<Group>& groups, const Eigen::VectorXd& prior);
  Parameters parameters() const { return x_.head<roofline::kParameters>(); }

  int columns_ = roofline::kParameters;
  std::map<std::string, int> networks_, phases_;  // places of their effects among the columns
  Eigen::VectorXd x_;
  Eigen::MatrixXd covariance_;
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

void Roofline::fit(const std::vector<Group>& groups, const Eigen::VectorXd& prior) {
  const auto n = static_cast<Eigen::Index>(groups.size());
  // The design's rows are mostly zeros: behind these columns each has a one for its network and one for its phase.
  Eigen::Matrix<double, Eigen::Dynamic, roofline::kParameters> gradients(n, roofline::kParameters);
  Eigen::VectorXd weight(n), precision(columns_);
  const auto residuals = [&](const Eigen::VectorXd& x) {
    Eigen::VectorXd out(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Group& group = groups[static_cast<std::size_t>(i)];
      const auto predicted = roofline::predict(*group.what, x.head<roofline::kParameters>());
      out(i) = group.log_value - std::log(predicted.seconds) - x(group.network) - x(group.phase);
      gradients.row(i) = predicted.gradient.transpose();
    }
    return out;
  };
  const auto cost = [&](const Eigen::VectorXd& residual, const Eigen::VectorXd& x) {
    return weight.dot(residual.cwiseAbs2()) + precision.dot((x - prior).cwiseAbs2());
  };
  Eigen::VectorXd residual = residuals(x_);
  for (int step = 0; step < kSteps; ++step) {
    precision.setConstant(1 / squared(kKindPrior));
    precision.head<3>().setConstant(1 / squared(kPeakPrior));
    precision.segment<2>(roofline::kIteration).setConstant(1 / squared(kOverheadPrior));
    precision(roofline::kBackward) = 1 / squared(kBackwardPrior);
    precision(roofline::kLowering) = 1 / squared(kLoweringPrior);
    for (const auto& [name, at] : networks_) precision(at) = 1 / squared(between_networks_);
    for (const auto& [name, at] : phases_) precision(at) = 1 / squared(between_phases_);
    for (Eigen::Index i = 0; i < n; ++i) {
      // Student's t: a run that went astray has little say. Replicates share what moved their time.
      const double replicates = groups[static_cast<std::size_t>(i)].runs,
                   runs = 2 * replicates / (1 + replicates);
      weight(i) = runs / squared(noise_) * 5 / (4 + runs * squared(residual(i) / noise_));
    }
    Eigen::MatrixXd information = precision.asDiagonal();
    Eigen::VectorXd slope = precision.cwiseProduct(prior - x_);
    information.topLeftCorner<roofline::kParameters, roofline::kParameters>() +=
        gradients.transpose() * weight.asDiagonal() * gradients;
    slope.head<roofline::kParameters>() += gradients.transpose() * weight.cwiseProduct(residual);
    for (Eigen::Index i = 0; i < n; ++i) {
      const std::array levels = {groups[static_cast<std::size_t>(i)].network,
                                 groups[static_cast<std::size_t>(i)].phase};
      for (const int level : levels) {
        information.row(level).head<roofline::kParameters>() += weight(i) * gradients.row(i);
        information(level, level) += weight(i);
        slope(level) += weight(i) * residual(i);
      }
      information(std::ranges::max(levels), std::ranges::min(levels)) += weight(i);
    }
    const Eigen::LLT<Eigen::MatrixXd> solver(information);
    Eigen::VectorXd change = solver.solve(slope);
    if (!change.allFinite()) break;
    covariance_ = solver.solve(Eigen::MatrixXd::Identity(columns_, columns_));
    // As far as the derivatives hold: a step that makes it worse is halved.
    const double before = cost(residual, x_);
    for (int halved = 0; halved < kHalvings; ++halved, change /= 2) {
      residual = residuals(x_ + change);
      if (cost(residual, x_ + change) <= before) break;
    }
    x_ += change;
    // The levels' variances by expectation and maximisation, with the prior's worth of pseudo-members.
    const auto level = [&](const std::map<std::string, int>& members, double assumed) {
      double sum = kPriorWorth * squared(assumed);
      for (const auto& [name, i] : members) sum += squared(x_(i)) + covariance_(i, i);
      return std::sqrt(sum / (kPriorWorth + static_cast<double>(members.size())));
    };
    between_networks_ = level(networks_, kNetworkPrior);
    between_phases_ = level(phases_, kPhasePrior);
    const double known = weight.dot(residual.cwiseAbs2()) * squared(noise_);
    noise_ = std::sqrt((kPriorWorth * squared(kNoisePrior) + known) / (kPriorWorth + static_cast<double>(n)));
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
  double variance = x.dot(covariance_ * x) + squared(noise_);
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
