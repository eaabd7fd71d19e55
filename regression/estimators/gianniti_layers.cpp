// Gianniti, Zhang & Ardagna, "Performance prediction of GPU-based deep learning applications" (per layer,
// 2018): from runs that time layers, a layer takes alpha + beta operations, with coefficients for each kind
// of layer and each direction; a network takes the sum over its layers.
#include <algorithm>
#include <array>
#include <cmath>

#include "regression/estimators/grouped.h"
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

double work(const LayerCosts& layer, bool backward, double samples) {
  return (backward ? layer.backward_operations : layer.operations) * samples;
}

Line line_of(const Runs& runs, int kind, bool backward) {
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
  const Eigen::VectorXd b = solve(Solver::relative_nnls, design, y);
  return {b(0), b(1), true};
}

class FittedLayers final : public Fitted {
 public:
  explicit FittedLayers(const Runs& runs) {
    for (int kind = 0; kind < kLayerKinds; ++kind) {
      forward_[static_cast<std::size_t>(kind)] = line_of(runs, kind, false);
      backward_[static_cast<std::size_t>(kind)] = line_of(runs, kind, true);
    }
  }

  Reply predict(const Case& what) const override {
    if (!what.has_layers()) return abstain("no log showed the network's layers");
    if (what.phase == "time") return abstain("a timing run is nothing to be estimated");
    const double samples = what.samples_per_device();
    double seconds = 0;
    for (const LayerCosts& layer : what.costs->layers) {
      const auto kind = static_cast<std::size_t>(std::clamp(layer.kind, 0, kLayerKinds - 1));
      const Line &forward = forward_[kind], &backward = backward_[kind];
      if (!forward.known) return abstain("no run timed layers of a kind that the network has");
      seconds += forward.alpha + forward.beta * work(layer, false, samples);
      if (what.phase != "train" || layer.backward_operations <= 0) continue;
      if (!backward.known) return abstain("no run timed layers of a kind that the network has backward");
      seconds += backward.alpha + backward.beta * work(layer, true, samples);
    }
    if (!(seconds > 0) || !std::isfinite(seconds))
      return abstain("the network's costs are beyond all numbers");
    return {Estimate{std::log(seconds), kDeviation, {}}, {}};
  }

 private:
  Direction forward_, backward_;
};

}  // namespace

Estimator gianniti_layers() {
  return grouped({.name = "gianniti_layers",
                  .source = "Gianniti, Zhang, Ardagna 2018, per layer",
                  .targets = {Target::seconds},
                  .group = [](const Case& what) { return key_of(what, kMachine); },
                  .usable = [](const Datum& run) { return run.what.phase == "time" && run.what.costs; },
                  .enough = [](const Runs&) { return true; },
                  .missing = "a run that times layers (caffe time) of a network whose log shows them",
                  .fit = [](Runs& runs) { return std::make_unique<FittedLayers>(runs); }});
}

}  // namespace etad::estimators
