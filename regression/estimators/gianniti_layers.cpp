// Gianniti, Zhang & Ardagna, "Performance prediction of GPU-based deep learning applications" (per layer,
// 2018): from runs that time layers, a layer takes alpha + beta operations, with coefficients for each kind
// of layer and each direction; a network takes the sum over its layers.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "regression/estimators/methods.h"
#include "regression/estimators/solvers.h"

namespace etad::estimators {
namespace {

// What the sum leaves out (fetching data, updating weights, other libraries): before anything was compared.
constexpr double kDeviation = 0.25;

struct Line {
  double alpha = 0, beta = 0;
  bool known = false;
};
using Direction = std::array<Line, kLayerKinds>;

struct Machine {
  Direction forward, backward;
  std::vector<const Datum*> runs;  // while it is fitted
  RestsOn rests_on;
};

double work(const LayerCosts& layer, bool backward, double samples) {
  return (backward ? layer.backward_operations : layer.operations) * samples;
}

Line line_of(const std::vector<const Datum*>& runs, int kind, bool backward) {
  std::vector<std::pair<double, double>> points;  // operations, seconds
  for (const Datum* run : runs) {
    for (const LayerCosts& layer : run->what.costs->layers) {
      const double seconds = backward ? layer.backward_seconds : layer.forward_seconds;
      const double operations = work(layer, backward, run->what.samples_per_device());
      if (layer.kind == kind && seconds > 0 && std::isfinite(seconds) && std::isfinite(operations))
        points.emplace_back(operations, seconds);
    }
  }
  if (points.empty()) return {};
  Eigen::MatrixXd design(static_cast<Eigen::Index>(points.size()), 2);
  Eigen::VectorXd y(design.rows());
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const auto& [operations, seconds] = points[static_cast<std::size_t>(i)];
    design.row(i) << 1, operations;
    y(i) = seconds;
  }
  const Eigen::VectorXd b = solve(Solver::relative_nnls, design, y).coefficients;
  return {b(0), b(1), true};
}

bool timed(const Datum& run) {
  const Case& what = run.what;
  return what.phase == "time" && what.costs && what.samples > 0 && what.devices > 0;
}

class FittedLayers final : public Fitted {
 public:
  explicit FittedLayers(const History& history) {
    for (const Datum& run : history)
      if (timed(run)) machines_[key_of(run.what, kMachine)].runs.push_back(&run);
    for (auto& [key, machine] : machines_) {
      for (int kind = 0; kind < kLayerKinds; ++kind) {
        machine.forward[static_cast<std::size_t>(kind)] = line_of(machine.runs, kind, false);
        machine.backward[static_cast<std::size_t>(kind)] = line_of(machine.runs, kind, true);
      }
      machine.rests_on = estimators::rests_on(machine.runs);
      machine.runs.clear();
    }
  }

  Reply predict(const Case& what) const override {
    if (!what.costs || what.costs->layers.empty()) return abstain("no log showed the network's layers");
    if (!(what.samples > 0) || !(what.devices > 0)) return abstain("the batch size is not known");
    if (what.phase == "time") return abstain("a timing run is nothing to be estimated");
    const auto machine = machines_.find(key_of(what, kMachine));
    if (machine == machines_.end()) return abstain("no run timed the layers of a network on that machine");
    const double samples = what.samples_per_device();
    double seconds = 0;
    for (const LayerCosts& layer : what.costs->layers) {
      const auto kind = static_cast<std::size_t>(std::clamp(layer.kind, 0, kLayerKinds - 1));
      const Line& forward = machine->second.forward[kind];
      if (!forward.known) return abstain("no run timed layers of a kind that the network has");
      seconds += forward.alpha + forward.beta * work(layer, false, samples);
      if (what.phase != "train" || layer.backward_operations <= 0) continue;
      const Line& backward = machine->second.backward[kind];
      if (!backward.known) return abstain("no run timed layers of a kind that the network has backward");
      seconds += backward.alpha + backward.beta * work(layer, true, samples);
    }
    if (!(seconds > 0) || !std::isfinite(seconds))
      return abstain("the network's costs are beyond all numbers");
    return {Estimate{std::log(seconds), kDeviation, machine->second.rests_on}, {}};
  }

 private:
  std::map<std::string, Machine> machines_;
};

}  // namespace

Estimator gianniti_layers() {
  Estimator out;
  out.name = "gianniti_layers";
  out.source = "Gianniti, Zhang, Ardagna 2018, per layer";
  out.needs = [](const History& history) -> std::optional<std::string> {
    if (std::ranges::any_of(history, timed)) return {};
    return "a run that times layers (caffe time) of a network whose log shows them";
  };
  out.fit = [](const History& history, Target target) -> std::unique_ptr<const Fitted> {
    if (target != Target::seconds) return nullptr;
    return std::make_unique<FittedLayers>(history);
  };
  return out;
}

}  // namespace etad::estimators
