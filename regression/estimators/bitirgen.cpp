// Bitirgen, Ipek, Martinez, "Coordinated management of multiple interacting resources in chip multiprocessors: a
// machine learning approach", MICRO 2008: an ensemble whose members saw different parts of the data, and which
// does not answer where they contradict each other. Its members are neural networks there; here each is a smooth
// curve of the series, log t over 1, log B, log^2 B and log k, of a bootstrap sample.
#include <algorithm>
#include <cmath>
#include <random>

#include "regression/estimators/grouped.h"
#include "regression/estimators/methods.h"
#include "regression/estimators/solvers.h"

namespace etad::estimators {
namespace {

constexpr std::size_t kMembers = 12;
constexpr std::size_t kFewestPoints = 4;  // different points of a group
constexpr double kMostSpread = 0.2;       // standard deviation of what the members say, in the logarithm

Eigen::RowVectorXd row_of(const Case& what) {
  const double b = std::log(what.samples);
  return Eigen::RowVector4d(1, b, b * b, std::log(what.devices));
}

class Ensemble final : public Fitted {
 public:
  explicit Ensemble(const Runs& runs) {
    std::mt19937 random(1);
    const auto n = static_cast<Eigen::Index>(runs.size());
    for (std::size_t m = 0; m < kMembers; ++m) {
      Eigen::MatrixXd design(n, 4);
      Eigen::VectorXd y(n);
      for (Eigen::Index i = 0; i < n; ++i) {
        const Datum& run = *runs[random() % runs.size()];
        design.row(i) = row_of(run.what);
        y(i) = run.value;
      }
      members_.push_back(solve(Solver::log_squares, design, y));
    }
  }

  Reply predict(const Case& what) const override {
    double sum = 0, squares = 0;
    for (const auto& member : members_) {
      const double y = row_of(what).dot(member);
      sum += y / kMembers, squares += y * y / kMembers;
    }
    const double spread = std::sqrt(std::max(0.0, squares - sum * sum));
    if (!(spread <= kMostSpread)) return abstain("the ensemble's members contradict each other here");
    return {Estimate{sum}, {}};
  }

 private:
  std::vector<Eigen::VectorXd> members_;
};

}  // namespace

Estimator bitirgen() {
  return grouped(
      {.name = "bitirgen",
       .source = "Bitirgen, Ipek, Martinez, MICRO 2008",
       .group = [](const Case& what) { return key_of(what, kAllFacts & ~(kSamples | kDevices)); },
       .enough = [](const Runs& runs) { return different(runs, kSamples | kDevices) >= kFewestPoints; },
       .missing = "no network has runs at " + std::to_string(kFewestPoints) + " different points",
       .fit = [](Runs& runs) { return std::make_unique<Ensemble>(runs); }});
}

}  // namespace etad::estimators
