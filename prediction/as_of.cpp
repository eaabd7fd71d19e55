#include "prediction/as_of.h"

#include <utility>
#include <vector>

#include "prediction/datasets.h"
#include "prediction/evidence.h"
#include "prediction/knowledge.h"
#include "prediction/never_ran.h"
#include "prediction/selection.h"
#include "prediction/stored_models.h"

namespace etad::prediction {
namespace {

constexpr std::int64_t kMostFitted = 100;  // whoever asks so vaguely is shown those that were there first

// The models of then that the question may mean.
std::vector<FittedModel> fitted_then(Models& models, const Question& meant, const RunsOf& runs_of) {
  std::vector<FittedModel> out;
  auto filter = meant_by(models, meant);
  if (!filter) return out;
  filter->any_order = false;
  filter->limit = kMostFitted;
  const auto rows = models.list(*filter);
  if (!rows) return out;
  for (const ModelRow& row : *rows) {
    auto runs = runs_of(row.key);
    if (!runs) continue;
    std::erase_if(*runs, [&](const RunData& run) {
      const auto over = run.ended_at ? run.ended_at : run.started_at;
      return !over || *over > *meant.at;
    });
    const auto evidence = choose_evidence(std::move(*runs), row.key.phase);
    auto fitted = fitted_from(row.key, evidence, regression::fit(dataset_of(evidence.runs, row.key.phase)));
    if (!fitted) continue;
    fitted->id = row.id;
    fitted->fitted_at = *meant.at;
    out.push_back(std::move(*fitted));
  }
  return out;
}

}  // namespace

RunsOf runs_in(Reader& reader) {
  return [&reader](const ModelKey& key) { return reader.run_data(key, kMaxRuns, kMaxWindows); };
}

std::shared_ptr<const ModelSet> as_of(std::shared_ptr<const ModelSet> models, const Question& question,
                                      const RunsOf& runs_of) {
  if (!question.at) return models;
  auto out = std::make_shared<ModelSet>();
  if (!models->knowledge) return out;
  const Question meant = recognized(*models, question);
  out->knowledge = models->knowledge->as_of(*question.at);
  if (models->energy) out->energy = models->energy->as_of(*question.at);
  if (models->memory) out->memory = models->memory->as_of(*question.at);
  out->contradictions = models->contradictions;
  if (!meant.shown) out->models = std::make_shared<HeldModels>(fitted_then(*models->models, meant, runs_of));
  return out;
}

}  // namespace etad::prediction
