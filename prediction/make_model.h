// From a key's runs to its model: by the same rules in a refit, at a start that can't read what is kept, and in a question
// about a time that is past.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "prediction/contradiction.h"
#include "prediction/evidence.h"
#include "prediction/model_set.h"
#include "storage/history.h"

namespace etad::prediction {

// What comes of a key's runs.
struct Made {
  ChosenRuns evidence;                         // those that count, and who is answered from his own
  std::optional<Contradiction> contradiction;  // of those that count: there is no model then
  std::optional<FittedModel> model;            // nullopt: none can be fitted
};

// An owner's runs of that key.
using OwnRunsOf = std::function<Result<std::vector<RunData>>(std::int64_t owner)>;

// Whether one run alone is fitted, or only what is known of its model beforehand is filled in.
enum class OneRun { fitted, left_for_later };

// `row`: the model's key, and its id and when it is made as far as they are known. `runs` must be sorted newest first.
Result<Made> make_model(const ModelRow& row, std::vector<RunData> runs, const OwnRunsOf& own_runs_of,
                        OneRun one_run = OneRun::fitted);

// A model of these runs with all that belongs to it, whatever else there is; nullopt: none can be fitted.
std::optional<FittedModel> fitted_from(const ModelKey& key, const ChosenRuns& evidence);

// Adds the model of an owner's runs where one can be fitted: what is said to that owner.
void add_own(FittedModel& fitted, std::int64_t owner, const std::vector<RunData>& runs);

// Models made of one run alone, for questions like that run where no fitted model contains it: because its log names no
// network, because its network's runs contradict each other, or because nothing was fitted since it came. The models,
// without ids, are of that run's training and of its tests, as far as it measured any: those of the history's key with one
// run. Reads no more than the first few thousand of its windows.
Result<std::shared_ptr<const ModelSet>> models_of_run(Reader& reader, const RunRow& row, Instant now);

}  // namespace etad::prediction
