#include "regression/estimators/performance.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <optional>

#include "parsers/base/hash.h"
#include "regression/estimators/combined.h"
#include "regression/interval.h"
#include "regression/statistics.h"

namespace etad::estimators {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kMostGroups = 3000;  // of a history that are judged
constexpr std::size_t kFreely = 320;       // of a history of which all are asked
constexpr std::size_t kMostAsked =
    40;  // of a longer one, in each fold; half as many could not tell good from bad
constexpr double kConfidence = 0.9;
constexpr double kDegrees = 10;  // of freedom of the deviations, as good as known
constexpr unsigned kSeries = kAllFacts & ~kSamples;
constexpr unsigned kNetworkInPhase = kNetwork | kPhase;  // series whose curves have the most in common

// The same on every machine and in every run of the daemon, so that scores do not flicker.
std::size_t hash(std::string_view text) {
  constexpr std::uint64_t kSeed = 1469598103934665603U;
  const std::uint64_t out = fnv1a(text, kSeed);
  return static_cast<std::size_t>(out ^ (out >> 29U));
}

// What tells a run from others, whatever order they were read in: its number, where its beginning is not known.
std::string own_mark(const Datum& datum) {
  return datum.started_at > 0 ? std::to_string(datum.started_at) : std::to_string(datum.run);
}

// What a kind is called, its column in tables, and the facts that are hidden together to ask such questions.
struct KindOfQuestion {
  std::string_view name, column;
  unsigned hidden;
};
constexpr unsigned kWhere = kNetwork | kPhase | kMachine | kSettings;
constexpr std::array<KindOfQuestion, kKinds> kQuestions = {{
    {"seen", "seen", kAllFacts},
    {"batch_size", "batch_size", kAllFacts},
    {"batch_size", "batch_size_range", kAllFacts},
    {"batch_size", "batch_size_beyond_all", kAllFacts},
    {"batch_size", "batch_size_from_one", kAllFacts},
    {"settings", "settings", kWhere},
    {"devices", "devices", kWhere | kDevices},
    {"devices", "devices_range", kWhere | kDevices},
    {"device", "device", kNetwork | kMachine},
    {"network", "network", kNetwork},
}};

unsigned hidden_facts(Kind kind) {
  return kQuestions[static_cast<std::size_t>(kind)].hidden;
}

struct Split {
  History known, hidden;
};

// The different values of what varies within a group, and the groups' facts.
class Values {
 public:
  using Varied = double (*)(const Case&);
  Values(const History& history, unsigned group, Varied varied) : group_(group), varied_(varied) {
    for (const Datum& datum : history) values_[key_of(datum.what, group)].insert(varied(datum.what));
  }

  std::string group_of(const Case& what) const { return key_of(what, group_); }
  bool in_larger_half(const Case& what) const {
    const auto& of = values_.at(group_of(what));
    return varied_(what) > *std::next(of.begin(), static_cast<std::ptrdiff_t>((of.size() - 1) / 2));
  }
  // Of each group one value is left.
  bool left_over(const Case& what) const {
    const std::string key = group_of(what);
    const auto& of = values_.at(key);
    return varied_(what) ==
           *std::next(of.begin(), static_cast<std::ptrdiff_t>(hash(key) / kFolds % of.size()));
  }

 private:
  unsigned group_;
  Varied varied_;
  std::map<std::string, std::set<double>> values_;
};

double samples_of(const Case& what) {
  return what.samples_per_device();
}

double devices_of(const Case& what) {
  return what.devices;
}

// Of a fifth of the groups all values but some; nullopt: of such questions whole points are hidden.
std::optional<Values> values_for(const History& history, Kind kind) {
  if (kind == Kind::range || kind == Kind::one_size) return Values(history, kSeries, samples_of);
  if (kind == Kind::beyond_all) return Values(history, kNetworkInPhase, samples_of);
  if (kind == Kind::devices_range) return Values(history, kNetwork | kMachine, devices_of);
  return std::nullopt;
}

Split split(const History& history, Kind kind, std::size_t fold) {
  const std::optional<Values> values = values_for(history, kind);
  const auto hidden = [&](const Datum& datum) {
    const Case& what = datum.what;
    const std::string part = values               ? values->group_of(what)
                             : kind == Kind::seen ? own_mark(datum)
                                                  : key_of(what, hidden_facts(kind));
    if (hash(part) % kFolds != fold) return false;
    if (!values) return true;
    return kind == Kind::one_size ? !values->left_over(what) : values->in_larger_half(what);
  };
  Split out;
  for (const Datum& datum : history) (hidden(datum) ? out.hidden : out.known).push_back(datum);
  return out;
}

// Whole series of a history that is too long to be judged.
History sample_of(const History& history) {
  const std::size_t groups = replicate_groups(history).size();
  if (groups <= kMostGroups) return history;
  const std::size_t every = (groups + kMostGroups - 1) / kMostGroups;
  History out;
  for (const Datum& datum : history) {
    if (hash(key_of(datum.what, kSeries & ~kDevices)) % every == 0) out.push_back(datum);
  }
  return out;
}

struct Trial {
  double error = 0;  // log(estimate / actual); NaN: no answer
  double deviation = 0;
  std::size_t fold = 0;
  double beyond = 0;  // of the question: Gap
};
using Trials = std::vector<std::vector<Trial>>;  // by estimator, the same cases for all

Trial trial_of(const Reply& reply, double actual, std::size_t fold, double beyond) {
  if (!reply.estimate) return {NAN, 0, fold, beyond};
  return {reply.estimate->log_mean - actual, reply.estimate->deviation, fold, beyond};
}

double unit_of(double deviation, double typical, double beyond) {
  return std::max(std::hypot(deviation, typical) * std::sqrt(1 + beyond), 1e-6);
}

double upper_decile(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) * 9 / 10);
  std::ranges::nth_element(values, at);
  return *at;
}

double relative(const Trial& trial) {
  return std::abs(std::exp(trial.error) - 1);
}

Performance score_of(const std::vector<Trial>& trials, const std::vector<Trial>& reference) {
  Performance out;
  out.cases = static_cast<int>(trials.size());
  std::vector<double> errors, factors, beyond;
  double ours = 0, theirs = 0;  // where both answered
  for (std::size_t i = 0; i < trials.size(); ++i) {
    beyond.push_back(trials[i].beyond);
    if (!std::isfinite(trials[i].error)) continue;
    errors.push_back(relative(trials[i]));
    factors.push_back(std::abs(trials[i].error));
    if (std::isfinite(reference[i].error)) {
      ours += errors.back();
      theirs += relative(reference[i]);
    }
  }
  out.answered = static_cast<int>(errors.size());
  out.error_percent = 100 * regression::mean(errors);
  if (theirs > 0) out.against = ours / theirs;
  out.typical = regression::median(std::move(factors));
  out.farthest = upper_decile(std::move(beyond));
  for (const Trial& trial : trials) {
    if (std::isfinite(trial.error))
      out.scores.push_back(std::abs(trial.error) / unit_of(trial.deviation, out.typical, trial.beyond));
  }
  std::ranges::sort(out.scores);
  out.coverage = regression::score_coverage(out.scores, kConfidence, kDegrees);
  return out;
}

// Of the estimator that answers most, of equals the richest: whom the others can be compared with.
const std::vector<Trial>& most_answered(const Trials& trials) {
  const auto answered = [](const std::vector<Trial>& of) {
    return std::ranges::count_if(of, [](const Trial& each) { return std::isfinite(each.error); });
  };
  std::size_t most = 0;
  for (std::size_t i = 0; i < trials.size(); ++i)
    if (answered(trials[i]) >= answered(trials[most])) most = i;
  return trials[most];
}

// What the others' trials come to together, in the place of the last, which has none of its own. Weights for a fold's
// cases are of the other folds, so that they have not seen what they are judged by.
std::vector<double> combine_trials(Trials& trials) {
  const auto weights_without = [&](std::size_t fold) {
    std::vector<std::vector<double>> errors(trials.size() - 1);
    for (std::size_t i = 0; i < errors.size(); ++i)
      for (const Trial& trial : trials[i])
        if (trial.fold != fold) errors[i].push_back(trial.error);
    std::vector<double> out = weights_of(errors);
    out.push_back(0);  // it is no part of itself
    return out;
  };
  std::vector<Trial>& together = trials.back();
  std::vector<std::vector<double>> weights;
  for (std::size_t fold = 0; fold < kFolds; ++fold) weights.push_back(weights_without(fold));
  for (std::size_t j = 0; j < together.size(); ++j) {
    const std::size_t fold = together[j].fold;
    const Reply reply = combine(weights[fold], [&](std::size_t i) -> Reply {
      const Trial& trial = trials[i][j];
      if (!std::isfinite(trial.error)) return {};
      return {Estimate{trial.error, trial.deviation, {}}, {}};
    });
    together[j] = trial_of(reply, 0, fold, together[j].beyond);
  }
  return weights_without(kFolds);
}

class Comparison {
 public:
  Comparison(const History& history, Target target, const std::function<void()>& alive)
      : history_(sample_of(history)), target_(target), alive_(alive) {
    for (const Estimator& estimator : estimators()) {
      all_.push_back(estimator.needs(history_) ? nullptr : estimator.fit(history_, target_));
      alive_();
    }
  }

  std::vector<Record> records() {
    std::vector<Record> out;
    for (const Estimator& estimator : estimators()) {
      out.push_back({estimator.name, estimator.source, estimator.needs(history_).value_or(""), {}});
    }
    ask_all();
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      Trials& trials = trials_[kind];
      const std::vector<Trial> most = most_answered(trials);
      const std::vector<double> weights = combine_trials(trials);
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i].kinds[kind] = score_of(trials[i], most);
        out[i].kinds[kind].weight = weights[i];
      }
    }
    return out;
  }

 private:
  void ask_all() {
    for (Trials& trials : trials_) trials.resize(all_.size());
    for (std::size_t hidden = 0; hidden < kKinds; ++hidden) {
      for (std::size_t fold = 0; fold < kFolds; ++fold) ask(static_cast<Kind>(hidden), fold);
    }
  }

  void ask(Kind kind, std::size_t fold) {
    const Split parts = split(history_, kind, fold);
    if (parts.known.empty() || parts.hidden.empty()) return;
    const Seen seen(parts.known);
    std::map<Kind, std::vector<ReplicateGroup>> asked;
    for (const ReplicateGroup& group : replicate_groups(parts.hidden)) {
      const Kind needed = seen.kind_of(*group.what);
      // The batch sizes hidden from the ends of series ask for small steps beyond them.
      const bool end = needed == Kind::range || needed == Kind::beyond_all;
      if (needed == kind || (kind == Kind::batch_size && end)) asked[needed].push_back(group);
    }
    if (asked.empty()) return;
    for (auto& [needed, groups] : asked) thin(groups);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const auto fitted = fit(i, parts.known);
      alive_();
      for (const auto& [needed, groups] : asked) {
        for (const ReplicateGroup& group : groups) {
          const Reply reply = fitted ? fitted->predict(*group.what) : Reply{};
          trials_[static_cast<std::size_t>(needed)][i].push_back(
              trial_of(reply, group.log_value, fold, seen.gap_of(*group.what).beyond));
        }
      }
    }
  }

  void thin(std::vector<ReplicateGroup>& asked) const {
    if (all_groups_ <= kFreely || asked.size() <= kMostAsked) return;
    std::ranges::sort(asked, {},
                      [](const ReplicateGroup& group) { return hash(key_of(*group.what, kAllFacts)); });
    asked.resize(kMostAsked);
  }

  std::unique_ptr<const Fitted> fit(std::size_t i, const History& known) const {
    const Estimator& estimator = estimators()[i];
    if (all_[i] == nullptr || estimator.needs(known)) return nullptr;
    return estimator.refit ? estimator.refit(known, target_, *all_[i]) : estimator.fit(known, target_);
  }

  History history_;
  std::size_t all_groups_ = replicate_groups(history_).size();
  Target target_;
  const std::function<void()>& alive_;
  std::vector<std::unique_ptr<const Fitted>> all_;
  std::array<Trials, kKinds> trials_;
};

// The same kind of question about what lies farther from what ran; nullopt: there is none.
std::optional<Kind> farther(Kind kind) {
  if (kind == Kind::batch_size) return Kind::range;
  if (kind == Kind::range) return Kind::beyond_all;
  if (kind == Kind::devices) return Kind::devices_range;
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Kind kind) {
  return kQuestions[static_cast<std::size_t>(kind)].name;
}

std::string_view column_of(Kind kind) {
  return kQuestions[static_cast<std::size_t>(kind)].column;
}

double Performance::reach(double deviation, double confidence, double beyond) const {
  return unit_of(deviation, typical, beyond) * regression::score_quantile(scores, confidence, kDegrees);
}

Seen::Seen(const History& history) {
  const auto widen = [](Ranges& ranges, std::string key, double value) {
    auto& [low, high] = ranges.try_emplace(std::move(key), value, value).first->second;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const Datum& datum : history) {
    const Case& c = datum.what;
    for (const Kind kind : {Kind::network, Kind::device, Kind::devices, Kind::settings, Kind::seen}) {
      keys_.insert(std::string(name_of(kind)) + key_of(c, hidden_facts(kind)));
    }
    widen(samples_, key_of(c, kSeries), c.samples);
    widen(shares_, key_of(c, kNetworkInPhase), c.samples_per_device());
    widen(devices_, key_of(c, hidden_facts(Kind::settings)), c.devices);
  }
}

Kind Seen::kind_of(const Case& what) const {
  const auto within = [](const std::pair<double, double>& range, double value) {
    return value > range.first && value < range.second;
  };
  for (const Kind kind : {Kind::network, Kind::device, Kind::settings}) {
    if (!keys_.contains(std::string(name_of(kind)) + key_of(what, hidden_facts(kind)))) return kind;
  }
  if (!keys_.contains(std::string(name_of(Kind::devices)) + key_of(what, hidden_facts(Kind::devices)))) {
    const auto numbers = devices_.find(key_of(what, hidden_facts(Kind::settings)));
    const bool between = numbers != devices_.end() && within(numbers->second, what.devices);
    return between ? Kind::devices : Kind::devices_range;
  }
  if (keys_.contains(std::string(name_of(Kind::seen)) + key_of(what, kAllFacts))) return Kind::seen;
  const auto sizes = samples_.find(key_of(what, kSeries));
  if (sizes == samples_.end()) return Kind::settings;
  if (sizes->second.first == sizes->second.second) return Kind::one_size;
  if (within(sizes->second, what.samples)) return Kind::batch_size;
  const auto& [least, most] = shares_.at(key_of(what, kNetworkInPhase));
  const double share = what.samples_per_device();
  return share < least || share > most ? Kind::beyond_all : Kind::range;
}

Gap Seen::gap_of(const Case& what) const {
  Gap out{kind_of(what), 0};
  if (out.kind != Kind::range && out.kind != Kind::beyond_all) return out;
  const auto& [least, most] = samples_.at(key_of(what, kSeries));
  out.beyond = std::log(std::max(what.samples / most, least / what.samples));
  return out;
}

std::vector<Record> compare(const History& history, Target target, const std::function<void()>& alive) {
  return Comparison(history, target, alive).records();
}

std::vector<std::size_t> ranking(const std::vector<Record>& records, Kind kind) {
  constexpr int kFewest = 4;      // answers that make a record
  constexpr double kAll = 0.999;  // of the weight
  const auto performance = [&](std::size_t i) -> const Performance& {
    return records[i].kinds[static_cast<std::size_t>(kind)];
  };
  const std::size_t together = records.size() - 1, richest = together - 1;
  // Without a record the richest is asked first: it is the one that knows when it does not know.
  const auto error = [&](std::size_t i) {
    if (performance(i).answered >= kFewest) return performance(i).against;
    return i == richest ? 1.0 : 1e3 - static_cast<double>(i);
  };
  std::vector<std::size_t> out(records.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  std::ranges::stable_sort(out, {}, error);
  if (performance(together).answered < kFewest) return out;
  auto first = std::ranges::find_if(out, [&](std::size_t i) { return performance(i).weight > kAll; });
  if (first == out.end()) first = std::ranges::find(out, together);
  std::rotate(out.begin(), first, first + 1);
  return out;
}

Reply reply_of(std::size_t i, const std::vector<Record>& records, Gap gap,
               const std::function<Reply(std::size_t)>& ask) {
  if (i + 1 != records.size()) return ask(i);
  const auto kind = static_cast<std::size_t>(gap.kind);
  std::vector<double> weights;
  for (const Record& record : records) weights.push_back(record.kinds[kind].weight);
  if (gap.kind == Kind::beyond_all && gap.beyond > records.back().kinds[kind].farthest) {
    std::ranges::fill(weights, 0);
    weights.front() = weights.end()[-2] = 0.5;
  }
  return combine(weights, ask);
}

std::optional<Answered> answer_of(std::size_t i, const std::vector<Record>& records, Gap gap,
                                  double confidence, const std::function<Reply(std::size_t)>& ask) {
  std::map<std::size_t, Reply> replies;  // they depend on no kind of question
  const auto ask_once = [&](std::size_t one) {
    const auto [at, is_new] = replies.try_emplace(one);
    if (is_new) at->second = ask(one);
    return at->second;
  };
  const auto answer_as = [&](Kind as) -> std::optional<Answered> {
    const auto said = reply_of(i, records, {as, gap.beyond}, ask_once).estimate;
    if (!said) return std::nullopt;
    const Performance& record = records[i].kinds[static_cast<std::size_t>(as)];
    return Answered{*said, record.reach(said->deviation, confidence, gap.beyond)};
  };
  auto out = answer_as(gap.kind);
  for (auto harder = farther(gap.kind); out && harder; harder = farther(*harder)) {
    if (records[i].kinds[static_cast<std::size_t>(*harder)].answered == 0) continue;
    if (const auto there = answer_as(*harder)) out->reach = std::min(out->reach, there->reach);
  }
  return out;
}

}  // namespace etad::estimators
