// Kerr, Diamos, Yalamanchili, "Modeling GPU-CPU workloads and systems", GPGPU-3, 2010: what characterises a workload is
// standardised and reduced to its principal components, on which the logarithm of time is regressed. Their
// characteristics are those of a kernel's instructions; ours are those of a network's layers.
#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>

#include "regression/estimators/methods.h"
#include "regression/estimators/solvers.h"

namespace etad::estimators {
namespace {

constexpr std::size_t kFewest = 12;  // runs of a machine in a phase
constexpr double kExplained = 0.95;  // of the variance, by the components that are taken
constexpr Eigen::Index kCharacteristics = 7;

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

bool usable(const Datum& datum) {
  return datum.what.costs && !datum.what.costs->layers.empty() && datum.value > 0 &&
         std::isfinite(datum.value) && datum.what.samples > 0 && datum.what.devices > 0;
}

std::map<std::string, std::vector<const Datum*>> groups_of(const History& history) {
  std::map<std::string, std::vector<const Datum*>> out;
  for (const Datum& datum : history)
    if (usable(datum)) out[key_of(datum.what, kMachine | kPhase | kDevices)].push_back(&datum);
  std::erase_if(out, [](const auto& each) {
    return each.second.size() < kFewest || rests_on(each.second).networks < 2;
  });
  return out;
}

struct Group {
  Components components;
  Eigen::VectorXd coefficients;
  Eigen::MatrixXd covariance;
  double scale = 0;
  RestsOn rests_on;

  Eigen::VectorXd row_of(const Case& what) const {
    Eigen::VectorXd row(components.directions.cols() + 1);
    row << 1, components.of(characteristics(what));
    return row;
  }
};

Group fit_group(const std::vector<const Datum*>& runs) {
  const auto n = static_cast<Eigen::Index>(runs.size());
  Eigen::MatrixXd all(n, kCharacteristics);
  Eigen::VectorXd y(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    all.row(i) = characteristics(runs[static_cast<std::size_t>(i)]->what);
    y(i) = std::log(runs[static_cast<std::size_t>(i)]->value);
  }
  Group out;
  out.components = principal_components(all, kExplained);
  out.rests_on = rests_on(runs);
  Eigen::MatrixXd design(n, out.components.directions.cols() + 1);
  for (Eigen::Index i = 0; i < n; ++i) design.row(i) = out.row_of(runs[static_cast<std::size_t>(i)]->what);
  const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver(design);
  out.coefficients = solver.solve(y);
  const Eigen::MatrixXd inverse = solver.pseudoInverse();
  out.covariance = inverse * inverse.transpose();
  const auto free = static_cast<double>(std::max<Eigen::Index>(1, n - design.cols()));
  out.scale = std::max(1e-4, std::sqrt((y - design * out.coefficients).squaredNorm() / free));
  return out;
}

class FittedKerr final : public Fitted {
 public:
  explicit FittedKerr(const History& history) {
    for (const auto& [key, runs] : groups_of(history)) groups_.emplace(key, fit_group(runs));
  }
  Reply predict(const Case& what) const override {
    if (!what.costs || what.costs->layers.empty())
      return abstain("no description of " + what.network + " was shown");
    if (!(what.samples > 0) || !(what.devices > 0)) return abstain("the batch size is not known");
    const auto found = groups_.find(key_of(what, kMachine | kPhase | kDevices));
    if (found == groups_.end()) return abstain("too few networks ran there whose logs showed their layers");
    const Group& group = found->second;
    const Eigen::VectorXd row = group.row_of(what);
    Estimate out;
    out.log_mean = row.dot(group.coefficients);
    out.deviation = group.scale * std::sqrt(1 + row.dot(group.covariance * row));
    out.rests_on = group.rests_on;
    return {out, {}};
  }

 private:
  std::map<std::string, Group> groups_;
};

}  // namespace

Estimator kerr() {
  return {"kerr", "Kerr, Diamos, Yalamanchili, GPGPU-3 2010",
          [](const History& history) -> std::optional<std::string> {
            if (!groups_of(history).empty()) return std::nullopt;
            return "12 runs of 2 networks on one machine, whose logs showed their layers";
          },
          [](const History& history, Target) -> std::unique_ptr<const Fitted> {
            return std::make_unique<FittedKerr>(history);
          }};
}

}  // namespace etad::estimators
