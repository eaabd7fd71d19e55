#include "regression/estimators/drift.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "regression/estimators/batch_curve.h"
#include "regression/estimators/effects_kernel.h"
#include "regression/estimators/owners.h"
#include "regression/estimators/solvers.h"
#include "regression/statistics.h"

namespace etad::estimators {
namespace {

struct Lasting {
  double seconds = 0, share = 0;  // of the variance
};
constexpr std::array kLastings{Lasting{60, 0.4}, Lasting{600, 0.4}, Lasting{86400, 0.2}};
constexpr std::array kDeviations{0.0, 0.03, 0.06, 0.12, 0.24};  // of the process
constexpr std::array kNoises{0.03, 0.06, 0.12};                 // of a run
constexpr double kMiddleDeviation = 0.12, kMiddleNoise = 0.06;  // to judge outliers by
constexpr double kNone = 0.5;                                   // probability beforehand that nothing drifts
constexpr double kBelieved = 2.5;        // standard deviations from where the others put a run
constexpr std::size_t kFewestTimes = 4;  // different times that tell anything

// The mean of e^(-x) over 0..length.
double mean_decay(double length) {
  return length > 1e-9 ? -std::expm1(-length) / length : 1;
}

}  // namespace

double correlation(const TimeSpan& a, const TimeSpan& b, double lasting) {
  const double gap = std::max(a.from - b.until, b.from - a.until) / lasting;
  if (gap >= 0) {
    return std::exp(-gap) * mean_decay((a.until - a.from) / lasting) *
           mean_decay((b.until - b.from) / lasting);
  }
  // Where they overlap, by the integral's four corners; they cancel in intervals much shorter than tau, over
  // which the process does not change.
  const double product = (a.until - a.from) * (b.until - b.from) / (lasting * lasting);
  if (product < 1e-8) return 1;
  const auto corner = [&](double d) { return std::exp(-std::abs(d) / lasting) + std::abs(d) / lasting; };
  return (corner(a.until - b.from) + corner(a.from - b.until) - corner(a.until - b.until) -
          corner(a.from - b.from)) /
         product;
}

namespace {

// The correlation of the process' means over two spans of time.
double of_process(const TimeSpan& a, const TimeSpan& b) {
  double out = 0;
  for (const Lasting& lasting : kLastings) out += lasting.share * correlation(a, b, lasting.seconds);
  return out;
}

// What the runs' curves leave of the logarithms of their values.
Eigen::VectorXd without_curves(const std::vector<const Datum*>& runs) {
  std::vector<ReplicateGroup> each;
  for (const Datum* run : runs) each.push_back({&run->what, std::log(run->value), 1});
  const BatchCurves curves(each);
  Eigen::VectorXd out =
      numbers_of(each, [&](const ReplicateGroup& run) { return run.log_value - curves.at(*run.what).mean; });
  return out.array() - out.mean();
}

// A machine's runs as one Gaussian process, in which their drift has a variance and so has their noise.
struct Process {
  Eigen::VectorXd levels;
  Eigen::MatrixXd effects, drift;
  Eigen::VectorXd doubt;  // further variance of runs that are not believed

  Eigen::LLT<Eigen::MatrixXd> factor(double variance, double noise) const {
    Eigen::MatrixXd covariance = effects + variance * drift;
    covariance.diagonal() += doubt;
    covariance.diagonal().array() += noise;
    return Eigen::LLT<Eigen::MatrixXd>(covariance);
  }
};

// A run that lies far from where all others put it is no evidence of what they have in common. (Leaving one out: Rasmussen
// & Williams 2006, eq. 5.12.)
void doubt_outliers(Process& process) {
  const auto n = process.levels.size();
  const auto factor = process.factor(std::pow(kMiddleDeviation, 2), std::pow(kMiddleNoise, 2));
  const Eigen::VectorXd weights = factor.solve(process.levels);
  const Eigen::MatrixXd inverse = factor.solve(Eigen::MatrixXd::Identity(n, n));
  for (Eigen::Index i = 0; i < n; ++i)
    if (std::abs(weights[i]) > kBelieved * std::sqrt(inverse(i, i))) process.doubt[i] = 1;
}

Eigen::VectorXd drift_weights(const std::vector<const Datum*>& runs, const std::vector<TimeSpan>& times) {
  Encoder encoder;
  std::vector<KernelPoint> points;
  for (const Datum* run : runs) points.push_back(encoder.learn(run->what));
  Strengths assumed;
  assumed.fill(1);
  Process process{without_curves(runs), symmetric(points, Covariance(assumed)), symmetric(times, of_process),
                  Eigen::VectorXd::Zero(static_cast<Eigen::Index>(runs.size()))};
  doubt_outliers(process);
  struct Tried {
    double evidence = 0;
    Eigen::VectorXd weights;
  };
  std::vector<Tried> grid;
  for (const double noise : kNoises) {
    for (const double deviation : kDeviations) {
      const auto factor = process.factor(std::pow(deviation, 2), std::pow(noise, 2));
      const Eigen::VectorXd weights = factor.solve(process.levels);
      const double beforehand = deviation > 0 ? (1 - kNone) / (kDeviations.size() - 1) : kNone;
      const double evidence = std::log(beforehand) - 0.5 * process.levels.dot(weights) -
                              factor.matrixLLT().diagonal().array().log().sum();
      if (std::isfinite(evidence)) grid.push_back({evidence, std::pow(deviation, 2) * weights});
    }
  }
  Eigen::VectorXd out = Eigen::VectorXd::Zero(process.levels.size());
  if (grid.empty()) return out;
  const double best = std::ranges::max_element(grid, {}, &Tried::evidence)->evidence;
  double total = 0;
  for (const Tried& tried : grid) {
    total += std::exp(tried.evidence - best);
    out += std::exp(tried.evidence - best) * tried.weights;
  }
  return out / total;
}

// The newest of a machine's runs, of several owners in turn.
std::vector<const Datum*> runs_to_fit(std::vector<const Datum*> runs) {
  std::ranges::stable_sort(runs, std::ranges::greater{}, &Datum::started_at);
  std::set<std::int64_t> owners;
  std::erase_if(runs, [&owners](const Datum* run) {
    if (owners.size() < Drift::kMostOwners) owners.insert(run->owner);
    return !owners.contains(run->owner);
  });
  take_turns(runs, [](const Datum* run) { return run->owner; });
  if (runs.size() > Drift::kMostTelling) runs.resize(Drift::kMostTelling);
  std::ranges::stable_sort(runs, std::ranges::greater{}, &Datum::started_at);
  return runs;
}

std::vector<TimeSpan> times_of(const std::vector<const Datum*>& runs) {
  std::vector<TimeSpan> out;
  for (const Datum* run : runs) out.push_back(time_of(*run));
  return out;
}

bool tell_enough(const std::vector<const Datum*>& runs) {
  std::set<double> starts;
  for (const Datum* run : runs) starts.insert(run->started_at);
  return starts.size() >= kFewestTimes;
}

}  // namespace

TimeSpan time_of(const Datum& run) {
  return {run.started_at, std::max(run.ended_at, run.started_at)};
}

Drift::Drift(const History& history, const Drift* before) {
  std::map<std::string, std::vector<const Datum*>> machines;
  for (const Datum& run : history)
    if (usable(run) && run.started_at > 0) machines[key_of(run.what, kMachine)].push_back(&run);
  for (auto& [key, all] : machines) {
    const auto runs = runs_to_fit(std::move(all));
    if (!tell_enough(runs)) continue;
    const std::size_t fingerprint = fingerprint_of(runs);
    const Machine* const old = before != nullptr ? before->machine(key) : nullptr;
    const bool same = old != nullptr && old->fingerprint == fingerprint;
    machines_.emplace(key, same ? *old : Machine{fingerprint, fit_leaving_out_each_owner(runs)});
  }
}

// By all of them, and, of several owners, by all but each one's. Too few tell nothing.
std::vector<Drift::Fit> Drift::fit_leaving_out_each_owner(const std::vector<const Datum*>& runs) {
  std::vector<Fit> out;
  const auto add = [&out](const std::vector<const Datum*>& some) {
    Fit& fit = out.emplace_back();
    fit.times = times_of(some);
    if (!tell_enough(some)) return;
    const Eigen::VectorXd weights = drift_weights(some, fit.times);
    fit.weights.assign(weights.begin(), weights.end());
  };
  add(runs);
  std::set<std::int64_t> owners;
  for (const Datum* run : runs) owners.insert(run->owner);
  if (owners.size() == 1) return out;
  for (const std::int64_t owner : owners) {
    auto others = runs;
    std::erase_if(others, [owner](const Datum* run) { return run->owner == owner; });
    add(others);
  }
  return out;
}

double Drift::Fit::log_drift(const TimeSpan& when) const {
  double out = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) out += weights[i] * of_process(when, times[i]);
  return std::isfinite(out) ? out : 0;
}

const Drift::Machine* Drift::machine(const std::string& key) const {
  const auto found = machines_.find(key);
  return found == machines_.end() ? nullptr : &found->second;
}

double Drift::log_drift(const Case& where, const TimeSpan& when) const {
  const Machine* const at = machine(key_of(where, kMachine));
  if (at == nullptr || when.from < at->fits.front().times.back().from) return 0;
  double out = at->fits.front().log_drift(when);
  for (const Fit& each : at->fits) {
    const double other = each.log_drift(when);
    if (other * out <= 0) return 0;
    if (std::abs(other) < std::abs(out)) out = other;
  }
  return out;
}

double Drift::mean_log_drift(const Case& where, const std::vector<TimeSpan>& runs) const {
  std::vector<double> drift;
  for (const TimeSpan& run : runs) drift.push_back(log_drift(where, run));
  return regression::mean(drift);
}

History Drift::remove_from(History history) const {
  for (Datum& run : history) run.value *= std::exp(-log_drift(run.what, time_of(run)));
  return history;
}

}  // namespace etad::estimators
