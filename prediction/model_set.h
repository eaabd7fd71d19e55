// The fitted models as those see them who ask: one model each of one network on one deployment in one phase,
// found by index and loaded when it is asked for, so that neither time nor memory grow with how many there are.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/time.h"
#include "prediction/contradiction.h"
#include "regression/estimators/case.h"
#include "regression/model.h"
#include "storage/history.h"

namespace etad::prediction {

// What varies from run to run: its median and a central 90 % range. Seconds, unless something else is said.
struct Spread {
  double median = 0, lower = 0, upper = 0;
  int runs = 0;  // how many it was seen in
};

class Knowledge;

// What stands behind a model whose runs contradict each other (prediction/evidence.h).
struct Dispute {
  std::vector<std::int64_t> owners;  // whose runs it was fitted from
  int left_out = 0;                  // runs that contradict them
};

// What such a model is called among the estimators.
inline constexpr std::string_view kEndToEnd = "end_to_end";

struct FittedModel {
  std::int64_t id = 0;
  ModelKey key;
  regression::Model model;
  Instant fitted_at{};
  // What a whole run takes beside its training and testing; only on models of the train phase.
  std::optional<Spread> startup;   // process start to first training iteration, tests taken out
  std::optional<Spread> snapshot;  // one snapshot
  std::optional<Spread> other;     // what passes beside all that is measured: a share of the training's time
  std::int64_t owner = kUnknownOwner;  // who was there first: in whose name it is evidence for others
  std::optional<Dispute> dispute;
  std::vector<FittedModel> own;  // of owners who are answered from their own runs, the models of these
  bool own_runs = false;         // is such a model
};

// The model whose answers that user gets: his own, where there is one.
inline std::shared_ptr<const FittedModel> model_for(std::shared_ptr<const FittedModel> model,
                                                    const std::optional<std::int64_t>& uid) {
  if (model == nullptr || !uid) return model;
  const auto own = std::ranges::find(model->own, *uid, &FittedModel::owner);
  return own == model->own.end() ? model : std::shared_ptr<const FittedModel>(model, &*own);
}

// Where the models are. Thread-safe. Errors are the history's, which can't be read.
class Models {
 public:
  virtual ~Models() = default;

  virtual Result<std::vector<ModelRow>> list(const ModelFilter& filter) = 0;         // by id, without bodies
  virtual Result<std::shared_ptr<const FittedModel>> load(const ModelKey& key) = 0;  // nullptr: there is none
  virtual Result<std::int64_t> count() = 0;
  // Of all owners the fair share (storage/fair_share.h) of the last fitted, without bodies.
  virtual Result<std::vector<ModelRow>> fair_share(std::size_t most, std::size_t always) = 0;
  // Names that `wanted` may have been meant to be, a bounded number, to be looked at more closely.
  virtual Result<std::vector<std::string>> names_around(NameOf what, const std::string& wanted) = 0;
};

// The store as the refit uses it: it also writes.
class KeptModels : public Models {
 public:
  // Whether a model that rests on one run is made of it when it is asked for. Such a one is kept without being fitted.
  virtual bool makes_of_one_run() const = 0;
  // Puts these in place of those of the same keys and fills in their ids. `gone`: keys that have no model. `reached`:
  // up to where all models are up to date now.
  virtual Result<void> keep(std::vector<FittedModel>& fitted, const std::vector<ModelKey>& gone,
                            const std::optional<RefitProgress>& reached) = 0;
  // The estimators' records beside them, as text (learnt.h); empty: none are kept.
  virtual Result<std::string> records() = 0;
  virtual Result<void> keep_records(const std::string& records) = 0;
};

// All of them in memory, where they are not many. With many hosts, deployments that differ only by host come after those
// that have no such twin in the fair share, and a host's second after every host's first.
class HeldModels : public Models {
 public:
  explicit HeldModels(std::vector<std::shared_ptr<const FittedModel>> models = {});
  explicit HeldModels(std::vector<FittedModel> models);

  const std::vector<std::shared_ptr<const FittedModel>>& all() const { return models_; }  // by id

  Result<std::vector<ModelRow>> list(const ModelFilter& filter) override;
  Result<std::shared_ptr<const FittedModel>> load(const ModelKey& key) override;
  Result<std::int64_t> count() override;
  Result<std::vector<ModelRow>> fair_share(std::size_t most, std::size_t always) override;
  Result<std::vector<std::string>> names_around(NameOf what, const std::string& wanted) override;

 private:
  std::vector<std::shared_ptr<const FittedModel>> models_;  // by id
  std::map<ModelKey, std::shared_ptr<const FittedModel>> by_key_;
};

// A model's row without its body.
ModelRow row_of(const FittedModel& fitted);

// What all runs together have taught.
struct Learnt {
  std::shared_ptr<const Knowledge> knowledge;       // of their times; nullptr: not made yet
  std::shared_ptr<const Knowledge> energy, memory;  // of what else they cost, as far as that was measured
  std::vector<Contradiction> contradictions;        // keys whose runs make no model

  using Target = estimators::Target;
  std::shared_ptr<const Knowledge>& of(Target target) {
    return target == Target::seconds ? knowledge : target == Target::joules ? energy : memory;
  }
  const std::shared_ptr<const Knowledge>& of(Target target) const {
    return target == Target::seconds ? knowledge : target == Target::joules ? energy : memory;
  }
};

// What those who ask go by: made anew by each refit, held by a request for as long as it lasts. The models are as
// they are when they are loaded.
struct ModelSet : Learnt {
  std::shared_ptr<Models> models = std::make_shared<HeldModels>();
};

// What a refit did.
struct RefitReport {
  std::int64_t fitted = 0;     // models fitted anew
  std::int64_t unchanged = 0;  // models whose data had not changed
  std::int64_t failed = 0;     // keys whose data no model can be fitted from
  double seconds = 0;
  // Of a core, of that: what all runs say together.
  std::chrono::nanoseconds learning{};
};

}  // namespace etad::prediction
