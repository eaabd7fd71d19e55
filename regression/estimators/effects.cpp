// One model of all the history: in the logarithm, the curve over batch size (batch_curve.h), plus a sum of
// effects of network, phase, device, machine, settings and number of devices and of their pairs
// (effects_kernel.h), each shared by all runs in which those facts are equal. What is not known of a run is
// so taken from the runs most like it, and what is known of it takes over as runs come.
//
// Normal effects with known variances are a Gaussian process (Rasmussen & Williams, "Gaussian Processes for
// Machine Learning", 2006: prediction eq. 2.25-2.26, likelihood eq. 2.30). How strong the effects are is
// learnt: the strengths that make a sample of the history likeliest.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "regression/estimators/batch_curve.h"
#include "regression/estimators/effects_kernel.h"
#include "regression/estimators/methods.h"
#include "regression/estimators/solvers.h"
#include "threads/mutex.h"

namespace etad::estimators {
namespace {

constexpr std::size_t kMostTogether = 1024;     // of a history all of which every estimate listens to
constexpr std::size_t kMostHeard = 128;         // that an estimate listens to of a longer one
constexpr std::size_t kMostSample = 220;        // that the strengths are learnt from
constexpr std::size_t kMostBlocks = 64;         // of groups, kept for the next question like the last
constexpr double kStrengthPrior = 0.5;          // standard deviation of their logarithms
constexpr double kBend = 0.1, kOwnBend = 0.03;  // of a curve, before the strengths are known

struct Known {
  KernelPoint point;
  double value = 0;  // log value less the curve
  int runs = 0;
};

Eigen::MatrixXd covariance_of(const std::vector<const Known*>& groups, const Covariance& covariance,
                              const Strengths& strengths) {
  Eigen::MatrixXd out =
      symmetric(groups, [&](const Known* a, const Known* b) { return covariance(a->point, b->point); });
  out.diagonal().array() += noise_variance(strengths);
  return out;
}

// Whole series, so that what happens within one and between them both shows. Multiples of the golden ratio are spread
// evenly over them, and meet no period in which networks or devices follow each other.
std::vector<const Known*> sample_of(const std::vector<Known>& groups) {
  constexpr double kGolden = 0.6180339887498949;
  std::map<int, std::vector<const Known*>> series;
  for (const Known& group : groups) series[group.point.facts[4]].push_back(&group);
  std::vector<std::pair<double, int>> order;
  for (const auto& [id, members] : series) order.emplace_back(std::fmod(id * kGolden, 1), id);
  std::ranges::sort(order);
  std::vector<const Known*> out;
  for (const auto& [place, id] : order)
    if (const auto& members = series[id]; out.size() + members.size() <= kMostSample)
      out.insert(out.end(), members.begin(), members.end());
  return out;
}

// One strength after the other, up or down by a factor as long as that makes the sample likelier.
Strengths learn_strengths(const std::vector<Known>& groups, Target target) {
  Strengths out;
  out.fill(1);
  const auto sample = sample_of(groups);
  if (sample.size() < 4) return out;
  Eigen::VectorXd values = numbers_of(sample, [](const Known* known) { return known->value; });
  values.array() -= values.mean();                // in any unit
  std::array<Eigen::MatrixXd, kStrengths> parts;  // of the covariance, each by one strength
  for (std::size_t k = 0; k < kStrengths; ++k) {
    Strengths only{};
    only[k] = 1;
    parts[k] = covariance_of(sample, Covariance(only, target), only);
  }
  const auto log_likelihood = [&](const Strengths& strengths) {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(values.size(), values.size());
    double prior = 0;
    for (std::size_t k = 0; k < kStrengths; ++k) {
      sum.triangularView<Eigen::Lower>() += strengths[k] * strengths[k] * parts[k];
      prior += std::pow(std::log(strengths[k]) / kStrengthPrior, 2) / 2;
    }
    const Eigen::LLT<Eigen::MatrixXd> factor(sum);
    if (factor.info() != Eigen::Success) return static_cast<double>(-INFINITY);
    const Eigen::VectorXd white = factor.matrixL().solve(values);
    return -0.5 * white.squaredNorm() - factor.matrixLLT().diagonal().array().log().sum() - prior;
  };
  double best = log_likelihood(out);
  for (const double factor : {3.0, 3.0, 1.7, 1.3}) {
    for (std::size_t k = 0; k < kStrengths; ++k) {
      for (const double step : {factor, 1 / factor}) {
        Strengths tried = out;
        tried[k] = std::clamp(tried[k] * step, 0.02, 50.0);
        const double now = log_likelihood(tried);
        if (now > best) {
          best = now;
          out = tried;
          break;
        }
      }
    }
  }
  return out;
}

// Groups that were factorised together, with what a further question needs.
struct Block {
  std::vector<const Known*> groups;
  Eigen::LLT<Eigen::MatrixXd> factor;
  Eigen::VectorXd weights;  // K^-1 values
};

class Effects final : public Fitted {
 public:
  Effects(const std::vector<ReplicateGroup>& groups, Target target, const Strengths* before)
      : curves_(groups, kBend, kOwnBend) {
    for (const ReplicateGroup& group : groups)
      known_.push_back(
          {encoder_.learn(*group.what), group.log_value - curves_.at(*group.what).mean, group.runs});
    strengths_ = before != nullptr ? *before : learn_strengths(known_, target);
    covariance_ = Covariance(strengths_, target);
    if (!known_.empty()) centre_ = numbers_of(known_, &Known::value).mean();
    if (known_.size() > kMostTogether) return;
    std::vector<const Known*> everything;
    for (const Known& known : known_) everything.push_back(&known);
    all_ = block_of(std::move(everything));
  }

  const Strengths& strengths() const { return strengths_; }

  Reply predict(const Case& what) const override {
    if (!what.has_samples()) return abstain("the batch size is not known");
    const KernelPoint point = encoder_.encode(what);
    if (point.facts[0] < 0) return abstain(what.network + " never ran");
    const auto block = block_for(what, point);
    const Eigen::VectorXd shared =
        numbers_of(block->groups, [&](const Known* known) { return covariance_(point, known->point); });
    const BatchCurves::Point curve = curves_.at(what);
    Estimate out;
    out.log_mean = centre_ + curve.mean + shared.dot(block->weights);
    const double left = covariance_(point, point) - block->factor.matrixL().solve(shared).squaredNorm();
    out.deviation = std::sqrt(std::max(left, 0.0) + curve.variance + noise_variance(strengths_));
    out.rests_on = rests_on(point, *block);
    if (!std::isfinite(out.log_mean)) return abstain("nothing like it ran");
    return {out, {}};
  }

 private:
  std::shared_ptr<const Block> block_of(std::vector<const Known*> groups) const {
    auto block = std::make_shared<Block>();
    block->groups = std::move(groups);
    block->factor.compute(covariance_of(block->groups, covariance_, strengths_));
    block->weights = block->factor.solve(
        numbers_of(block->groups, [&](const Known* known) { return known->value - centre_; }));
    return block;
  }

  // Of a long history only the series most like the one in question are listened to, whatever batch size of it is
  // asked about first.
  std::shared_ptr<const Block> block_for(const Case& what, const KernelPoint& point) const {
    if (all_ != nullptr) return all_;
    const std::string key = key_of(what, kSeries);
    const Lock lock(mutex_);
    if (const auto found = blocks_.find(key); found != blocks_.end()) return found->second;
    std::vector<std::pair<double, const Known*>> ranked;
    ranked.reserve(known_.size());
    for (const Known& known : known_) ranked.emplace_back(-likeness(point, known.point), &known);
    std::ranges::nth_element(ranked, ranked.begin() + kMostHeard);
    std::vector<const Known*> nearest;
    for (std::size_t i = 0; i < kMostHeard; ++i) nearest.push_back(ranked[i].second);
    if (blocks_.size() >= kMostBlocks) blocks_.clear();
    return blocks_[key] = block_of(std::move(nearest));
  }

  // Runs that share the network, or the device with the phase.
  RestsOn rests_on(const KernelPoint& point, const Block& block) const {
    std::set<int> networks, devices;
    int runs = 0;
    for (const Known* known : block.groups) {
      const bool network = known->point.facts[0] == point.facts[0];
      const bool device = known->point.facts[2] == point.facts[2] && known->point.facts[1] == point.facts[1];
      if (!network && !device) continue;
      runs += known->runs;
      networks.insert(known->point.facts[0]);
      devices.insert(known->point.facts[2]);
    }
    return {runs, static_cast<int>(networks.size()), static_cast<int>(devices.size())};
  }

  BatchCurves curves_;
  Encoder encoder_;
  std::vector<Known> known_;
  Strengths strengths_{};
  Covariance covariance_{strengths_};
  double centre_ = 0;
  std::shared_ptr<const Block> all_;  // nullptr: there are too many
  mutable Mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const Block>> blocks_ GUARDED_BY(mutex_);
};

}  // namespace

Estimator effects() {
  return {"effects", "random effects as a Gaussian process: Rasmussen, Williams 2006",
          [](const History& history, Target target, const Fitted* before) -> FitOutcome {
            if (history.empty()) return {nullptr, "there are no runs yet"};
            const auto* const known = static_cast<const Effects*>(before);
            return {std::make_unique<Effects>(replicate_groups(history), target,
                                              known != nullptr ? &known->strengths() : nullptr),
                    ""};
          }};
}

}  // namespace etad::estimators
