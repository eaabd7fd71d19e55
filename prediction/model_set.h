// The fitted models as those see them who ask: one model each of one network on one deployment in one phase.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parsers/base/time.h"
#include "prediction/contradiction.h"
#include "regression/model.h"
#include "regression/shared_effect.h"
#include "storage/rows.h"

namespace etad::prediction {

// A duration that varies from run to run: its median and a central 90 % range. Seconds.
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

struct FittedModel {
  std::int64_t id = 0;
  ModelKey key;
  regression::Model model;
  Instant fitted_at{};
  std::string family = "end_to_end";
  // What a whole run takes beside its training and testing; only on models of the train phase.
  std::optional<Spread> startup;       // process start to first training iteration, tests taken out
  std::optional<Spread> snapshot;      // one snapshot
  std::int64_t owner = kUnknownOwner;  // of the first of its runs: in whose name it is evidence for others
  std::optional<Dispute> dispute;
  // Of owners whom the dispute leaves out, the models of their own runs: what is said to them.
  std::map<std::int64_t, std::shared_ptr<const FittedModel>> own;
  bool own_runs = false;  // is such a model
  // The last runs, and the machine's shared effect by them and those of the deployment's other models.
  // nullptr: unknown.
  std::vector<regression::SharedEffectPoint> last_runs;
  std::shared_ptr<const regression::SharedEffect> shared_effect;

  // What speaks to that owner: the model itself, unless a dispute leaves the owner's runs out.
  const FittedModel& said_to(const std::optional<std::int64_t>& uid) const {
    const auto found = uid ? own.find(*uid) : own.end();
    return found == own.end() ? *this : *found->second;
  }

  // The cross-validated error in percent. None with a single run: there is nothing it was tested on.
  std::optional<double> error_percent() const {
    return model.runs > 1 ? std::optional(model.error_percent) : std::nullopt;
  }
};

// All current models: immutable, swapped whole by the refit, held by a request for as long as it lasts.
struct ModelSet {
  std::vector<FittedModel> models;                  // by id, ascending
  std::vector<Contradiction> contradictions;        // keys whose runs make no model
  std::shared_ptr<const Knowledge> knowledge;       // of all runs' times together; nullptr: not made yet
  std::shared_ptr<const Knowledge> energy, memory;  // of what else they cost, as far as that was measured
};

// What a refit did.
struct RefitReport {
  std::int64_t fitted = 0;     // models fitted anew
  std::int64_t unchanged = 0;  // models whose data had not changed
  std::int64_t failed = 0;     // keys whose data no model can be fitted from
  double seconds = 0;
};

}  // namespace etad::prediction
