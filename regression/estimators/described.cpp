// What a network's description says of its memory: the weights, in a training with their gradients and the
// solver's history, and what the layers put out for each sample, in a training with its gradients: what Caffe counts as
// "Memory required for data". (As in Gao et al., "Estimating GPU memory consumption of deep learning models",
// ESEC/FSE 2020.) A device takes base + scale times that: what its context and libraries need anyway, and how much more
// than the description says. Both are fitted, from a prior on; each network is off by a factor of its own.
#include <cmath>

#include "regression/estimators/formula.h"

namespace etad::estimators {
namespace {

constexpr double kBytes = 4;   // of a number
constexpr double kCopies = 3;  // of the weights in a training: themselves, gradient, history

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

// The parameters are base and scale, in the logarithm.
Formula memory() {
  const auto at = [](const Case& what, const Eigen::VectorXd& parameters) -> FormulaValue {
    const Eigen::Vector2d parts(std::exp(parameters(0)), std::exp(parameters(1)) * implied(what));
    return {parts.sum(), parts / parts.sum()};
  };
  return {.at = at,
          .mean = Eigen::Vector2d(std::log(0.4e9), 0),
          .deviation = Eigen::Vector2d(1, 0.4),
          .between_networks = 0.25,
          .noise = 0.05};
}

}  // namespace

Estimator described() {
  return grouped({.name = "described",
                  .source = "Gao et al., ESEC/FSE 2020",
                  .targets = {Target::peak_bytes},
                  .group = [](const Case& what) { return key_of(what, kMachine); },
                  .needs_layers = true,
                  .answers_without_runs = true,
                  .fit = [](Runs& runs) { return fit_formula([](const Runs&) { return memory(); }, runs); }});
}

}  // namespace etad::estimators
