// One model of all the history: in the logarithm, the curve over batch size (batch_curve.h), plus a sum of
// effects of network, phase, device, machine, settings and number of devices and of their pairs
// (effects_kernel.h), each shared by all runs in which those facts are equal. What is not known of a run is
// so taken from the runs most like it, and what is known of it takes over as runs come.
//
// Normal effects with known variances are a Gaussian process (Rasmussen & Williams, "Gaussian Processes for
// Machine Learning", 2006: prediction eq. 2.25-2.26, likelihood eq. 2.30). How strong the effects are is
// learnt: the strengths that make a sample of the history likeliest, to most of its owners.
#include <Eigen/Cholesky>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "regression/estimators/batch_curve.h"
#include "regression/estimators/effects_kernel.h"
#include "regression/estimators/estimator.h"
#include "regression/estimators/owners.h"
#include "regression/estimators/solvers.h"
#include "regression/statistics.h"
#include "threads/mutex.h"

namespace etad::estimators {
namespace {

constexpr std::size_t kMostTogether = 1024;  // of a history all of which every estimate listens to
constexpr std::size_t kMostHeard = 128;      // that an estimate listens to of a longer one
constexpr std::size_t kMostSample = 220;     // that the strengths are learnt from
constexpr std::size_t kMostBlocks = 64;      // of groups, kept for the next question like the last
constexpr double kStrengthPrior = 0.5;       // standard deviation of their logarithms

struct Known {
  KernelPoint point;
  double value = 0;  // log value less the curve
  int runs = 0;
  std::size_t rank = 0;  // of its owner, by who was there first
  // Unusual by itself, or of an owner who contradicts those before him: heard by who asks about his networks alone.
  bool is_apart = false;
  double extra_variance = 0;  // beyond the noise that all have
};

Eigen::MatrixXd covariance_of(const std::vector<const Known*>& groups, const Covariance& covariance,
                              const Strengths& strengths) {
  Eigen::MatrixXd out =
      symmetric(groups, [&](const Known* a, const Known* b) { return covariance(a->point, b->point); });
  out.diagonal().array() += noise_variance(strengths);
  out.diagonal() += numbers_of(groups, [](const Known* known) { return known->extra_variance; });
  return out;
}

// Of very many a sample.
std::vector<const Known*> some_of(const std::vector<Known*>& groups, std::size_t most) {
  std::vector<const Known*> out;
  const std::size_t every = (groups.size() + most - 1) / most;
  for (std::size_t i = 0; i < groups.size(); i += every) out.push_back(groups[i]);
  return out;
}

// As many independent standard normal values, where that is their covariance.
Eigen::VectorXd whitened(const Eigen::VectorXd& values, const Eigen::MatrixXd& covariance) {
  return Eigen::LLT<Eigen::MatrixXd>(covariance).matrixL().solve(values);
}

bool are_unusual(const Eigen::VectorXd& normal) {
  constexpr double kUnusual = 10;  // standard deviations of the sum of squares of as many
  const auto n = static_cast<double>(normal.size());
  return normal.squaredNorm() > n + kUnusual * std::sqrt(2 * n);
}

// The variance that an owner's groups of one network have on their own beside what those strengths allow for: as much as
// makes their values not unusual. So what is misread, or made up, is heard as the noise that it is and bends nobody else's
// curve.
double extra_variance_of(const std::vector<Known*>& groups, const Covariance& covariance,
                         const Strengths& strengths) {
  constexpr double kMost = 1e4;  // a factor of e^100
  const auto its = some_of(groups, kMostSample);
  Eigen::VectorXd values = numbers_of(its, [](const Known* known) { return known->value; });
  values.array() -= values.mean();
  Eigen::MatrixXd sum = covariance_of(its, covariance, strengths);
  double out = 0;
  for (double more = noise_variance(strengths); out < kMost && are_unusual(whitened(values, sum));
       more *= 2) {
    sum.diagonal().array() += more;
    out += more;
  }
  return out;
}

// Whether all of an owner's groups together are unusual to who knows those of the owners before him: whatever he says of
// networks that nobody else has, what these have in common with others' is foretold. (The mean and the covariance of some
// values where others are known: Rasmussen & Williams, eq. 2.23 and 2.24.)
bool contradicts(const std::vector<Known*>& groups, const std::vector<Known*>& earlier,
                 const Covariance& covariance, const Strengths& strengths) {
  constexpr double kUnforeseen = 6;  // standard deviations
  const auto its = some_of(groups, kMostHeard), known = some_of(earlier, kMostHeard);
  const auto value_of = [](const Known* each) { return each->value; };
  Eigen::VectorXd known_values = numbers_of(known, value_of);
  const double centre = known_values.mean();
  known_values.array() -= centre;
  Eigen::MatrixXd shared(known.size(), its.size());
  for (Eigen::Index i = 0; const Known* one : known) {
    for (Eigen::Index j = 0; const Known* his : its) shared(i, j++) = covariance(one->point, his->point);
    ++i;
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance_of(known, covariance, strengths));
  const Eigen::MatrixXd explained = factor.matrixL().solve(shared);
  Eigen::VectorXd off = numbers_of(its, value_of);
  off.array() -= centre;
  off -= explained.transpose() * factor.matrixL().solve(known_values);
  // One after the other, each given those before it: what is foretold wrongly once may be right ever after.
  const Eigen::VectorXd surprise =
      whitened(off, covariance_of(its, covariance, strengths) - explained.transpose() * explained);
  return surprise.cwiseAbs().maxCoeff() > kUnforeseen || are_unusual(surprise);
}

// Whole series, so that what happens within one and between them both shows: of each owner in turn, so that none crowds
// the others out. Multiples of the golden ratio are spread evenly over them, and meet no period in which networks or
// devices follow each other. By the rank of the owner.
std::map<std::size_t, std::vector<const Known*>> sample_of(const std::vector<Known>& groups) {
  constexpr double kGolden = 0.6180339887498949;
  std::map<std::pair<std::size_t, double>, std::vector<const Known*>> series;
  for (const Known& group : groups)
    series[{group.rank, std::fmod(group.point.facts[kSeriesFact] * kGolden, 1)}].push_back(&group);
  std::vector<std::vector<const Known*>> order;
  for (auto& [key, members] : series) order.push_back(std::move(members));
  const auto owner_of = [](const auto& members) { return members.front()->rank; };
  take_turns(order, owner_of);
  std::map<std::size_t, std::vector<const Known*>> out;
  std::size_t taken = 0;
  for (const auto& members : order) {
    if (taken + members.size() > kMostSample) continue;
    taken += members.size();
    auto& sample = out[owner_of(members)];
    sample.insert(sample.end(), members.begin(), members.end());
  }
  return out;
}

// What one owner's groups say of the strengths.
class OwnersLikelihood {
 public:
  OwnersLikelihood(const std::vector<const Known*>& groups, Target target)
      : values_(numbers_of(groups, [](const Known* known) { return known->value; })) {
    values_.array() -= values_.mean();  // in any unit
    for (std::size_t k = 0; k < kStrengths; ++k) {
      Strengths only{};
      only[k] = 1;
      parts_[k] = covariance_of(groups, Covariance(only, target), only);
    }
  }

  double log_likelihood(const Strengths& strengths) const {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(values_.size(), values_.size());
    for (std::size_t k = 0; k < kStrengths; ++k)
      sum.triangularView<Eigen::Lower>() += strengths[k] * strengths[k] * parts_[k];
    const Eigen::LLT<Eigen::MatrixXd> factor(sum);
    if (factor.info() != Eigen::Success) return -INFINITY;
    const Eigen::VectorXd white = factor.matrixL().solve(values_);
    return -0.5 * white.squaredNorm() - factor.matrixLLT().diagonal().array().log().sum();
  }

 private:
  Eigen::VectorXd values_;
  std::array<Eigen::MatrixXd, kStrengths> parts_;  // of the covariance, each by one strength
};

double log_prior(const Strengths& strengths) {
  double out = 0;
  for (const double strength : strengths) out -= std::pow(std::log(strength) / kStrengthPrior, 2) / 2;
  return out;
}

// One strength after the other, a step up or else down wherever that makes what most owners saw likelier, in four rounds
// of ever smaller steps; of as many for it as against, the one who was there first decides. So what one of them writes,
// however strange, makes nobody else's intervals wider.
Strengths learn_strengths(const std::vector<Known>& groups, Target target) {
  Strengths out;
  out.fill(1);
  std::vector<OwnersLikelihood> owners;  // who was there first comes first
  std::size_t heard = 0;
  for (const auto& [owner, its] : sample_of(groups)) {
    if (its.size() < 2) continue;
    heard += its.size();
    owners.emplace_back(its, target);
  }
  if (heard < 4) return out;
  const auto likelihoods = [&](const Strengths& strengths) {
    const double prior = log_prior(strengths) / static_cast<double>(owners.size());
    std::vector<double> all;
    for (const OwnersLikelihood& owner : owners) all.push_back(owner.log_likelihood(strengths) + prior);
    return all;
  };
  const auto prefer = [](const std::vector<double>& now, const std::vector<double>& before) {
    int votes = 0;
    for (std::size_t i = 0; i < now.size(); ++i) votes += (now[i] > before[i]) - (now[i] < before[i]);
    return votes != 0 ? votes > 0 : now.front() > before.front();
  };
  std::vector<double> best = likelihoods(out);
  for (const double factor : {3.0, 3.0, 1.7, 1.3}) {
    for (std::size_t k = 0; k < kStrengths; ++k) {
      for (const double step : {factor, 1 / factor}) {
        Strengths tried = out;
        tried[k] = std::clamp(tried[k] * step, 0.02, 50.0);
        std::vector<double> now = likelihoods(tried);
        if (prefer(now, best)) {
          best = std::move(now);
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
      : target_(target), curves_(groups) {
    const auto ranks = ranks_of_owners(groups, std::identity());
    for (const ReplicateGroup& group : groups) {
      Known& known = known_.emplace_back();
      known.point = encoder_.learn(*group.what);
      known.runs = group.runs;
      known.rank = ranks.at(group.owner);
    }
    take_values(groups);
    strengths_ = before != nullptr ? *before : learn_strengths(known_, target);
    covariance_ = Covariance(strengths_, target);
    note_extra_variance();
    if (ranks.size() > 1 && note_who_contradicts()) {
      std::vector<ReplicateGroup> believed;
      for (std::size_t i = 0; i < groups.size(); ++i)
        if (!known_[i].is_apart) believed.push_back(groups[i]);
      curves_ = BatchCurves(believed);
      take_values(groups);
      note_extra_variance();
    }
    note_first_owners();
    for (std::size_t i = 0; i < groups.size(); ++i)
      heard_groups_[groups[i].owner] += known_[i].is_apart ? -1 : 1;
    std::vector<const Known*> believed;
    for (const Known& known : known_)
      if (!known.is_apart) believed.push_back(&known);
    if (believed.size() <= kMostTogether) all_ = block_of(std::move(believed));
  }

  const Strengths& strengths() const { return strengths_; }
  bool hears(std::int64_t owner) const override {
    const auto its = heard_groups_.find(owner);
    return its != heard_groups_.end() && its->second > 0;
  }

  Reply predict(const Case& what) const override {
    if (!what.has_samples()) return abstain("the batch size is not known");
    const KernelPoint point = encoder_.encode(what);
    if (point.facts[kNetworkFact] < 0) return abstain(what.network + " never ran");
    const auto block = block_for(what, point);
    const Eigen::VectorXd shared =
        numbers_of(block->groups, [&](const Known* known) { return covariance_(point, known->point); });
    const BatchCurves::Point curve = curves_.at(what);
    Estimate out;
    out.log_mean = centre_ + curve.mean + shared.dot(block->weights);
    const double left = covariance_(point, point) - block->factor.matrixL().solve(shared).squaredNorm();
    out.deviation = std::sqrt(std::max(left, 0.0) + curve.variance + noise_variance(strengths_) +
                              first_owners_.at(point.facts[kNetworkFact]).extra_variance);
    out.rests_on = rests_on(point, *block);
    if (!std::isfinite(out.log_mean)) return abstain("nothing like it ran");
    return {out, {}};
  }

 private:
  void take_values(const std::vector<ReplicateGroup>& groups) {
    for (std::size_t i = 0; i < groups.size(); ++i)
      known_[i].value = groups[i].log_value - curves_.at(*groups[i].what).mean;
  }

  using Part = std::pair<int, std::size_t>;  // a network or series, and the rank of whose
  std::map<Part, std::vector<Known*>> parts_by(PointFact fact) {
    std::map<Part, std::vector<Known*>> out;
    for (Known& known : known_) out[{known.point.facts[fact], known.rank}].push_back(&known);
    return out;
  }

  // Of the runs of each series by itself, then of each network.
  void note_extra_variance() {
    for (Known& known : known_) known.extra_variance = 0;
    for (const PointFact fact : {kSeriesFact, kNetworkFact}) {
      for (const auto& [part, its] : parts_by(fact)) {
        const double more = its.size() > 1 ? extra_variance_of(its, covariance_, strengths_) : 0;
        for (Known* known : its) known->extra_variance += more;
      }
    }
  }

  // One owner after the other, as they came. Whether there is any.
  bool note_who_contradicts() {
    std::map<std::size_t, std::vector<Known*>> by_rank;
    for (Known& known : known_) by_rank[known.rank].push_back(&known);
    // How much networks differ may be unknown to who ran one: no less is allowed for than what is assumed of all.
    Strengths generous = strengths_;
    for (double& strength : generous) strength = std::max(strength, 1.0);
    const Covariance covariance(generous, target_);
    std::vector<Known*> believed;
    bool any = false;
    for (auto& [rank, its] : by_rank) {
      std::vector<Known*> usual;
      std::ranges::copy_if(its, std::back_inserter(usual),
                           [](const Known* known) { return known->extra_variance == 0; });
      const bool is_first = believed.empty();
      if (!is_first) {
        if (!usual.empty() && contradicts(usual, believed, covariance, generous)) usual.clear();
        for (Known* known : its) known->is_apart = true;
        for (Known* known : usual) known->is_apart = false;
        any = any || usual.size() < its.size();
      }
      const auto& heard = is_first ? its : usual;
      believed.insert(believed.end(), heard.begin(), heard.end());
    }
    return any;
  }

  // Of each network whose runs count, and the mean of what those took that have no extra variance.
  void note_first_owners() {
    double sum = 0;
    std::size_t without = 0;
    std::vector<double> believed_values;
    for (const auto& [network, its] : parts_by(kNetworkFact)) {
      const bool apart = std::ranges::any_of(its, &Known::is_apart);
      const auto [first, is_new] = first_owners_.try_emplace(network.first);
      if (is_new || (first->second.is_apart && !apart)) {
        const auto most = std::ranges::max_element(its, {}, &Known::extra_variance);
        first->second = {network.second, apart, (*most)->extra_variance};
      }
      for (const Known* known : its) {
        if (known->is_apart) continue;
        believed_values.push_back(known->value);
        if (known->extra_variance > 0) continue;
        sum += known->value;
        ++without;
      }
    }
    if (without > 0)
      centre_ = sum / static_cast<double>(without);
    else if (!believed_values.empty())
      centre_ = regression::mean(believed_values);
  }

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
    const FirstOwner& first = first_owners_.at(point.facts[kNetworkFact]);
    if (all_ != nullptr && !first.is_apart) return all_;
    const std::string key = key_of(what, kSeries);
    const Lock lock(mutex_);
    if (const auto found = blocks_.find(key); found != blocks_.end()) return found->second;
    std::vector<std::pair<double, const Known*>> ranked;
    ranked.reserve(known_.size());
    for (const Known& known : known_)
      if (!known.is_apart || (first.is_apart && known.rank == first.rank))
        ranked.emplace_back(-likeness(point, known.point), &known);
    const std::size_t count = std::min(ranked.size(), kMostHeard);
    std::ranges::nth_element(ranked, ranked.begin() + static_cast<std::ptrdiff_t>(count));
    std::vector<const Known*> nearest;
    for (std::size_t i = 0; i < count; ++i) nearest.push_back(ranked[i].second);
    if (blocks_.size() >= kMostBlocks) blocks_.clear();
    return blocks_[key] = block_of(std::move(nearest));
  }

  // Runs that share the network, or the device with the phase.
  RestsOn rests_on(const KernelPoint& point, const Block& block) const {
    std::set<int> networks, devices;
    int runs = 0;
    for (const Known* known : block.groups) {
      const bool network = known->point.facts[kNetworkFact] == point.facts[kNetworkFact];
      const bool device = known->point.facts[kDeviceFact] == point.facts[kDeviceFact] &&
                          known->point.facts[kPhaseFact] == point.facts[kPhaseFact];
      if (!network && !device) continue;
      runs += known->runs;
      networks.insert(known->point.facts[kNetworkFact]);
      devices.insert(known->point.facts[kDeviceFact]);
    }
    return {runs, static_cast<int>(networks.size()), static_cast<int>(devices.size())};
  }

  Target target_;
  BatchCurves curves_;
  Encoder encoder_;
  std::vector<Known> known_;
  Strengths strengths_{};
  Covariance covariance_{strengths_};
  double centre_ = 0;
  struct FirstOwner {
    std::size_t rank = 0;
    bool is_apart = false;
    double extra_variance = 0;  // of his runs of it
  };
  std::map<int, FirstOwner> first_owners_;  // of each network the first that is not apart, or else the first
  std::map<std::int64_t, std::int64_t> heard_groups_;  // of each owner, less those that are set apart
  std::shared_ptr<const Block> all_;                   // nullptr: there are too many
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
