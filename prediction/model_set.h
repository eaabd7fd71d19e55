// The fitted models as those see them who ask: one model each of one network on one deployment in one phase.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parsers/base/time.h"
#include "regression/model.h"
#include "regression/mood.h"
#include "storage/rows.h"

namespace etad::prediction {

// A duration that varies from run to run: its median and a central 90 % range. Seconds.
struct Spread {
  double median = 0, lower = 0, upper = 0;
  int runs = 0;  // how many it was seen in
};

class Knowledge;

struct FittedModel {
  std::int64_t id = 0;
  ModelKey key;
  regression::Model model;
  Instant fitted_at{};
  std::string family = "end_to_end";
  // What a whole run takes beside its training and testing; only on models of the train phase.
  std::optional<Spread> startup;   // process start to first training iteration, tests taken out
  std::optional<Spread> snapshot;  // one snapshot
  // The last runs, and what the mood of the machine is by them and those of the deployment's other models.
  // Neither is in the history: the first refit after a start knows them anew. nullptr: unknown.
  std::vector<regression::MoodPoint> last_runs;
  std::shared_ptr<const regression::Mood> mood;

  // The cross-validated error in percent. None with a single run: there is nothing it was tested on.
  std::optional<double> error_percent() const {
    return model.runs > 1 ? std::optional(model.error_percent) : std::nullopt;
  }
};

// All current models: immutable, swapped whole by the refit, held by a request for as long as it lasts.
struct ModelSet {
  std::vector<FittedModel> models;             // by id, ascending
  std::shared_ptr<const Knowledge> knowledge;  // of all runs together; nullptr: not made yet
};

// What a refit did.
struct RefitReport {
  std::int64_t fitted = 0;     // models fitted anew
  std::int64_t unchanged = 0;  // models whose data had not changed
  std::int64_t failed = 0;     // keys whose data no model can be fitted from
  double seconds = 0;
};

}  // namespace etad::prediction
