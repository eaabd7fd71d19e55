// Gianniti, Zhang & Ardagna, "Performance prediction of GPU-based deep learning applications" (per layer,
// 2018): from runs that time layers, a layer takes alpha + beta operations, with coefficients for each kind
// of layer and each direction; a network takes the sum over its layers.
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "regression/estimators/grouped.h"
#include "regression/estimators/solvers.h"

namespace etad::estimators {
namespace {

// What the sum leaves out (fetching data, updating weights, other libraries): before anything was compared.
constexpr double kDeviation = 0.25;

// Layers that one line describes: those of a kind, in one direction (backward or not).
using Alike = std::pair<int, bool>;

double work(const LayerCosts& layer, bool backward, double samples) {
  return (backward ? layer.backward_operations : layer.operations) * samples;
}

Answers fit_layers(const Runs& runs) {
  std::map<Alike, std::vector<Eigen::Vector2d>> timed;  // operations, seconds
  std::set<std::string_view> networks;                  // each was timed once for all of its runs
  for (const Datum* run : runs) {
    if (!networks.insert(run->what.network).second) continue;
    const auto& layers = run->what.costs->layers;
    for (const auto& [place, samples, forward_seconds, backward_seconds] : run->what.costs->timings)
      for (const bool backward : {false, true}) {
        const LayerCosts& layer = layers[static_cast<std::size_t>(place) % layers.size()];
        const double seconds = backward ? backward_seconds : forward_seconds;
        const double operations = work(layer, backward, samples);
        if (seconds > 0 && std::isfinite(seconds) && std::isfinite(operations))
          timed[{layer.kind, backward}].emplace_back(operations, seconds);
      }
  }
  std::map<Alike, Eigen::Vector2d> lines;  // alpha, beta
  for (const auto& [alike, points] : timed)
    lines[alike] =
        solve(Solver::relative_nnls,
              rows_of(points, [](const Eigen::Vector2d& at) { return Eigen::RowVector2d(1, at(0)); }),
              numbers_of(points, [](const Eigen::Vector2d& at) { return at(1); }));
  return [lines](const Case& what) -> Reply {
    double seconds = 0;
    for (const LayerCosts& layer : what.costs->layers)
      for (const bool backward : {false, true}) {
        if (backward && (what.phase != "train" || layer.backward_operations <= 0)) continue;
        const auto line = lines.find({layer.kind, backward});
        if (line == lines.end()) return abstain("no run timed layers of a kind that the network has");
        seconds += line->second.dot(Eigen::Vector2d(1, work(layer, backward, what.samples_per_device())));
      }
    if (!(seconds > 0) || !std::isfinite(seconds))
      return abstain("the network's costs are beyond all numbers");
    return {Estimate{std::log(seconds), kDeviation, {}}, {}};
  };
}

}  // namespace

Estimator gianniti_layers() {
  return grouped({.name = "gianniti_layers",
                  .source = "Gianniti, Zhang, Ardagna 2018, per layer",
                  .targets = {Target::seconds},
                  .group = [](const Case& what) { return key_of(what, kMachine); },
                  .needs_layers = true,
                  .usable = [](const Datum& run) { return !run.what.costs->timings.empty(); },
                  .missing = "a run that times layers (caffe time) of a network whose log shows them",
                  .fit = fit_layers});
}

}  // namespace etad::estimators
