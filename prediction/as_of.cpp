#include "prediction/as_of.h"

#include <vector>

#include "prediction/knowledge.h"
#include "prediction/names.h"
#include "prediction/never_ran.h"

namespace etad::prediction {

std::shared_ptr<const ModelSet> as_of(std::shared_ptr<const ModelSet> models, const Question& question) {
  if (!question.at) return models;
  auto out = std::make_shared<ModelSet>();
  if (!models->knowledge) return out;
  const Question meant = recognized(*models, question);
  out->knowledge = models->knowledge->as_of(*question.at);
  if (models->energy) out->energy = models->energy->as_of(*question.at);
  if (models->memory) out->memory = models->memory->as_of(*question.at);
  out->contradictions = models->contradictions;
  std::vector<FittedModel> then;
  for (const auto& [key, runs] : out->knowledge->runs()) {
    if (meant.shown || !fits(meant.network, key.network) ||
        (meant.architecture && *meant.architecture != key.architecture))
      continue;
    regression::Dataset data;
    for (const estimators::Datum& run : runs) data.push_back(observation_of(run));
    auto model = regression::fit(data);
    if (!model) continue;
    FittedModel& fitted = then.emplace_back();
    fitted.key = key;
    fitted.fitted_at = *question.at;
    fitted.model = std::move(*model);
    if (const auto now = models->models->load(key).value_or(nullptr)) {
      fitted.id = now->id;  // what does not change with the data
      fitted.startup = now->startup;
      fitted.snapshot = now->snapshot;
      fitted.other = now->other;
    }
  }
  out->models = std::make_shared<HeldModels>(std::move(then));
  return out;
}

}  // namespace etad::prediction
