#include "regression/estimators/performance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "parsers/base/hash.h"
#include "regression/estimators/combined.h"
#include "regression/estimators/drift.h"
#include "regression/estimators/owners.h"
#include "regression/interval.h"
#include "regression/statistics.h"

namespace etad::estimators {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kMostJudged = 3000;  // of a history that are judged
constexpr std::size_t kFreely = 320;       // of a history of which all are asked
constexpr std::size_t kMostAsked =
    40;  // of a longer one, in each fold; half as many could not tell good from bad
constexpr double kConfidence = 0.9;
constexpr double kDegreesOfFreedom = 10;      // of the deviations, as good as known
constexpr double kAlike = 0.5;                // correlation between the errors of a part's cases
constexpr double kAssumed = 8;                // cases that what is assumed counts for
constexpr std::size_t kMostWithRecords = 64;  // who have records of their own
constexpr double kMedian = 0.695;  // of |t|, Student's t with twelve degrees of freedom (interval.h)

// The same on every machine and in every run of the daemon, so that scores do not flicker.
std::size_t hash(std::string_view text) {
  constexpr std::uint64_t kSeed = 1469598103934665603U;
  const std::uint64_t out = fnv1a(text, kSeed);
  return static_cast<std::size_t>(out ^ (out >> 29U));
}

// Which runs are hidden: of a fifth of the parts of a history all of them, or those with the larger half of their part's
// values, or with all of these but one.
std::vector<bool> hidden_of(const History& history, Kind kind, std::size_t fold) {
  // Runs are told apart by when they began, so that the order in which they were read does not matter.
  const auto part_of = [kind](const Datum& datum) {
    if (kind != Kind::seen) return key_of(datum.what, about(kind).hidden_facts);
    return datum.started_at > 0 ? std::to_string(datum.started_at) : std::to_string(datum.run);
  };
  const auto value_of = [kind](const Case& what) {
    return kind == Kind::devices_range ? what.devices : what.samples_per_device();
  };
  const bool half =
      kind == Kind::batch_size_range || kind == Kind::batch_size_beyond_all || kind == Kind::devices_range;
  std::map<std::string, std::set<double>> values;                      // of each part
  std::vector<std::pair<const std::string, std::set<double>>*> parts;  // of each run
  for (const Datum& datum : history) {
    parts.push_back(&*values.try_emplace(part_of(datum)).first);
    parts.back()->second.insert(value_of(datum.what));
  }
  std::vector<bool> out(history.size());
  for (std::size_t i = 0; i < history.size(); ++i) {
    const auto& [part, of] = *parts[i];
    if (hash(part) % kFolds != fold) continue;
    const double value = value_of(history[i].what);
    const auto place = static_cast<std::size_t>(std::distance(of.begin(), of.find(value)));
    if (half)
      out[i] = place > (of.size() - 1) / 2;
    else
      out[i] = kind != Kind::batch_size_from_one || place != hash(part) / kFolds % of.size();
  }
  return out;
}

// The runs that are hidden, or those that are not.
History runs_where(const History& history, const std::vector<bool>& hidden, bool wanted) {
  History out;
  for (std::size_t i = 0; i < history.size(); ++i)
    if (hidden[i] == wanted) out.push_back(history[i]);
  return out;
}

// Whole series of a history that is too long to be judged.
History sample_of(History history) {
  const std::size_t groups = replicate_groups(history).size();
  if (groups <= kMostJudged) return history;
  const std::size_t every = (groups + kMostJudged - 1) / kMostJudged;
  History out;
  for (Datum& datum : history) {
    if (hash(key_of(datum.what, kSeries & ~kDevices)) % every == 0) out.push_back(std::move(datum));
  }
  return out;
}

struct Trial {
  double error = 0;  // log(estimate / actual); NaN: no answer
  double deviation = 0;
  std::size_t fold = 0;
  double beyond = 0;     // of the question: Distance
  std::size_t part = 0;  // of the history, that it was hidden from
  std::int64_t owner = 0;
};
using Trials = std::vector<std::vector<Trial>>;  // by estimator, the same cases for all

Trial trial_of(const Reply& reply, double actual, Trial question) {
  question.error = reply.estimate ? reply.estimate->log_mean - actual : NAN;
  question.deviation = reply.estimate ? reply.estimate->deviation : 0;
  return question;
}

double unit_of(double deviation, double median_error, double beyond) {
  return std::max(std::hypot(deviation, median_error) * std::sqrt(1 + beyond), 1e-6);
}

double relative(const Trial& trial) {
  return std::abs(std::exp(trial.error) - 1);
}

// How many independent ones as many cases count for, of so many parts.
double independent_of(double cases, double parts) {
  return cases > 0 ? cases / (1 + kAlike * (cases / parts - 1)) : 0;
}

// The weighted geometric mean of what so many cases show and what is assumed.
double shrunken(double shown, double independent, double assumed) {
  constexpr double kLeast = 1e-3;  // the estimator that never errs is not known to do so for ever
  const double seen = independent / (independent + kAssumed);
  return std::pow(std::max(shown, kLeast), seen) * std::pow(assumed, 1 - seen);
}

Performance score_of(Kind kind, const std::vector<Trial>& trials, const std::vector<Trial>& reference) {
  Performance out;
  out.cases = static_cast<int>(trials.size());
  std::vector<double> errors, factors;
  std::set<std::size_t> parts;
  double ours = 0, theirs = 0;  // where both answered
  bool both_answered = false;
  double farthest = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!std::isfinite(trials[i].error)) continue;
    errors.push_back(relative(trials[i]));
    factors.push_back(std::abs(trials[i].error));
    parts.insert(trials[i].part);
    farthest = std::max(farthest, trials[i].beyond);
    if (std::isfinite(reference[i].error)) {
      both_answered = true;
      ours += errors.back();
      theirs += relative(reference[i]);
    }
  }
  out.answered = static_cast<int>(errors.size());
  if (out.answered > 0) out.farthest_hidden = farthest;
  out.error_percent = 100 * regression::mean(errors);
  if (both_answered) out.error_ratio = theirs > 0 ? ours / theirs : 1;
  out.independent = independent_of(out.answered, static_cast<double>(parts.size()));
  out.median_error =
      shrunken(regression::median(std::move(factors)), out.independent, about(kind).assumed_error);
  for (const Trial& trial : trials) {
    if (std::isfinite(trial.error))
      out.scores.push_back(std::abs(trial.error) / unit_of(trial.deviation, out.median_error, trial.beyond));
  }
  std::ranges::sort(out.scores);
  // What was hidden from the ends of the history says little of how sure one is beyond all of it.
  if (!out.scores.empty() && kind != Kind::batch_size_beyond_all)
    out.scale = shrunken(regression::median(out.scores) / kMedian, out.independent, 1);
  for (double& score : out.scores) score /= out.scale;
  out.coverage = regression::score_coverage(out.scores, kConfidence, kDegreesOfFreedom, out.independent);
  return out;
}

// log(estimate / actual) of each estimator but the combination, without the cases of one fold (kFolds: of none).
std::vector<std::vector<double>> errors_without(const Trials& trials, std::size_t fold) {
  std::vector<std::vector<double>> out(trials.size() - 1);
  for (std::size_t i = 0; i < out.size(); ++i)
    for (const Trial& trial : trials[i])
      if (trial.fold != fold) out[i].push_back(trial.error);
  return out;
}

// Two estimators that have half of the weight each where records say little, beside `effects` the other one; none: records
// count. Who did best on what was hidden from the ends of the history says little of what lies beyond all of it: a power
// law follows small batches well and is ever farther off at large ones. There a straight line, the simplest, holds the
// richest: where these lie far apart, the lower one is the median that the higher one is held to (combine()). Where each
// network ran on two numbers of devices, hiding one leaves a single number, of which no form of them can say anything.
const Estimator* half_beside_effects(Kind kind, const Trials& trials) {
  const auto all = estimators();
  if (trials.front().empty()) return nullptr;
  if (kind == Kind::batch_size_beyond_all) return &all.front();
  const Estimator* const form = find_estimator("ring");
  const auto& its = trials[static_cast<std::size_t>(form - all.data())];
  const bool answers = std::ranges::any_of(its, [](const Trial& one) { return std::isfinite(one.error); });
  return kind == Kind::devices_range && !answers ? form : nullptr;
}

// The weights of the others in the combination, which is the last and no part of itself.
std::vector<double> weights_without(Kind kind, const Trials& trials, std::size_t fold) {
  std::vector<double> out = weights_of(errors_without(trials, fold));
  if (const Estimator* const other = half_beside_effects(kind, trials)) {
    std::ranges::fill(out, 0);
    out[static_cast<std::size_t>(other - estimators().data())] = out.back() = 0.5;
  }
  out.push_back(0);
  return out;
}

// What the others' trials come to together, in the place of the combination's. Weights for a fold's cases are of the
// other folds, so that they have not seen what they are judged by.
void combine_trials(Kind kind, Trials& trials) {
  std::vector<std::vector<double>> weights;
  for (std::size_t fold = 0; fold < kFolds; ++fold) weights.push_back(weights_without(kind, trials, fold));
  for (std::size_t j = 0; j < trials.back().size(); ++j) {
    Trial& together = trials.back()[j];
    const Reply reply = combine(weights[together.fold], [&](std::size_t i) -> Reply {
      const Trial& trial = trials[i][j];
      if (!std::isfinite(trial.error)) return {};
      return {Estimate{trial.error, trial.deviation, {}}, {}};
    });
    together = trial_of(reply, 0, together);
  }
}

// All estimators' records in a kind of question.
Performances scores_of(Kind kind, Trials trials) {
  combine_trials(kind, trials);
  const std::size_t reference = most_answers(errors_without(trials, kFolds));
  const std::vector<double> weights = weights_without(kind, trials, kFolds);
  Performances out;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    out.push_back(score_of(kind, trials[i], trials[reference]));
    out.back().weight = weights[i];
  }
  return out;
}

// Those with the most cases.
std::vector<std::int64_t> owners_of(const std::vector<Trial>& cases) {
  std::map<std::int64_t, std::size_t> counts;
  for (const Trial& trial : cases) ++counts[trial.owner];
  std::vector<std::pair<std::size_t, std::int64_t>> order;
  for (const auto& [owner, count] : counts) order.emplace_back(count, owner);
  std::ranges::sort(order, std::ranges::greater{});
  if (order.size() > kMostWithRecords) order.resize(kMostWithRecords);
  std::vector<std::int64_t> out;
  for (const auto& [count, owner] : order) out.push_back(owner);
  return out;
}

Trials trials_where(const Trials& all, const std::function<bool(std::int64_t owner)>& counts) {
  Trials out = all;
  for (auto& each : out) std::erase_if(each, [&](const Trial& trial) { return !counts(trial.owner); });
  return out;
}

// A question about a run that was hidden.
struct Question {
  Kind kind;
  Case what;
  double actual;  // in the logarithm
  Trial trial;    // of no answer yet
};

// About the last run of each point: an interval is to hold a run, and not the median of several. Of each owner, for what
// another runs later must not take a question out of somebody's own record.
std::vector<Question> questions_about(const History& hidden, const Seen& seen, Kind kind, std::size_t fold) {
  std::map<std::pair<std::int64_t, std::string>, const Datum*> points;
  for (const Datum& run : hidden) {
    if (!usable(run)) continue;
    const auto point = points.try_emplace({run.owner, key_of(run.what, kAllFacts)}, &run).first;
    if (run.started_at > point->second->started_at) point->second = &run;
  }
  std::vector<Question> out;
  for (const auto& [key, run] : points) {
    const Case& what = run->what;
    if (seen.never_seen(what) & (kDevice | kFramework)) continue;  // nobody answers that
    const Distance distance = seen.distance_of(what);
    // The batch sizes hidden from the ends of series ask for small steps beyond them.
    const bool end = distance.kind == Kind::batch_size_range || distance.kind == Kind::batch_size_beyond_all;
    if (distance.kind != kind && !(kind == Kind::batch_size && end)) continue;
    const std::size_t part = hash(key_of(what, about(distance.kind).hidden_facts));
    out.push_back({distance.kind,
                   seen.within_lengths(what),
                   std::log(run->value),
                   {0, 0, fold, distance.beyond, part, run->owner}});
  }
  return out;
}

// kMostAsked of each kind, of several owners in turn.
void take_sample(std::vector<Question>& questions) {
  std::ranges::sort(questions, {}, [](const Question& one) { return hash(key_of(one.what, kAllFacts)); });
  take_turns(questions, [](const Question& one) { return std::pair(one.kind, one.trial.owner); });
  std::array<std::size_t, kKinds> asked{};
  std::erase_if(questions, [&](const Question& one) {
    return ++asked[static_cast<std::size_t>(one.kind)] > kMostAsked;
  });
}

// The estimators' trials in all kinds of questions.
class Comparison {
 public:
  Comparison(History history, Target target, const std::function<void()>& alive)
      : history_(sample_of(std::move(history))), target_(target), alive_(alive) {
    for (Trials& trials : trials_) trials.resize(estimators().size());
    // How strong effects are is learnt once, of all: in each fold anew, scores would have another unit than the answer's
    // interval, for strengths make most of what an estimator says of its own uncertainty.
    const History all = steady(history_);
    for (const Estimator& estimator : estimators()) {
      whole_.push_back(estimator.learn(all, target_).fitted);
      alive_();
    }
    History heard;
    for (const Datum& run : history_)
      if (is_heard(run.owner)) heard.push_back(run);
    ask_all(heard, true);
    if (heard.size() < history_.size()) ask_all(history_, false);
  }

  Records records() const {
    Records out;
    for (std::size_t at = 0; at < kKinds; ++at) {
      const auto kind = static_cast<Kind>(at);
      out.all[at] =
          scores_of(kind, trials_where(trials_[at], [&](std::int64_t one) { return is_heard(one); }));
      const auto owners = owners_of(trials_[at].front());
      for (const std::int64_t owner : owners) {
        auto his =
            owners.size() == 1 && is_heard(owner)
                ? out.all[at]
                : scores_of(kind, trials_where(trials_[at], [&](std::int64_t one) { return one == owner; }));
        if (his.back().answered >= kFewestAnswers)
          out.of_owner.emplace(std::pair(owner, kind), std::move(his));
      }
    }
    return out;
  }

 private:
  // These runs without their machines' drift.
  History steady(const History& runs) const {
    return target_ == Target::seconds ? Drift(runs).remove_from(runs) : runs;
  }

  // About others' networks.
  bool is_heard(std::int64_t owner) const {
    return std::ranges::all_of(whole_,
                               [&](const auto& fitted) { return fitted == nullptr || fitted->hears(owner); });
  }

  // Who is not heard is judged beside all, for his own questions. The others are judged without him: where what
  // contradicts him is hidden, he might be believed.
  void ask_all(const History& history, bool of_heard) {
    for (std::size_t hidden = 0; hidden < kKinds; ++hidden)
      for (std::size_t fold = 0; fold < kFolds; ++fold)
        ask(history, static_cast<Kind>(hidden), fold, of_heard);
  }

  void ask(const History& history, Kind kind, std::size_t fold, bool of_heard) {
    const std::vector<bool> is_hidden = hidden_of(history, kind, fold);
    const History known = runs_where(history, is_hidden, false);
    const History hidden = runs_where(history, is_hidden, true);
    if (known.empty() || hidden.empty()) return;
    std::vector<Question> questions = questions_about(hidden, Seen(known), kind, fold);
    std::erase_if(questions, [&](const Question& one) { return is_heard(one.trial.owner) != of_heard; });
    if (questions.empty()) return;
    if (is_long_) take_sample(questions);
    // They learn afresh of the runs, so that nothing of what is hidden leaks into their answers.
    const History rest = steady(known);
    for (std::size_t i = 0; i < estimators().size(); ++i) {
      const auto fitted = estimators()[i].learn(rest, target_, whole_[i].get()).fitted;
      alive_();
      for (const Question& question : questions)
        trials_[static_cast<std::size_t>(question.kind)][i].push_back(
            trial_of(fitted ? fitted->predict(question.what) : Reply{}, question.actual, question.trial));
    }
  }

  History history_;
  bool is_long_ = replicate_groups(history_).size() > kFreely;
  Target target_;
  const std::function<void()>& alive_;
  std::vector<std::unique_ptr<const Fitted>> whole_;  // each estimator, of which nothing is hidden
  std::array<Trials, kKinds> trials_;
};

}  // namespace

double Performance::unseen_growth(double beyond) const {
  return std::max((1 + beyond) / (1 + farthest_hidden), 1.0);
}

double Performance::half_width(double deviation, double confidence, double beyond) const {
  return scale * unit_of(deviation, median_error, beyond) * unseen_growth(beyond) *
         regression::score_quantile(scores, confidence, kDegreesOfFreedom, independent);
}

Records compare(History history, Target target, const std::function<void()>& alive) {
  return Comparison(std::move(history), target, alive).records();
}

}  // namespace etad::estimators
