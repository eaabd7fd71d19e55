// What a network's description says of its memory: the weights, in a training with their gradients and the
// solver's history, and what the layers put out for each sample, in a training with its gradients: what Caffe counts as
// "Memory required for data". (As in Gao et al., "Estimating GPU memory consumption of deep learning models",
// ESEC/FSE 2020.) A device takes base + scale times that: what its context and libraries need anyway, and how much more
// than the description says. Both are fitted, from a prior on; each network is off by a factor of its own.
#include <cmath>
#include <map>

#include "regression/estimators/grouped.h"
#include "regression/estimators/methods.h"
#include "regression/estimators/solvers.h"

namespace etad::estimators {
namespace {

constexpr double kBytes = 4;     // of a number
constexpr double kCopies = 3;    // of the weights in a training: themselves, gradient, history
constexpr double kBase = 0.4e9;  // before any run; and its standard deviation
constexpr double kScaleSpread = 0.4;
constexpr double kNetworkSpread = 0.25;  // of a network's own factor, in the logarithm
constexpr double kRunNoise = 0.05;

double implied(const Case& what) {
  const bool training = what.phase != "test";
  double weights = 0, outputs = 0;
  for (const LayerCosts& layer : what.costs->layers) {
    weights += layer.weights;
    outputs += layer.outputs;
  }
  return kBytes *
         ((training ? kCopies : 1) * weights + (training ? 2 : 1) * outputs * what.samples_per_device());
}

// What the runs of a network are off by, in the logarithm: in sum, and how many there are.
struct Own {
  double sum = 0;
  int runs = 0;
};

// One machine's base and scale: least squares on relative errors, and on the distance from the prior.
class Machine {
 public:
  Machine() = default;
  explicit Machine(const Runs& runs) : rests_on_(estimators::rests_on(runs)), scale_spread_(0) {
    const auto n = static_cast<Eigen::Index>(runs.size());
    Eigen::MatrixXd design = Eigen::MatrixXd::Zero(n + 2, 2);
    Eigen::VectorXd y(n + 2);
    for (const Datum* run : runs) ++networks_[run->what.network].runs;
    for (Eigen::Index i = 0; i < n; ++i) {
      const Datum& run = *runs[static_cast<std::size_t>(i)];
      // The runs of a network share its factor: together they say as much as one.
      y(i) = 1 / std::hypot(kNetworkSpread * std::sqrt(networks_[run.what.network].runs), kRunNoise);
      design.row(i) << y(i) / run.value, y(i) * implied(run.what) / run.value;
    }
    y(n) = 1, design(n, 0) = 1 / kBase;
    y(n + 1) = 1 / kScaleSpread, design(n + 1, 1) = y(n + 1);
    const Eigen::Vector2d fitted = solve(Solver::nnls, design, y);
    base_ = fitted(0), scale_ = fitted(1);
    for (const Datum* run : runs)
      networks_[run->what.network].sum += std::log(run->value) - log_peak(run->what);
  }

  Reply predict(const Case& what) const {
    const auto found = networks_.find(what.network);
    const Own own = found == networks_.end() ? Own() : found->second;
    // Variance of its factor, by those runs.
    const double left = 1 / (1 / std::pow(kNetworkSpread, 2) + own.runs / std::pow(kRunNoise, 2));
    Estimate out;
    out.log_mean = log_peak(what) + own.sum * left / std::pow(kRunNoise, 2);
    out.deviation = std::hypot(kRunNoise, std::sqrt(left), scale_spread_);
    out.rests_on = rests_on_;
    return {out, {}};
  }

 private:
  double log_peak(const Case& what) const { return std::log(base_ + scale_ * implied(what)); }

  RestsOn rests_on_;
  double base_ = kBase, scale_ = 1, scale_spread_ = kScaleSpread;
  std::map<std::string, Own> networks_;
};

class Described final : public Fitted {
 public:
  explicit Described(const History& history) {
    std::map<std::string, Runs> runs;
    for (const Datum& datum : history)
      if (usable(datum) && datum.what.has_layers()) runs[key_of(datum.what, kMachine)].push_back(&datum);
    for (const auto& [key, of] : runs) machines_.emplace(key, Machine(of));
  }

  Reply predict(const Case& what) const override {
    if (!what.has_layers()) return abstain("no description of " + what.network + " was shown");
    if (!what.has_samples()) return abstain("the batch size is not known");
    const auto found = machines_.find(key_of(what, kMachine));
    static const Machine kUnknown;
    return (found == machines_.end() ? kUnknown : found->second).predict(what);
  }

 private:
  std::map<std::string, Machine> machines_;
};

}  // namespace

Estimator described() {
  return {"described", "Gao et al., ESEC/FSE 2020",
          [](const History& history, Target target, const Fitted*) -> Learnt {
            if (target != Target::peak_bytes) return {nullptr, "another quantity than this"};
            return {std::make_unique<Described>(history), ""};
          }};
}

}  // namespace etad::estimators
