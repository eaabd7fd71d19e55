// Bitirgen, Ipek, Martinez, "Coordinated management of multiple interacting resources in chip multiprocessors: a
// machine learning approach", MICRO 2008: an ensemble whose members saw different parts of the data, and which
// does not answer where they contradict each other. Its members are neural networks there; here each is a smooth
// curve of the series, log t over 1, log B, log^2 B and log k, of a bootstrap sample.
#include <cmath>
#include <random>

#include "regression/estimators/linear.h"

namespace etad::estimators {
namespace {

constexpr std::size_t kMembers = 12;
constexpr std::size_t kFewestPoints = 4;  // different points of a group
constexpr double kMostSpread = 0.2;       // standard deviation of what the members say, in the logarithm

Eigen::RowVectorXd quadratic(const Case& what) {
  const double b = std::log(what.samples);
  return Eigen::RowVector4d(1, b, b * b, std::log(what.devices));
}

Answers fit_ensemble(const Runs& runs) {
  std::vector<Answers> members;
  std::mt19937 random(1);
  while (members.size() < kMembers) {
    Runs sample(runs.size());
    for (auto& run : sample) run = runs[random() % runs.size()];
    members.push_back(fit_linear(quadratic, Solver::log_squares, sample));
  }
  return [members](const Case& what) -> Reply {
    double mean = 0, squares = 0;
    for (const Answers& member : members) {
      const Reply said = member(what);
      if (!said.estimate) return said;
      mean += said.estimate->log_mean / kMembers;
      squares += std::pow(said.estimate->log_mean, 2) / kMembers;
    }
    if (squares - mean * mean > kMostSpread * kMostSpread)
      return abstain("the ensemble's members contradict each other here");
    return {Estimate{mean}, {}};
  };
}

}  // namespace

Estimator bitirgen() {
  return grouped(
      {.name = "bitirgen",
       .source = "Bitirgen, Ipek, Martinez, MICRO 2008",
       .group = [](const Case& what) { return key_of(what, kScaling); },
       .can_fit = [](const Runs& runs) { return different(runs, kSamples | kDevices) >= kFewestPoints; },
       .missing = "no network has runs at " + std::to_string(kFewestPoints) + " different points",
       .fit = fit_ensemble});
}

}  // namespace etad::estimators
