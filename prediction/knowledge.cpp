#include "prediction/knowledge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <mutex>
#include <set>

#include "parsers/base/text.h"
#include "parsers/base/time.h"
#include "prediction/datasets.h"
#include "prediction/names.h"
#include "prediction/plan.h"
#include "regression/covariates.h"
#include "regression/interval.h"
#include "storage/fair_share.h"

namespace etad::prediction {
namespace {

using estimators::Datum;
using estimators::Estimator;
using estimators::Kind;
using estimators::Performance;
using estimators::Performances;
using estimators::Target;

// Whose runs came first: of a network on a machine, of it anywhere, and of any on that machine.
constexpr std::array kFirstOf = {unsigned{estimators::kNetwork | estimators::kMachine},
                                 unsigned{estimators::kNetwork}, estimators::kMachine};
constexpr double kGrowth = 1.2;  // of the history, after which the records are made anew

// A network in a case: its name and its architecture.
std::string network_of(const ModelKey& key) {
  return key.architecture.empty() ? key.network : key.network + " " + key.architecture;
}

estimators::History joined(const Knowledge::Data& data) {
  estimators::History out;
  for (const auto& [key, runs] : data) out.insert(out.end(), runs.begin(), runs.end());
  return out;
}

std::size_t runs_in(const Knowledge::Data& data) {
  std::size_t out = 0;
  for (const auto& [key, runs] : data) out += runs.size();
  return out;
}

bool outgrows(std::size_t runs, std::size_t judged) {
  const auto now = static_cast<double>(runs), then = static_cast<double>(judged);
  return now > then * kGrowth || now * kGrowth < then;
}

// What is known of the target.
Knowledge::Data valued(const Knowledge::Data& all, Target target) {
  Knowledge::Data out;
  for (const auto& [key, runs] : all)
    if (auto known = estimators::valued(runs, target); !known.empty()) out.emplace(key, std::move(known));
  return out;
}

// What does not depend on the answer.
Said said_by(std::size_t i, const Performance& performance, estimators::Distance distance,
             const estimators::RestsOn& rests_on) {
  const Estimator& estimator = estimators::estimators()[i];
  Said out{distance.kind, distance.beyond, estimator.name, estimator.source};
  out.tested_on = performance.answered;
  if (out.tested_on > 0) out.left_out_error_percent = performance.error_percent;
  out.rests_on = rests_on;
  return out;
}

// Bitirgen et al. (MICRO 2008) have an ensemble abstain where its members disagree; here the members are the
// estimators with a good record.
void seek_contradiction(const Performances& of_kind, std::size_t asked,
                        const std::function<estimators::Reply(std::size_t)>& ask, Said& said) {
  constexpr int kFewest = 8;         // answers that make a record to doubt others by
  constexpr double kNearly = 1.5;    // of the error of the one asked
  constexpr double kSupport = 0.99;  // both intervals of this confidence must hold something in common
  const auto has_record = [&](std::size_t i) {
    return of_kind[i].answered >= kFewest && of_kind[i].error_ratio;
  };
  // What its parts differ by makes the combined answer's interval wide: the heaviest of them is asked instead.
  if (asked + 1 == of_kind.size())
    asked = static_cast<std::size_t>(std::ranges::max_element(of_kind, {}, &Performance::weight) -
                                     of_kind.begin());
  const auto own = estimators::answer_of(asked, of_kind, said.beyond, kSupport, ask);
  if (!own || !has_record(asked)) return;
  for (std::size_t i = 0; i + 1 < of_kind.size(); ++i) {
    if (i == asked || !has_record(i) || *of_kind[i].error_ratio > kNearly * *of_kind[asked].error_ratio)
      continue;
    const auto other = estimators::answer_of(i, of_kind, said.beyond, kSupport, ask);
    if (!other) continue;
    // By the errors that were seen: what nobody has seen would excuse any difference.
    const double support = own->half_width / of_kind[asked].unseen_growth(said.beyond) +
                           other->half_width / of_kind[i].unseen_growth(said.beyond);
    if (!(std::abs(own->estimate.log_mean - other->estimate.log_mean) > support)) continue;
    said.contradicted_by = estimators::estimators()[i].name;
    said.contradicted_value = std::exp(other->estimate.log_mean);
    return;
  }
}

}  // namespace

// An estimator that learns when it is first asked, or told to. What it learns does not depend on when that is.
class Knowledge::DeferredFit {
 public:
  DeferredFit(const Estimator& estimator, std::shared_ptr<const estimators::History> history, Target target,
              std::shared_ptr<const DeferredFit> before)
      : estimator_(estimator), target_(target), history_(std::move(history)), before_(std::move(before)) {}

  const estimators::FitOutcome& outcome() const {
    std::call_once(once_, [this] {
      const auto* const before = before_ ? before_->outcome().fitted.get() : nullptr;
      outcome_ = estimator_.learn(*history_, target_, before);
      history_.reset();
      before_.reset();
    });
    return outcome_;
  }

 private:
  const Estimator& estimator_;
  const Target target_;
  mutable std::once_flag once_;
  mutable std::shared_ptr<const estimators::History> history_;
  mutable std::shared_ptr<const DeferredFit> before_;  // of nearly the same history; nullptr: none
  mutable estimators::FitOutcome outcome_;
};

estimators::Case case_of(const ModelKey& key) {
  estimators::Case out;
  out.network = network_of(key);
  out.phase = std::string(name_of(key.phase));
  out.devices = reckoned_devices(key.devices);
  out.device = key.device;
  out.host = key.host;
  out.framework = key.framework;
  return out;
}

std::vector<std::string> settings_of(const ModelKey& key,
                                     const std::map<std::string, std::string>& settings) {
  auto out = regression::covariates_of(settings, key.phase == Phase::train);
  if (key.devices == 0) out.emplace_back(kUnknownDevices);
  return out;
}

Datum datum_of(const ModelKey& key, const regression::RunObservation& run) {
  Datum out{case_of(key), run.seconds / run.iterations, run.run, run.started_at, run.ended_at};
  out.owner = run.owner;
  out.place = run.place;
  out.within = run.within;
  out.what.samples = run.samples;
  out.what.iterations = run.iterations;
  out.what.settings = run.covariates;
  if (key.devices == 0) out.what.settings.emplace_back(kUnknownDevices);
  return out;
}

std::vector<Datum> data_of(const ModelKey& key, const std::vector<RunData>& runs, std::size_t most,
                           std::shared_ptr<const estimators::Costs> costs, std::optional<double> changed_at) {
  const auto says_nothing = [&](const RunData& run) {
    return run.iterations <= 0 || run.duration <= Duration::zero() || run.loss_is_nan ||
           run.samples_per_iteration <= 0 ||
           (changed_at && run.started_at && epoch_seconds(*run.started_at) < *changed_at);
  };
  std::vector<Evidence> all;
  const auto points = points_of(runs, key.phase);
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (!says_nothing(runs[i])) all.push_back({runs[i].run_id, runs[i].source_id, runs[i].owner, points[i]});
  const auto taken = fair_share(std::move(all), most);
  std::vector<Datum> out;
  for (const RunData& run : runs) {
    if (says_nothing(run) || !std::ranges::binary_search(taken, run.run_id, std::ranges::greater{})) continue;
    Datum& datum = out.emplace_back(datum_of(key, observation_of(run, key.phase)));
    datum.what.costs = costs;
    datum.joules = run.joules.value_or(0) / datum.what.iterations;
    datum.peak_bytes = run.peak_bytes.value_or(0);
  }
  // What is learnt of them is the same in whatever order they were read.
  std::ranges::stable_sort(out, {}, &Datum::started_at);
  return out;
}

Knowledge::Knowledge(Data data, const estimators::History& history, Target target, const Knowledge* before)
    : target_(target), data_(std::move(data)), seen_(history) {
  if (target == Target::seconds)
    drift_ = estimators::Drift(history, before != nullptr ? &before->drift_ : nullptr);
  for (const auto& model : data_) {
    const auto& [key, runs] = model;
    models_of_[lower_case(key.network)].push_back(&model);
    std::vector<estimators::TimeSpan> times;
    for (const Datum& datum : runs) {
      for (const unsigned facts : kFirstOf) {
        const Datum*& first =
            first_of_.try_emplace(estimators::key_of(datum.what, facts), &datum).first->second;
        if (datum.place < first->place) first = &datum;
      }
      times.push_back(estimators::time_of(datum));
      for (const std::string& setting : datum.what.settings) {
        const std::string_view name = regression::covariate_name(setting);
        if (setting != kUnknownDevices && !setting_names_.contains(name)) setting_names_.emplace(name);
      }
    }
    if (const double mean = drift_.mean_log_drift(case_of(key), times); mean != 0)
      drift_over_runs_[key] = mean;
  }
}

// With estimators that are still to learn: those of `before` that take long to, only what is new.
std::shared_ptr<Knowledge> Knowledge::unfitted(Data data, const Knowledge* before, Target target) {
  const estimators::History history = joined(data);
  auto out = std::shared_ptr<Knowledge>(new Knowledge(std::move(data), history, target, before));
  const auto steady = std::make_shared<const estimators::History>(out->drift_.remove_from(history));
  const auto all = estimators::estimators();
  for (std::size_t i = 0; i < all.size(); ++i)
    out->fits_.push_back(std::make_shared<const DeferredFit>(all[i], steady, target,
                                                             before != nullptr ? before->fits_[i] : nullptr));
  return out;
}

std::shared_ptr<const Knowledge> Knowledge::of(const Data& all,
                                               const std::shared_ptr<const Knowledge>& before,
                                               const std::function<void()>& alive, Target target,
                                               Judging judging, Judged kept) {
  Data data = valued(all, target);
  const std::size_t runs = runs_in(data);
  Judged judged = before ? before->judged_ : std::move(kept);
  const bool afresh = !judged.records || (judging == Judging::when_outgrown && outgrows(runs, judged.runs));
  // Else what is learnt of nearly the same history would pile up where nobody asks.
  if (before && !afresh) before->learn(alive);
  const auto out = unfitted(std::move(data), afresh ? nullptr : before.get(), target);
  if (afresh) {
    judged.runs = runs;
    judged.records =
        std::make_shared<const estimators::Records>(estimators::compare(joined(out->data_), target, alive));
  }
  out->judged_ = std::move(judged);
  return out;
}

void Knowledge::learn(const std::function<void()>& alive) const {
  for (const auto& fit : fits_) {
    alive();
    fit->outcome();
  }
}

std::string_view Knowledge::missing(std::size_t i) const {
  return fits_[i]->outcome().missing;
}

bool Knowledge::outgrew_records() const {
  return outgrows(runs_in(data_), judged_.runs);
}

std::shared_ptr<const Knowledge> Knowledge::with(const Data& instead, std::optional<Instant> over_by) const {
  const auto counts = [&](const Datum& run) {
    const double ended = run.ended_at > 0 ? run.ended_at : run.started_at;
    return !over_by || (ended > 0 && ended <= epoch_seconds(*over_by));
  };
  Data all = valued(instead, target_);
  for (const auto& [key, runs] : data_)
    if (!instead.contains(key))
      for (const Datum& run : runs)
        if (counts(run)) all[key].push_back(run);
  const auto out = unfitted(std::move(all), over_by ? nullptr : this, target_);
  out->judged_ = judged_;
  return out;
}

// nullptr: there is none of that kind, or no such owner.
const Performances* Knowledge::record_of_first_owner(const estimators::Case& what, Kind kind) const {
  for (const unsigned facts : kFirstOf) {
    const auto first = first_of_.find(estimators::key_of(what, facts));
    if (first != first_of_.end()) return judged_.records->of(first->second->owner, kind);
  }
  return nullptr;
}

bool Knowledge::prefers_models(const estimators::Case& what, Kind kind) const {
  return record_of_first_owner(what, kind) == nullptr;
}

Said Knowledge::record_of(Kind kind, int runs) const {
  const auto own =
      static_cast<std::size_t>(estimators::find_estimator(kEndToEnd) - estimators::estimators().data());
  return said_by(own, records().in(kind)[own], {kind}, {runs, 1, 1});
}

double Knowledge::drift_of(const ModelKey& where, Instant from, double seconds) const {
  const double at = epoch_seconds(from);
  return std::exp(drift_.log_drift(case_of(where), {at, at + seconds}));
}

double Knowledge::drift_beside_runs_of(const ModelKey& model, Instant from, double seconds) const {
  const auto learnt = drift_over_runs_.find(model);
  return drift_of(model, from, seconds) * (learnt == drift_over_runs_.end() ? 1 : std::exp(-learnt->second));
}

std::optional<Said> Knowledge::ask(const estimators::Case& what, double confidence) const {
  const estimators::Distance distance = seen_.distance_of(what);
  const estimators::Case asked = seen_.within_lengths(what);
  std::map<std::size_t, estimators::Reply> replies;  // each estimator is asked once
  const auto reply_of = [&](std::size_t i) {
    const auto [reply, is_new] = replies.try_emplace(i);
    const auto& [fitted, missing] = fits_[i]->outcome();
    if (is_new) reply->second = fitted ? fitted->predict(asked) : estimators::abstain(missing);
    return reply->second;
  };
  const double times =
      target_ == Target::joules ? what.devices : 1;  // what is learnt of joules is a device's
  const Performances* const own = record_of_first_owner(what, distance.kind);
  const Performances& of_kind = own != nullptr ? *own : records().in(distance.kind);
  for (const std::size_t i : estimators::ranking(of_kind)) {
    const auto answered = estimators::answer_of(i, of_kind, distance.beyond, confidence, reply_of);
    if (!answered) continue;
    Said out = said_by(i, of_kind[i], distance, answered->estimate.rests_on);
    const unsigned never = seen_.never_seen(what);
    if (never & estimators::kHost) out.new_here.emplace_back("host");
    if (never & estimators::kDevices) out.new_here.emplace_back("devices");
    out.value = times * std::exp(answered->estimate.log_mean);
    out.lower = out.value * std::exp(-answered->half_width);
    out.upper = out.value * std::exp(answered->half_width);
    if (!std::isfinite(out.upper) || !(out.lower > 0)) continue;
    seek_contradiction(of_kind, i, reply_of, out);
    out.contradicted_value *= times;
    return out;
  }
  return std::nullopt;
}

std::array<std::string_view, estimators::kKinds> Knowledge::chosen() const {
  std::array<std::string_view, estimators::kKinds> out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto kind = static_cast<Kind>(i);
    const Performances& of_kind = records().in(kind);
    const std::size_t best = estimators::ranking(of_kind).front();
    const bool models = target_ == Target::seconds && kind <= Kind::settings &&
                        of_kind[best].answered < estimators::kFewestAnswers;
    out[i] = models ? kEndToEnd : estimators::estimators()[best].name;
  }
  return out;
}

}  // namespace etad::prediction
