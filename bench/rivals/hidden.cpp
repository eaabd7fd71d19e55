#include "bench/rivals/hidden.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "regression/estimators/combined.h"
#include "regression/estimators/drift.h"

namespace etad::bench {
namespace {

using namespace estimators;

constexpr std::size_t kFewest = 4;  // batch sizes of a series that is asked about
constexpr double kConfidence = 0.9;
constexpr unsigned kElsewhere = kNetwork | kPhase | kDevices | kSettings;
constexpr unsigned kCurve = kAllFacts & ~(kSamples | kDevices);  // of one network over numbers of devices

// The part of the history that a run is hidden with; empty: it stays known.
using PartOf = std::function<std::string(const Datum&)>;

// The values that one fact takes in each group of the history, by the group's key.
using Values = std::map<std::string, std::set<double>>;
Values values_of(const History& history, unsigned group, double Case::*fact) {
  Values out;
  for (const Datum& each : history) out[key_of(each.what, group)].insert(each.what.*fact);
  return out;
}

PartOf each_size(const History& history) {
  return [sizes = values_of(history, kSeries, &Case::samples)](const Datum& each) {
    return sizes.at(key_of(each.what, kSeries)).size() < kFewest ? "" : key_of(each.what, kAllFacts);
  };
}

PartOf larger_half(const History& history) {
  return [sizes = values_of(history, kSeries, &Case::samples)](const Datum& each) {
    const std::string key = key_of(each.what, kSeries);
    const auto& of = sizes.at(key);
    const bool larger = each.what.samples >= *std::next(of.begin(), static_cast<int>((of.size() + 1) / 2));
    return of.size() < kFewest || !larger ? "" : key;
  };
}

PartOf all_but_one(const History& history) {
  return [sizes = values_of(history, kSeries, &Case::samples)](const Datum& each) {
    const std::string key = key_of(each.what, kSeries);
    const auto& of = sizes.at(key);
    const auto left = std::next(of.begin(), static_cast<int>(std::hash<std::string>()(key) % of.size()));
    return of.size() < kFewest || each.what.samples == *left ? "" : key;
  };
}

PartOf devices(const History& history) {
  return [numbers = values_of(history, kCurve, &Case::devices)](const Datum& each) {
    const bool asked = numbers.at(key_of(each.what, kCurve)).size() > 2 && each.what.devices > 1;
    return asked ? key_of(each.what, kCurve | kDevices) : "";
  };
}

PartOf few_devices(const History& history) {
  return [numbers = values_of(history, kNetwork | kMachine, &Case::devices)](const Datum& each) {
    const std::string key = key_of(each.what, kNetwork | kMachine);
    const auto& of = numbers.at(key);
    return of.contains(1) && of.contains(2) && each.what.devices > 2 ? key : "";
  };
}

// Machines whose device is in another one too: on others nobody answers.
PartOf host(const History& history) {
  std::map<std::string, std::set<std::string>> hosts;
  for (const Datum& each : history) hosts[each.what.device].insert(each.what.host);
  return [hosts](const Datum& each) {
    return hosts.at(each.what.device).size() > 1 ? key_of(each.what, kMachine) : "";
  };
}

PartOf part_of(const std::string& what, const History& history) {
  if (what == "size") return each_size(history);
  if (what == "larger-half") return larger_half(history);
  if (what == "all-but-one") return all_but_one(history);
  if (what == "devices") return devices(history);
  if (what == "few-devices") return few_devices(history);
  if (what == "host") return host(history);
  const unsigned facts = what == "device" ? kNetwork | kMachine : kNetwork;
  return [facts](const Datum& each) { return key_of(each.what, facts); };
}

struct Sum {
  double error = 0, held = 0;
  int asked = 0, answered = 0;
  void add(double actual, const std::optional<Answered>& said) {
    ++asked;
    if (!said) return;
    ++answered;
    error += std::abs(std::exp(said->estimate.log_mean - actual) - 1);
    held += std::abs(said->estimate.log_mean - actual) <= said->half_width;
  }
};

}  // namespace

void print_hidden(const History& history, Target target, const std::string& what, double share) {
  const PartOf part = part_of(what, history);
  std::set<std::string> parts;
  for (const Datum& each : history)
    if (std::string name = part(each); !name.empty()) parts.insert(std::move(name));
  std::map<std::string, std::size_t> fold_of;
  const std::size_t folds = share > 0 ? static_cast<std::size_t>(std::lround(1 / share)) : parts.size();
  for (const std::string& name : parts) fold_of.emplace(name, fold_of.size() % folds);

  const auto all = estimators::estimators();
  std::vector<Sum> sums(all.size());
  std::map<std::string, Sum> chosen;  // the answer chosen: of all questions (""), of a phase, of a kind
  std::map<Kind, int> kinds;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    History known, hidden;
    for (const Datum& each : history) {
      const auto found = fold_of.find(part(each));
      (found != fold_of.end() && found->second == fold ? hidden : known).push_back(each);
    }
    if (hidden.empty() || known.empty()) continue;
    const Seen seen(known);
    const estimators::Records records = compare(known, target);  // as a daemon that knows no more
    std::vector<std::unique_ptr<const Fitted>> fitted;
    const History steady = target == Target::seconds ? Drift(known).remove_from(known) : known;
    for (const Estimator& each : all) fitted.push_back(each.learn(steady, target).fitted);
    std::set<std::string> elsewhere;
    for (const Datum& each : known) elsewhere.insert(key_of(each.what, kElsewhere));
    for (const ReplicateGroup& group : replicate_groups(hidden)) {
      if (seen.never_seen(*group.what) & (kDevice | kFramework)) continue;  // nobody answers that
      if (what == "device" && !elsewhere.contains(key_of(*group.what, kElsewhere))) continue;
      const auto [kind, beyond] = seen.distance_of(*group.what);
      ++kinds[kind];
      const Case asked = seen.within_lengths(*group.what);
      std::vector<Reply> replies(all.size());
      const auto ask = [&](std::size_t i) { return replies[i]; };
      std::vector<std::optional<Answered>> answers;
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (fitted[i] != nullptr) replies[i] = fitted[i]->predict(asked);
        answers.push_back(answer_of(i, records.in(kind), beyond, kConfidence, ask));
        sums[i].add(group.log_value, answers[i]);
      }
      const auto order = ranking(records.in(kind));
      const auto first = std::ranges::find_if(order, [&](std::size_t i) { return answers[i].has_value(); });
      for (const std::string& of : {std::string(), group.what->phase, std::string(column_of(kind))})
        chosen[of].add(group.log_value, first == order.end() ? std::nullopt : answers[*first]);
    }
  }
  std::printf("%s, %zu parts in %zu folds:", what.c_str(), parts.size(), folds);
  for (const auto& [kind, cases] : kinds) std::printf(" %s %d", std::string(name_of(kind)).c_str(), cases);
  std::printf("\n| Estimator | Error %% | Held %% | Answered |\n|---|---|---|---|\n");
  const auto print = [](const std::string& name, const Sum& sum) {
    if (sum.answered == 0) return;
    std::printf("| %s | %.2f | %.1f | %d/%d |\n", name.c_str(), 100 * sum.error / sum.answered,
                100 * sum.held / sum.answered, sum.answered, sum.asked);
  };
  for (std::size_t i = 0; i < sums.size(); ++i) print(std::string(all[i].name), sums[i]);
  for (const auto& [of, sum] : chosen) print(of.empty() ? "the chosen one" : "the chosen one, " + of, sum);
}

}  // namespace etad::bench
