// Bitirgen, Ipek, Martinez, "Coordinated management of multiple interacting resources in chip multiprocessors: a
// machine learning approach", MICRO 2008: an ensemble whose members saw different parts of the data, and which
// does not answer where they contradict each other. Its members are neural networks there; here each is a smooth
// curve of the series, log t over 1, log B, log^2 B and log k, of a bootstrap sample.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "regression/estimators/methods.h"
#include "regression/estimators/solvers.h"

namespace etad::estimators {
namespace {

constexpr unsigned kGroup = kAllFacts & ~(kSamples | kDevices);
constexpr std::size_t kMembers = 12;
constexpr std::size_t kFewest = 4;   // different points of a group
constexpr double kMostSpread = 0.2;  // standard deviation of what the members say, in the logarithm

struct Group {
  std::vector<Eigen::VectorXd> members;
  double off = 0;  // of the runs about the members' mean
  RestsOn rests_on;
};

Eigen::RowVectorXd row_of(const Case& what) {
  const double b = std::log(what.samples);
  return Eigen::RowVector4d(1, b, b * b, std::log(what.devices));
}

std::map<std::string, std::vector<const Datum*>> groups_of(const History& history) {
  std::map<std::string, std::vector<const Datum*>> out;
  for (const Datum& run : history)
    if (run.value > 0 && std::isfinite(run.value) && run.what.samples > 0 && run.what.devices > 0)
      out[key_of(run.what, kGroup)].push_back(&run);
  std::erase_if(out, [](const auto& each) {
    std::set<std::string> points;
    for (const Datum* run : each.second) points.insert(key_of(run->what, kSamples | kDevices));
    return points.size() < kFewest;
  });
  return out;
}

Group fit_group(const std::vector<const Datum*>& runs) {
  Group out;
  out.rests_on = rests_on(runs);
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
    out.members.push_back(solve(Solver::ridge_log, design, y).coefficients);
  }
  double squares = 0;
  for (const Datum* run : runs) {
    double mean = 0;
    for (const auto& member : out.members) mean += row_of(run->what).dot(member) / kMembers;
    squares += std::pow(std::log(run->value) - mean, 2);
  }
  out.off = std::sqrt(squares / static_cast<double>(runs.size()));
  return out;
}

class Ensemble final : public Fitted {
 public:
  explicit Ensemble(const History& history) {
    for (const auto& [key, runs] : groups_of(history)) groups_.emplace(key, fit_group(runs));
  }

  Reply predict(const Case& what) const override {
    if (!(what.samples > 0) || !(what.devices > 0)) return abstain("the batch size is not known");
    const auto found = groups_.find(key_of(what, kGroup));
    if (found == groups_.end()) return abstain("too few runs of " + what.network + " like this one");
    const Group& group = found->second;
    double sum = 0, squares = 0;
    for (const auto& member : group.members) {
      const double y = row_of(what).dot(member);
      sum += y / kMembers, squares += y * y / kMembers;
    }
    const double spread = std::sqrt(std::max(0.0, squares - sum * sum));
    if (!(spread <= kMostSpread)) return abstain("the ensemble's members contradict each other here");
    return {Estimate{sum, std::hypot(spread, group.off), group.rests_on}, {}};
  }

 private:
  std::map<std::string, Group> groups_;
};

}  // namespace

Estimator bitirgen() {
  return {"bitirgen", "Bitirgen, Ipek, Martinez, MICRO 2008",
          [](const History& history) -> std::optional<std::string> {
            if (!groups_of(history).empty()) return std::nullopt;
            return "no network has runs at " + std::to_string(kFewest) + " different points";
          },
          [](const History& history, Target) -> std::unique_ptr<const Fitted> {
            return std::make_unique<Ensemble>(history);
          }};
}

}  // namespace etad::estimators
