#include "prediction/as_of.h"

#include <map>
#include <tuple>
#include <vector>

#include "prediction/knowledge.h"
#include "prediction/names.h"
#include "regression/shared_effect.h"

namespace etad::prediction {
namespace {

using DeploymentKey = std::tuple<std::string, std::string, std::string, std::int64_t>;

DeploymentKey deployment_key(const ModelKey& key) {
  return {key.framework, key.host, key.device, key.devices};
}

regression::Dataset dataset_from(const std::vector<estimators::Datum>& runs) {
  regression::Dataset out;
  for (const estimators::Datum& datum : runs) {
    regression::RunObservation run;
    run.run = datum.run;
    run.samples = datum.what.samples;
    run.iterations = datum.what.iterations;
    run.seconds = datum.value * datum.what.iterations;
    run.started_at = datum.started_at;
    run.ended_at = datum.ended_at;
    run.covariates = datum.what.settings;
    out.push_back(std::move(run));
  }
  return out;
}

}  // namespace

std::shared_ptr<const ModelSet> as_of(const ModelSet& models, const Question& question) {
  constexpr std::size_t kLastRuns = 24;  // of each model, for the machine's shared effect
  auto out = std::make_shared<ModelSet>();
  if (!models.knowledge || !question.at) return out;
  out->knowledge = models.knowledge->as_of(*question.at);
  if (models.energy) out->energy = models.energy->as_of(*question.at);
  if (models.memory) out->memory = models.memory->as_of(*question.at);
  out->contradictions = models.contradictions;
  const auto named = [&](const ModelKey& key) {
    return fits(question.network, key.network) &&
           (!question.architecture || *question.architecture == key.architecture);
  };
  std::map<DeploymentKey, bool> wanted;
  for (const auto& [key, runs] : out->knowledge->data()) wanted[deployment_key(key)] |= named(key);
  std::map<DeploymentKey, std::vector<regression::SharedEffectPoint>> points_of;
  std::vector<FittedModel> then;
  for (const auto& [key, runs] : out->knowledge->data()) {
    if (!wanted[deployment_key(key)]) continue;
    const regression::Dataset data = dataset_from(runs);
    auto model = regression::fit(data);
    if (!model) continue;
    FittedModel fitted;
    fitted.key = key;
    fitted.fitted_at = *question.at;
    auto& points = points_of[deployment_key(key)];
    const auto last = regression::shared_effect_points(data, *model, kLastRuns);
    points.insert(points.end(), last.begin(), last.end());
    fitted.model = std::move(*model);
    if (const auto now = named(key) ? models.models->load(key).value_or(nullptr) : nullptr) {
      fitted.id = now->id;  // what does not change with the data
      fitted.startup = now->startup;
      fitted.snapshot = now->snapshot;
    }
    then.push_back(std::move(fitted));
  }
  for (FittedModel& fitted : then) {
    auto& points = points_of[deployment_key(fitted.key)];
    fitted.shared_effect = std::make_shared<const regression::SharedEffect>(points);
  }
  out->models = std::make_shared<HeldModels>(std::move(then));
  return out;
}

}  // namespace etad::prediction
