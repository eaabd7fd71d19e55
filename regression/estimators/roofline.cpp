#include "regression/estimators/roofline.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <utility>

#include "regression/estimators/grouped.h"
#include "regression/estimators/methods.h"

namespace etad::estimators {
namespace roofline {

namespace {
constexpr double kBytes = 4;
constexpr double kUpdate = 10;
}  // namespace

Prediction predict(const Case& what, const Parameters& at) {
  const Eigen::Array<double, kParameters, 1> value = at.array().exp();
  const bool train = what.phase == "train";
  const double samples = what.samples_per_device();
  Parameters sum = Parameters::Zero();  // of each parameter's share of the time
  double seconds = value(kIteration);
  sum(kIteration) = value(kIteration);
  const auto add = [&](double time, std::initializer_list<int> slower, int faster) {
    for (const int parameter : slower) sum(parameter) += time;
    sum(faster) -= time;
    seconds += time;
  };
  const auto pass = [&](const LayerCosts& layer, double operations, double bytes, bool backward) {
    const int kind = kFirstKind + layer.kind, peak = layer.matrix ? kPeak : kScalar;
    const double factor = backward ? value(kBackward) : 1;
    const double compute = operations * samples / value(peak), memory = bytes / value(kBandwidth);
    const int bound = compute > memory ? peak : kBandwidth;
    add(value(kind) * factor * std::max(compute, memory), {kind}, bound);
    const double lowering = value(kLowering) * layer.lowered * samples / value(kScalar);
    add(lowering * factor * (backward ? operations / std::max(layer.operations, 1.0) : 1), {kLowering},
        kScalar);
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
    add(kUpdate * kBytes * layer.weights / value(kBandwidth), {}, kBandwidth);
  }
  return {seconds, sum / seconds};
}

}  // namespace roofline

namespace {

using roofline::Parameters;

constexpr int kMaxNetworks = 32;              // more of them hardly make a machine's parameters surer
constexpr int kSteps = 30, kStepsAgain = 10;  // the latter from where a search of nearly the same ended
constexpr double kNear = 1e-3;                // a step this short, in the logarithm, is the last
constexpr double kStepLength = 1;             // in the logarithm: a derivative holds no further

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
  const auto middle = [](std::vector<double>& v) {
    const auto mid = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::ranges::nth_element(v, mid);
    return *mid;
  };
  Parameters x = Parameters::Zero();
  x(roofline::kPeak) = middle(rates) + std::log(1.5);
  x(roofline::kBandwidth) = middle(traffic) + std::log(3.0);
  x(roofline::kScalar) = x(roofline::kPeak) - std::log(30.0);
  x(roofline::kIteration) = middle(seconds) - std::log(100.0);
  x(roofline::kLayer) = middle(seconds) - middle(layers) - std::log(100.0);
  return x;
}

double squared(double x) {
  return x * x;
}

// A machine's roofline, fitted to its runs of described networks: the maximum a posteriori by Gauss-Newton.
class Roofline final : public Fitted {
 public:
  // Of at most kMaxNetworks networks, the first ones. `before`: of nearly the same runs, from which the search starts;
  // nullptr: from what is typical.
  Roofline(Runs& runs, const Roofline* before);
  Reply predict(const Case& what) const override;

 private:
  struct Group {
    const Case* what = nullptr;
    double log_value = 0;  // mean of its runs
    double runs = 0;
    int network = 0, phase = 0;  // indices of the random effects
  };
  void start_from(const Roofline& before);
  void fit(const std::vector<Group>& groups, const Eigen::VectorXd& prior, int steps);
  Parameters parameters() const { return x_.head<roofline::kParameters>(); }
  Eigen::RowVectorXd row(const Parameters& gradient, int network, int phase) const;

  int columns_ = roofline::kParameters;
  std::map<std::string, int> networks_, phases_;  // places of their effects among the columns
  Eigen::VectorXd x_;
  Eigen::MatrixXd covariance_;
  double between_networks_ = kNetworkPrior, between_phases_ = kPhasePrior, noise_ = kNoisePrior;
};

Roofline::Roofline(Runs& runs, const Roofline* before) {
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
  if (before != nullptr) start_from(*before);
  std::vector<Group> groups;
  for (auto& [key, group] : by_case) {
    group.log_value /= group.runs;
    groups.push_back(group);
  }
  fit(groups, prior, before != nullptr ? kStepsAgain : kSteps);
}

void Roofline::start_from(const Roofline& before) {
  x_.head<roofline::kParameters>() = before.parameters();
  const auto take = [&](const std::map<std::string, int>& ours, const std::map<std::string, int>& theirs) {
    for (const auto& [name, at] : ours)
      if (const auto found = theirs.find(name); found != theirs.end()) x_(at) = before.x_(found->second);
  };
  take(networks_, before.networks_);
  take(phases_, before.phases_);
  between_networks_ = before.between_networks_;
  between_phases_ = before.between_phases_;
  noise_ = before.noise_;
}

Eigen::RowVectorXd Roofline::row(const Parameters& gradient, int network, int phase) const {
  Eigen::RowVectorXd out = Eigen::RowVectorXd::Zero(columns_);
  out.head<roofline::kParameters>() = gradient.transpose();
  if (network >= 0) out(network) = 1;
  if (phase >= 0) out(phase) = 1;
  return out;
}

void Roofline::fit(const std::vector<Group>& groups, const Eigen::VectorXd& prior, int steps) {
  const auto n = static_cast<Eigen::Index>(groups.size());
  Eigen::MatrixXd design(n, columns_);
  Eigen::VectorXd residual(n), weight(n), precision(columns_);
  covariance_ = Eigen::MatrixXd::Identity(columns_, columns_);  // until the first step
  for (int step = 0; step < steps; ++step) {
    precision.setConstant(1 / squared(kKindPrior));
    precision.head<3>().setConstant(1 / squared(kPeakPrior));
    precision.segment<2>(roofline::kIteration).setConstant(1 / squared(kOverheadPrior));
    precision(roofline::kBackward) = 1 / squared(kBackwardPrior);
    precision(roofline::kLowering) = 1 / squared(kLoweringPrior);
    for (const auto& [name, at] : networks_) precision(at) = 1 / squared(between_networks_);
    for (const auto& [name, at] : phases_) precision(at) = 1 / squared(between_phases_);
    const Parameters at = parameters();
    for (Eigen::Index i = 0; i < n; ++i) {
      const Group& group = groups[static_cast<std::size_t>(i)];
      const auto [seconds, gradient] = roofline::predict(*group.what, at);
      design.row(i) = row(gradient, group.network, group.phase);
      residual(i) = group.log_value - std::log(seconds) - x_(group.network) - x_(group.phase);
      if (!std::isfinite(residual(i)) || !gradient.allFinite()) {  // costs beyond all numbers
        design.row(i).setZero();
        residual(i) = weight(i) = 0;
        continue;
      }
      // Student's t: a run that went astray has little say. Replicates share what moved their time.
      const double runs = 2 * group.runs / (1 + group.runs);
      weight(i) = runs / squared(noise_) * 5 / (4 + runs * squared(residual(i) / noise_));
    }
    Eigen::MatrixXd information = design.transpose() * weight.asDiagonal() * design;
    information.diagonal() += precision;
    const Eigen::LDLT<Eigen::MatrixXd> solver(information);
    Eigen::VectorXd change = solver.solve(design.transpose() * (weight.cwiseProduct(residual)) +
                                          precision.cwiseProduct(prior - x_));
    if (!change.allFinite()) break;
    change = change.cwiseMax(-kStepLength).cwiseMin(kStepLength);
    x_ += change;
    covariance_ = solver.solve(Eigen::MatrixXd::Identity(columns_, columns_));
    // The levels' variances by expectation and maximisation, with the prior's worth of pseudo-members.
    const auto level = [&](const std::map<std::string, int>& members, double before) {
      double sum = kPriorWorth * squared(before);
      for (const auto& [name, i] : members) sum += squared(x_(i)) + covariance_(i, i);
      return std::sqrt(sum / (kPriorWorth + static_cast<double>(members.size())));
    };
    between_networks_ = level(networks_, kNetworkPrior);
    between_phases_ = level(phases_, kPhasePrior);
    const Eigen::VectorXd left = residual - design * change;
    const double known = (left.array().square() * (weight.array() * squared(noise_))).sum();
    noise_ = std::sqrt((kPriorWorth * squared(kNoisePrior) + known) / (kPriorWorth + static_cast<double>(n)));
    if (change.cwiseAbs().maxCoeff() < kNear) break;
  }
}

Reply Roofline::predict(const Case& what) const {
  const auto [seconds, gradient] = roofline::predict(what, parameters());
  const auto place = [](const std::map<std::string, int>& all, const std::string& key) {
    const auto found = all.find(key);
    return found == all.end() ? -1 : found->second;
  };
  const int network = place(networks_, what.network), phase = place(phases_, key_of(what, kNetwork | kPhase));
  const Eigen::RowVectorXd x = row(gradient, network, phase);
  double log_mean = std::log(seconds);
  double variance = (x * covariance_ * x.transpose())(0, 0) + squared(noise_);
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
                  .fit = [](Runs& runs) { return std::make_unique<Roofline>(runs, nullptr); },
                  .refit =
                      [](Runs& runs, const Fitted& before) {
                        return std::make_unique<Roofline>(runs, &static_cast<const Roofline&>(before));
                      }});
}

}  // namespace etad::estimators
