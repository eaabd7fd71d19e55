#include "prediction/as_of.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "prediction/datasets.h"
#include "prediction/evidence.h"
#include "prediction/knowledge.h"
#include "prediction/names.h"
#include "prediction/never_ran.h"
#include "prediction/selection.h"
#include "prediction/stored_models.h"

namespace etad::prediction {
namespace {

constexpr std::size_t kMostFitted = 100;  // whoever asks so vaguely is shown those that were there first

// The models of then that the question may mean, what contradicted itself, and the runs that the estimators of all history
// had of them.
struct Then {
  std::vector<FittedModel> models;
  std::vector<Contradiction> contradictions;
  Knowledge::Data runs;
};

Then fitted_then(const ModelSet& now, const Question& meant, const RunsOf& runs_of) {
  Then out;
  auto filter = meant_by(*now.models, meant);
  if (!filter) return out;
  filter->any_order = false;
  filter->limit = kMostFitted;
  auto rows = now.models->list(*filter);
  if (!rows) return out;
  for (const Contradiction& each : now.contradictions) {  // of these there may have been a model
    if (rows->size() >= kMostFitted) break;
    if (fits(meant.network, each.key.network) && fits(meant.architecture, each.key.architecture))
      rows->emplace_back().key = each.key;
  }
  const auto runs_then = [&](const ModelKey& key, const std::optional<std::int64_t>& owner) {
    return runs_of(key, {owner, *meant.at}).value_or(std::vector<RunData>());
  };
  const Knowledge::Data& known = now.knowledge->data();
  for (const ModelRow& row : *rows) {
    const auto evidence = choose_evidence(runs_then(row.key, std::nullopt), row.key);
    const auto data = dataset_of(evidence.runs, row.key.phase);
    if (auto found = contradiction_of(row.key, data)) {
      out.contradictions.push_back(std::move(*found));
      continue;
    }
    auto fitted = fitted_from(row.key, evidence, regression::fit(data));
    if (!fitted) continue;
    const auto runs_now = known.find(row.key);
    const auto costs = runs_now == known.end() ? nullptr : runs_now->second.front().what.costs;
    out.runs[row.key] =
        data_of(row.key, evidence.runs, most_of_key(known.size()), costs, fitted->model.changed_at);
    fitted->id = row.id;
    fitted->fitted_at = *meant.at;
    if (meant.asker && std::ranges::find(evidence.dissenters, *meant.asker) != evidence.dissenters.end())
      add_own(*fitted, *meant.asker, runs_then(row.key, meant.asker));
    out.models.push_back(std::move(*fitted));
  }
  return out;
}

}  // namespace

RunsOf runs_in(Reader& reader) {
  return [&reader](const ModelKey& key, const RunsWanted& wanted) {
    return reader.run_data(key, kMaxRuns, kMaxWindows, wanted);
  };
}

std::shared_ptr<const ModelSet> as_of(std::shared_ptr<const ModelSet> models, const Question& question,
                                      const RunsOf& runs_of) {
  if (!question.at) return models;
  auto out = std::make_shared<ModelSet>();
  if (!models->knowledge) return out;
  const Question meant = recognized(*models, question);
  Then then = meant.shown ? Then() : fitted_then(*models, meant, runs_of);
  out->knowledge = models->knowledge->as_of(*question.at, then.runs);
  if (models->energy) out->energy = models->energy->as_of(*question.at, then.runs);
  if (models->memory) out->memory = models->memory->as_of(*question.at, then.runs);
  out->contradictions = std::move(then.contradictions);
  out->models = std::make_shared<HeldModels>(std::move(then.models));
  return out;
}

}  // namespace etad::prediction
