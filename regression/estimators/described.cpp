// What a network's description says of its memory: the weights, in a training with their gradients and the
// solver's history, and what the layers put out for each sample, in a training with its gradients: what Caffe counts as
// "Memory required for data". (As in Gao et al., "Estimating GPU memory consumption of deep learning models",
// ESEC/FSE 2020.) What a library needs anyway and how much more it takes than the description says are fitted, from a
// prior on; each network is off by a factor of its own.
#include <algorithm>
#include <cmath>
#include <map>

#include "regression/estimators/methods.h"

namespace etad::estimators {
namespace {

constexpr double kBytes = 4;       // of a number
constexpr double kCopies = 3;      // of the weights in a training: themselves, gradient, history
constexpr double kBase = 0.4e9;    // of a device's context and libraries, before any run
constexpr double kBaseSpread = 1;  // of that, in the logarithm
constexpr double kScaleSpread = 0.4;
constexpr double kNetworkSpread = 0.25;  // a network's own factor
constexpr double kRunNoise = 0.05;
constexpr int kTried = 41;      // of either parameter that are tried
constexpr double kReach = 2.5;  // spreads to either side

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

struct Point {
  double implied, log_peak;
};

// A machine's base and scale: those that make its networks' runs and the prior likeliest.
struct Machine {
  double base = kBase, scale = 1;
  RestsOn rests_on;
  std::map<std::string, std::pair<double, int>>
      networks;  // sum of what the runs of each are off by, and how many

  double log_peak(double bytes) const { return std::log(base + scale * bytes); }
};

double cost_of(const Machine& machine, double base, double scale,
               const std::map<std::string, std::vector<Point>>& runs) {
  double out = base * base / (kBaseSpread * kBaseSpread) + scale * scale / (kScaleSpread * kScaleSpread);
  Machine tried = machine;
  tried.base = kBase * std::exp(base);
  tried.scale = std::exp(scale);
  for (const auto& [network, points] : runs) {
    double sum = 0, squares = 0;
    for (const Point& point : points) {
      const double off = point.log_peak - tried.log_peak(point.implied);
      sum += off, squares += off * off;
    }
    // With the network's own factor integrated out.
    const auto n = static_cast<double>(points.size());
    const double shared =
        kNetworkSpread * kNetworkSpread / (kRunNoise * kRunNoise + n * kNetworkSpread * kNetworkSpread);
    out += (squares - shared * sum * sum) / (kRunNoise * kRunNoise);
  }
  return out;
}

class FittedDescribed final : public Fitted {
 public:
  explicit FittedDescribed(const History& history) {
    std::map<std::string, std::map<std::string, std::vector<Point>>> machines;
    std::map<std::string, std::vector<const Datum*>> runs;
    for (const Datum& datum : history) {
      if (!datum.what.costs || !usable(datum)) continue;
      const std::string key = key_of(datum.what, kMachine);
      machines[key][datum.what.network].push_back({implied(datum.what), std::log(datum.value)});
      runs[key].push_back(&datum);
    }
    for (const auto& [key, networks] : machines) {
      Machine& machine = machines_[key];
      double best = INFINITY, base_of_best = 0, scale_of_best = 0;
      for (int i = 0; i < kTried; ++i)
        for (int j = 0; j < kTried; ++j) {
          const auto at = [](int step, double spread) {
            return spread * kReach * (2.0 * step / (kTried - 1) - 1);
          };
          const double base = at(i, kBaseSpread), scale = at(j, kScaleSpread);
          const double cost = cost_of(machine, base, scale, networks);
          if (cost < best) best = cost, base_of_best = base, scale_of_best = scale;
        }
      machine.base = kBase * std::exp(base_of_best);
      machine.scale = std::exp(scale_of_best);
      machine.rests_on = rests_on(runs[key]);
      for (const auto& [network, points] : networks) {
        auto& [sum, n] = machine.networks[network];
        for (const Point& point : points) sum += point.log_peak - machine.log_peak(point.implied), ++n;
      }
    }
  }

  Reply predict(const Case& what) const override {
    if (!what.costs) return abstain("no description of " + what.network + " was shown");
    if (!what.has_samples()) return abstain("the batch size is not known");
    static const Machine kUnknown;
    const auto found = machines_.find(key_of(what, kMachine));
    const Machine& machine = found == machines_.end() ? kUnknown : found->second;
    const auto own = machine.networks.find(what.network);
    const auto [sum, n] = own == machine.networks.end() ? std::pair<double, int>() : own->second;
    const double shared = kNetworkSpread * kNetworkSpread;
    const double left =
        1 / (1 / shared + n / (kRunNoise * kRunNoise));  // variance of its factor by those runs
    Estimate out;
    out.log_mean = machine.log_peak(implied(what)) + sum * left / (kRunNoise * kRunNoise);
    out.deviation = std::sqrt(kRunNoise * kRunNoise + left +
                              (found == machines_.end() ? kScaleSpread * kScaleSpread : 0));
    out.rests_on = machine.rests_on;
    return {out, {}};
  }

 private:
  std::map<std::string, Machine> machines_;
};

}  // namespace

Estimator described() {
  return {.name = "described",
          .source = "Gao et al., ESEC/FSE 2020",
          .needs = [](const History&) { return std::nullopt; },
          .fit =
              [](const History& history, Target target) {
                return target == Target::peak_bytes ? std::make_unique<FittedDescribed>(history) : nullptr;
              }};
}

}  // namespace etad::estimators
