#include "regression/estimators/roofline.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "regression/estimators/estimator.h"
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

FormulaValue predict(const Case& what, const Eigen::VectorXd& at) {
  const Parameters value = at.array().exp();
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

// Peaks and overheads are hardly known beforehand; a kind of layer falls short of the peaks like the others, or half or
// twice as much.
Formula formula_of(const Runs& runs) {
  Parameters deviation = Parameters::Constant(0.6);
  deviation.head<roofline::kBackward>().setConstant(2);
  deviation(roofline::kBackward) = deviation(roofline::kLowering) = 0.3;
  return {.at = roofline::predict, .mean = typical(runs), .deviation = deviation};
}

}  // namespace

Estimator layer_roofline() {
  return grouped({.name = "roofline",
                  .source = "Williams, Waterman, Patterson, CACM 2009; Hong, Kim, ISCA 2009",
                  .targets = {Target::seconds},
                  .group = [](const Case& what) { return key_of(what, kMachine | kDevices); },
                  .needs_layers = true,
                  .can_fit = [](const Runs& runs) { return different(runs, kNetwork) >= 2; },
                  .missing = "runs of 2 networks on one machine, whose logs showed their layers",
                  .fit = [](Runs& runs) { return fit_formula(formula_of, runs); }});
}

}  // namespace etad::estimators
