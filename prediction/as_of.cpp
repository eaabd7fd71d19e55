#include "prediction/as_of.h"

#include <utility>
#include <vector>

#include "prediction/datasets.h"
#include "prediction/evidence.h"
#include "prediction/knowledge.h"
#include "prediction/names.h"
#include "prediction/never_ran.h"

namespace etad::prediction {
namespace {

constexpr std::int64_t kMostRead = 64;  // models whose runs are read

// The model of then of these runs.
void add_fitted(const ModelKey& key, const regression::Dataset& data, Instant at, Models& models,
                std::vector<FittedModel>& then) {
  auto model = regression::fit(data);
  if (!model) return;
  FittedModel& fitted = then.emplace_back();
  fitted.key = key;
  fitted.fitted_at = at;
  fitted.model = std::move(*model);
  if (const auto now = models.load(key).value_or(nullptr)) {
    fitted.id = now->id;  // what does not change with the data
    fitted.startup = now->startup;
    fitted.snapshot = now->snapshot;
    fitted.other = now->other;
  }
}

// Of the models whose runs are not among those that all is learnt from, as of very many networks' most are not.
void add_left_out(const Knowledge::Data& learnt, const Question& meant, Models& models, Reader& reader,
                  std::vector<FittedModel>& then) {
  ModelFilter filter;
  if (meant.network) filter.network = ModelFilter::Name{*meant.network, true};
  if (meant.architecture) filter.architecture = ModelFilter::Name{*meant.architecture, false};
  filter.limit = kMostRead;
  const auto rows = models.list(filter);
  if (!rows) return;
  for (const ModelRow& row : *rows) {
    if (learnt.contains(row.key)) continue;
    auto runs = reader.run_data(row.key, kMaxRuns, kMaxWindows);
    if (!runs) continue;
    std::erase_if(*runs, [&](const RunData& run) { return !run.ended_at || *run.ended_at > *meant.at; });
    const auto evidence = choose_evidence(std::move(*runs), row.key.phase);
    add_fitted(row.key, dataset_of(evidence.runs, row.key.phase), *meant.at, models, then);
  }
}

}  // namespace

std::shared_ptr<const ModelSet> as_of(std::shared_ptr<const ModelSet> models, const Question& question,
                                      Reader* reader) {
  if (!question.at) return models;
  auto out = std::make_shared<ModelSet>();
  if (!models->knowledge) return out;
  const Question meant = recognized(*models, question);
  out->knowledge = models->knowledge->as_of(*question.at);
  if (models->energy) out->energy = models->energy->as_of(*question.at);
  if (models->memory) out->memory = models->memory->as_of(*question.at);
  out->contradictions = models->contradictions;
  if (meant.shown) return out;
  std::vector<FittedModel> then;
  for (const auto& [key, runs] : out->knowledge->runs()) {
    if (!fits(meant.network, key.network) || (meant.architecture && *meant.architecture != key.architecture))
      continue;
    regression::Dataset data;
    for (const estimators::Datum& run : runs) data.push_back(observation_of(run));
    add_fitted(key, data, *question.at, *models->models, then);
  }
  if (reader != nullptr) add_left_out(models->knowledge->runs(), meant, *models->models, *reader, then);
  out->models = std::make_shared<HeldModels>(std::move(then));
  return out;
}

}  // namespace etad::prediction
