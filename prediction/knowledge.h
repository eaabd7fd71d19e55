// The estimators fitted to the whole history, and each one's record by kind of question. They answer what no model of
// the very network on the very deployment answers. There is one Knowledge for time, one for energy and one for memory:
// the same runs, with another of their costs as the value to be estimated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "prediction/question.h"
#include "regression/estimators/combined.h"
#include "regression/estimators/drift.h"
#include "storage/rows.h"

namespace etad::prediction {

// The runs of at most kMostKeys models are taken, and of one owner those of at most as many as of all others together
// (or kAlwaysTheirKeys). So a user who makes up names without end costs bounded memory and time, and does not crowd
// out the others' runs.
inline constexpr std::size_t kMostKeys = 4000, kAlwaysTheirKeys = 64;
// Of each model its newest runs are taken: kMostOfKey, and fewer where there are many models, so that all together are
// kMostData; but never fewer than kFewestOfKey.
inline constexpr std::size_t kMostOfKey = 64, kFewestOfKey = 4, kMostData = 16'000;
constexpr std::size_t most_of_key(std::size_t keys) {
  const std::size_t share = keys == 0 ? kMostOfKey : kMostData / keys;
  return share < kFewestOfKey ? kFewestOfKey : share > kMostOfKey ? kMostOfKey : share;
}

// The runs of a model as the estimators take them: at most `most`, of all owners, points and sources their fair share
// (storage/fair_share.h). Runs that diverged, that took no time, or of an unknown batch size are left out. `costs`: what
// the network's layers cost, where a log or a file described them. `changed_at`: when the deployment changed, by the
// model (seconds since 1970). What ran before counts no more, as in the model.
std::vector<estimators::Datum> data_of(const ModelKey& key, const std::vector<RunData>& runs,
                                       std::size_t most = kMostOfKey,
                                       std::shared_ptr<const estimators::Costs> costs = nullptr,
                                       std::optional<double> changed_at = std::nullopt);

// Runs on an unknown number of devices (0) are reckoned as on one, but told apart from those that are by this setting.
inline constexpr std::string_view kUnknownDevices = "devices=unknown";
constexpr double reckoned_devices(std::int64_t devices) {
  return devices > 0 ? static_cast<double>(devices) : 1;
}

// The facts of a run that the key of its model says.
estimators::Case case_of(const ModelKey& key);
// A run of that model as the estimators take it.
estimators::Datum datum_of(const ModelKey& key, const regression::RunObservation& run);
// Of a run's settings those that count, in the form of a case's.
std::vector<std::string> settings_of(const ModelKey& key, const std::map<std::string, std::string>& settings);

// What estimators said, and how well they have done in such questions.
struct Said {
  estimators::Kind kind{};
  double beyond = 0;  // as estimators::Distance has it
  std::string_view estimator = {}, source = {};
  // Of this kind of question; absent: never put to the test.
  std::optional<double> left_out_error_percent = {};
  int tested_on = 0;  // questions of it
  estimators::RestsOn rests_on = {};
  // "host", "devices": no run of any network had that value of it.
  std::vector<std::string_view> new_here = {};
  // Of the target: seconds or joules of an iteration on all devices, or the peak bytes of one.
  double value = 0, lower = 0, upper = 0;
  // Another estimator with nearly as good a record, whose answer is farther from this one than both records allow for;
  // empty: there is none.
  std::string_view contradicted_by = {};
  double contradicted_value = 0;  // what it says
};

// What to put in for what a question leaves out, and what it is about.
struct Asked {
  ModelKey key;
  estimators::Case what;
  regression::Range batch_sizes;  // that may be meant where none was said
};

// The estimators' records, and how many runs there were when they were made. nullptr: they were not.
struct Judged {
  std::shared_ptr<const estimators::Records> records;
  std::size_t runs = 0;
};

class Models;

class Knowledge {
 public:
  Knowledge(const Knowledge&) = delete;
  Knowledge& operator=(const Knowledge&) = delete;

  using Data = std::map<ModelKey, std::vector<estimators::Datum>>;

  // Whether estimators are put to the test anew, which takes far longer than to fit them.
  enum class Judging { when_outgrown, not_now };

  // What can be known of the runs. The records of `before`, or without it those that were `kept` (prediction/learnt.h),
  // are taken over as long as the history has not outgrown them. `alive` is called between fits. An estimator learns
  // when it is first asked, or at learn(): of a history that was kept most are never.
  static std::shared_ptr<const Knowledge> of(const Data& data, const std::shared_ptr<const Knowledge>& before,
                                             const std::function<void()>& alive,
                                             estimators::Target target = estimators::Target::seconds,
                                             Judging judging = Judging::when_outgrown, Judged kept = {});

  // Has all estimators learn that have not yet. Thread-safe, as everything here is: who asks one meanwhile waits for that
  // one alone. What is learnt does not depend on when.
  void learn(const std::function<void()>& alive) const;
  // What the history lacks for the i-th estimator; empty: nothing. Has it learn.
  std::string_view missing(std::size_t i) const;

  // What is known where these are the runs of their models: as somebody sees it who is answered from his own, or as it
  // could have been known at an instant, when of other models those runs count that were over by then. The records
  // stay, and without an instant how strong effects are: they are about the estimators, not about these runs.
  std::shared_ptr<const Knowledge> with(const Data& instead,
                                        std::optional<Instant> over_by = std::nullopt) const;
  const Data& data() const { return data_; }  // the runs that the estimators learn from

  // The case a question is about: what it says, and for the rest what the run of the network has that is most
  // like it. Its settings are those of that run's model (or, without one, those that most owners have there, of several
  // those of most runs): one run that differs says nothing of the others. nullopt: no run of such a network, or no batch
  // size to be had.
  std::optional<Asked> asked(const Question& question, Phase phase, std::optional<std::int64_t> batch,
                             Models& models) const;

  // The same of a network that never ran and is only shown: on every machine that the question may mean, each
  // with its framework and number of devices.
  std::vector<Asked> asked_of_shown(const Question& question, Phase phase, std::int64_t batch) const;

  // The parameter of a machine of which nothing tells how fast it is: a device or a framework that nothing ran on, or a
  // host that nothing ran on where the question names no model of device that ran elsewhere. Empty: there are runs.
  std::string_view untold_of(const Question& question, const estimators::Case& what) const;
  // The values that it has in the history.
  std::vector<std::string> values_of(std::string_view parameter) const;

  estimators::Kind kind_of(const estimators::Case& what) const { return seen_.kind_of(what); }
  // Whether such questions of that case, on a deployment that has a model, are for the models of single networks
  // (`end_to_end`), not for the combined answer: the estimators have no record about its network's first owner there.
  bool prefers_models(const estimators::Case& what, estimators::Kind kind) const;
  // The record of the single networks' models in such questions, in the form of an answer that rests on `runs` runs.
  Said record_of(estimators::Kind kind, int runs) const;
  // The answer of the estimator with the best record, about the network's first owner on that machine (of one that never
  // ran there: anywhere) where there is one, else about all;
  // where that abstains, of the next one. nullopt: all abstain.
  std::optional<Said> ask(const estimators::Case& what, double confidence) const;

  // By what factor the machine's drift moves a run of `seconds` that starts then.
  double drift_of(const ModelKey& where, Instant from, double seconds) const;
  // The same beside what the drift was on average over the runs of that model, which learnt from them as they were.
  double drift_beside_runs_of(const ModelKey& model, Instant from, double seconds) const;

  const estimators::Records& records() const { return *judged_.records; }
  const Judged& judged() const { return judged_; }
  bool outgrew_records() const;  // far more runs, or fewer, than there were when they were made
  // Of all its runs, in order: what a question can be set to beside what every training is.
  const std::set<std::string, std::less<>>& setting_names() const { return setting_names_; }
  // Who answers each kind of question.
  std::array<std::string_view, estimators::kKinds> chosen() const;

 private:
  class DeferredFit;
  using Performances = estimators::Performances;
  const Performances* record_of_first_owner(const estimators::Case& what, estimators::Kind kind) const;
  Knowledge(Data data, const estimators::History& history, estimators::Target target,
            const Knowledge* before);
  static std::shared_ptr<Knowledge> unfitted(Data data, const Knowledge* before, estimators::Target target);

  estimators::Target target_;
  const Data data_;
  std::map<std::string, std::vector<const Data::value_type*>>
      models_of_;  // by the network's name in lower case
  std::map<std::string, const estimators::Datum*>
      first_of_;  // with the same network on a machine, network or machine: the first owner's
  estimators::Seen seen_;
  estimators::Drift drift_;  // of time alone
  std::map<ModelKey, double>
      drift_over_runs_;  // mean of its logarithm over each model's runs, where there is any
  std::set<std::string, std::less<>> setting_names_;
  std::vector<std::shared_ptr<const DeferredFit>> fits_;  // as estimators()
  Judged judged_;
};

}  // namespace etad::prediction
