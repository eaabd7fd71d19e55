// Kerr, Diamos, Yalamanchili, "Modeling GPU-CPU workloads and systems", GPGPU-3, 2010: what characterises a workload is
// standardised and reduced to its principal components, on which the logarithm of time is regressed. Their
// characteristics are those of a kernel's instructions; ours are those of a network's layers.
#include <cmath>

#include "regression/estimators/linear.h"

namespace etad::estimators {
namespace {

constexpr double kExplained = 0.95;  // of the variance, by the components that are taken
constexpr Eigen::Index kCharacteristics = 7;
// Each network shows one value of most characteristics: fewer networks than these leave the regression undetermined.
constexpr std::size_t kFewestNetworks = 8;

// How much there is to do, to move and to keep, for all of a device's samples and for each of them, and in how many
// and which kind of layers.
Eigen::RowVectorXd characteristics(const Case& what) {
  double operations = 0, in_matrices = 0, lowered = 0, elements = 0, weights = 0;
  for (const LayerCosts& layer : what.costs->layers) {
    const double both = layer.operations + (what.phase == "train" ? layer.backward_operations : 0);
    operations += both;
    if (layer.matrix) in_matrices += both;
    lowered += layer.lowered, elements += layer.elements, weights += layer.weights;
  }
  const double b = what.samples_per_device();
  Eigen::RowVectorXd out(kCharacteristics);
  out << std::log1p(operations * b), std::log1p(elements * b), std::log1p(lowered * b), std::log1p(weights),
      operations > 0 ? in_matrices / operations : 0, std::log(static_cast<double>(what.costs->layers.size())),
      std::log(b);
  return out;
}

Answers fit_components(const Runs& runs) {
  const auto all = rows_of(runs, [](const Datum* run) { return characteristics(run->what); });
  const auto terms = [components = principal_components(all, kExplained)](const Case& what) {
    Eigen::RowVectorXd row(components.directions.cols() + 1);
    row << 1, components.of(characteristics(what)).transpose();
    return row;
  };
  return fit_linear(terms, Solver::log_squares, runs);
}

}  // namespace

Estimator kerr() {
  return grouped({.name = "kerr",
                  .source = "Kerr, Diamos, Yalamanchili, GPGPU-3 2010",
                  .group = [](const Case& what) { return key_of(what, kMachine | kPhase | kDevices); },
                  .needs_layers = true,
                  .can_fit = [](const Runs& runs) { return different(runs, kNetwork) >= kFewestNetworks; },
                  .missing = "runs of 8 networks on one machine, whose logs showed their layers",
                  .fit = fit_components});
}

}  // namespace etad::estimators
