#include "bench/rivals/choices.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "regression/estimators/combined.h"
#include "regression/estimators/design.h"

namespace etad::bench {
namespace {

using namespace estimators;

constexpr double kNear = 0.05;      // as prediction/what_if.h: as good as the best
constexpr double kFarLarger = 2;    // a knee more than one power of two above the measured one is no knee
constexpr std::size_t kFewest = 5;  // batch sizes of a series
constexpr std::size_t kFolds = 5;

// One series' batch sizes, ascending; or one question on several devices.
struct Point {
  Case what;
  double rate = 0;  // samples a second, measured
};
using Curve = std::vector<Point>;

// As etad answers (prediction/what_if.h): of the estimators by their record in that kind of question the first that
// does not abstain, and half the tolerance for what is not measured.
class Answers {
 public:
  explicit Answers(const History& known) : seen_(known), records_(compare(known, Target::seconds)) {
    for (const Estimator& estimator : estimators::estimators())
      fitted_.push_back(estimator.learn(known, Target::seconds).fitted);
  }
  std::optional<double> rate(const Case& what) const {
    const Performances& of_kind = records_.in(seen_.kind_of(what));
    for (const std::size_t i : ranking(of_kind)) {
      const Reply reply = reply_of(
          i, of_kind, [&](std::size_t j) { return fitted_[j] ? fitted_[j]->predict(what) : Reply{}; });
      if (reply.estimate) return what.samples / std::exp(reply.estimate->log_mean);
    }
    return std::nullopt;
  }

 private:
  Seen seen_;
  estimators::Records records_;
  std::vector<std::unique_ptr<const Fitted>> fitted_;
};

std::map<std::string, Curve> curves_of(const History& history, unsigned facts) {
  std::map<std::string, Curve> out;
  for (const ReplicateGroup& group : replicate_groups(history))
    out[key_of(*group.what, facts)].push_back({*group.what, group.what->samples / std::exp(group.log_value)});
  return out;
}

double best_of(const std::vector<double>& rates) {
  return std::ranges::max(rates);
}

// The smallest size whose rate is near the best.
std::size_t knee_of(const std::vector<double>& rates, double near) {
  return static_cast<std::size_t>(
      std::ranges::find_if(rates, [&](double rate) { return rate >= (1 - near) * best_of(rates); }) -
      rates.begin());
}

struct Tally {
  int asked = 0, fast = 0, right = 0;
  double lost = 0;  // share of the throughput of the right choice
};

void print(const char* what, const Tally& tally) {
  if (tally.asked == 0) return;
  std::printf("| %s | %d | %.1f | %.1f | %.1f |\n", what, tally.asked, 100.0 * tally.fast / tally.asked,
              100.0 * tally.right / tally.asked, 100 * tally.lost / tally.asked);
}

void judge_knee(const Curve& curve, const Answers& answers, Tally& tally) {
  std::vector<double> measured, foretold;
  for (const Point& point : curve) {
    const auto rate = answers.rate(point.what);
    if (!rate) return;
    measured.push_back(point.rate);
    foretold.push_back(*rate);
  }
  const std::size_t right = knee_of(measured, kNear), chosen = knee_of(foretold, kNear / 2);
  const bool fast = measured[chosen] >= (1 - kNear) * measured[right];
  ++tally.asked;
  tally.fast += fast ? 1 : 0;
  tally.right += fast && curve[chosen].what.samples <= kFarLarger * curve[right].what.samples ? 1 : 0;
  tally.lost += std::max(0.0, 1 - measured[chosen] / measured[right]);
}

// What of a series has run: the smallest size and two that `next` chooses; or every other one and the largest.
std::set<std::size_t> chosen_by_next(const Curve& curve) {
  const double seconds = curve.front().what.samples / curve.front().rate;
  const History known = {{curve.front().what, seconds, 0, 0, 0}};
  std::vector<Candidate> candidates;
  std::vector<Case> sizes;
  for (const Point& point : curve) {
    candidates.push_back({point.what, 1});
    sizes.push_back(point.what);
  }
  std::set<std::size_t> out = {0};
  for (const Planned& run : plan_runs(known, candidates, to_choose_among(sizes), 1e9, 2))
    out.insert(run.candidate);
  return out;
}

std::set<std::size_t> every_other(const Curve& curve) {
  std::set<std::size_t> out = {curve.size() - 1};
  for (std::size_t i = 0; i < curve.size(); i += 2) out.insert(i);
  return out;
}

// A fifth of the series at a time: of these only some sizes are known, of the others all.
void print_knees(const char* what, const History& history, std::set<std::size_t> (*known_of)(const Curve&)) {
  Tally tally;
  auto curves = curves_of(history, kSeries);
  for (auto& [key, curve] : curves)
    std::ranges::sort(curve, {}, [](const Point& p) { return p.what.samples; });
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    std::set<std::string> hidden;
    std::vector<const Curve*> asked;
    std::size_t at = 0;
    for (const auto& [key, curve] : curves) {
      if (at++ % kFolds != fold || curve.size() < kFewest) continue;
      const auto known = known_of(curve);
      asked.push_back(&curve);
      for (std::size_t i = 0; i < curve.size(); ++i)
        if (!known.contains(i)) hidden.insert(key_of(curve[i].what, kAllFacts));
    }
    History rest;
    for (const Datum& datum : history)
      if (!hidden.contains(key_of(datum.what, kAllFacts))) rest.push_back(datum);
    const Answers answers(rest);
    for (const Curve* curve : asked) judge_knee(*curve, answers, tally);
  }
  print(what, tally);
}

// A fifth of the machines at a time, network by network: which of the machines is the fastest for it?
void print_devices(const History& history) {
  Tally tally;
  const auto questions = curves_of(history, kAllFacts & ~kMachine);
  std::map<std::string, std::size_t> folds;
  for (const Datum& datum : history) folds.try_emplace(key_of(datum.what, kNetwork | kMachine), 0);
  std::size_t next = 0;
  for (auto& [key, fold] : folds) fold = next++ % kFolds;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    const auto hidden = [&](const Case& what) { return folds.at(key_of(what, kNetwork | kMachine)) == fold; };
    History rest;
    for (const Datum& datum : history)
      if (!hidden(datum.what)) rest.push_back(datum);
    const Answers answers(rest);
    for (const auto& [key, curve] : questions) {
      if (curve.size() < 2 || std::ranges::none_of(curve, [&](const Point& p) { return hidden(p.what); }))
        continue;
      std::vector<double> measured, foretold;
      for (const Point& point : curve) {
        const auto rate = hidden(point.what) ? answers.rate(point.what) : std::optional(point.rate);
        if (!rate) continue;
        measured.push_back(point.rate);
        foretold.push_back(*rate);
      }
      if (measured.size() < 2) continue;
      const double chosen =
          measured[static_cast<std::size_t>(std::ranges::max_element(foretold) - foretold.begin())];
      const bool right = chosen >= (1 - kNear) * best_of(measured);
      ++tally.asked;
      tally.fast += right ? 1 : 0;
      tally.right += right ? 1 : 0;
      tally.lost += 1 - chosen / best_of(measured);
    }
  }
  print("the fastest machine, a fifth of them unseen by the network", tally);
}

}  // namespace

void print_choices(const History& history) {
  std::printf("| Choice | Asked | As fast, %% | Right, %% | Throughput lost, %% |\n|---|---|---|---|---|\n");
  print_knees("the knee, from the smallest batch size and two that `next` chooses", history, chosen_by_next);
  print_knees("the knee, from every other batch size", history, every_other);
  print_devices(history);
}

}  // namespace etad::bench
