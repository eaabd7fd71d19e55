#include "prediction/as_of.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "prediction/datasets.h"
#include "prediction/knowledge.h"
#include "prediction/make_model.h"
#include "prediction/names.h"
#include "prediction/never_ran.h"
#include "prediction/selection.h"

namespace etad::prediction {
namespace {

constexpr std::int64_t kMostFitted = 100;  // whoever asks so vaguely is shown those that were there first
constexpr std::int64_t kMostLooked = 8;    // models, for those that answer the asker from his own runs

// The models that the question may be about.
std::vector<ModelRow> rows_meant(const ModelSet& now, const Question& meant) {
  auto filter = meant_by(*now.models, meant);
  if (!filter) return {};
  filter->any_order = false;
  filter->limit = kMostFitted;
  return now.models->list(*filter).value_or(std::vector<ModelRow>());
}

// A model's runs as the estimators take them beside those that are known today.
std::vector<estimators::Datum> data_beside(const Knowledge::Data& known, const FittedModel& model,
                                           const std::vector<RunData>& runs) {
  const auto today = known.find(model.key);
  const auto costs = today == known.end() ? nullptr : today->second.front().what.costs;
  return data_of(model.key, runs, most_of_key(known.size()), costs, model.model.changed_at);
}

// The models of then that the question may mean, what contradicted itself, and the runs that the estimators of all history
// had of them.
struct Then {
  std::vector<FittedModel> models;
  std::vector<Contradiction> contradictions;
  Knowledge::Data runs;
};

Then fitted_then(const ModelSet& now, const Question& meant, const RunsOf& runs_of) {
  Then out;
  auto rows = rows_meant(now, meant);
  for (const Contradiction& each : now.contradictions) {  // of these there may have been a model
    if (std::ssize(rows) >= kMostFitted) break;
    if (fits(meant.network, each.key.network) && fits(meant.architecture, each.key.architecture))
      rows.emplace_back().key = each.key;
  }
  const auto runs_then = [&](const ModelKey& key, const std::optional<std::int64_t>& owner) {
    return runs_of(key, {owner, *meant.at}).value_or(std::vector<RunData>());
  };
  const Knowledge::Data& known = now.knowledge->data();
  for (ModelRow& row : rows) {
    row.fitted_at = *meant.at;
    std::vector<RunData> own;  // the asker's: nobody else's are needed
    auto made = make_model(row, runs_then(row.key, std::nullopt), [&](std::int64_t owner) {
                  return owner == meant.asker ? own = runs_then(row.key, owner) : std::vector<RunData>();
                }).value();  // runs that can't be read are none
    if (made.contradiction) out.contradictions.push_back(std::move(*made.contradiction));
    if (!made.model) continue;
    FittedModel& fitted = out.models.emplace_back(std::move(*made.model));
    out.runs[row.key] = fitted.own.empty() ? data_beside(known, fitted, made.evidence.runs)
                                           : data_beside(known, fitted.own.front(), own);
  }
  return out;
}

}  // namespace

RunsOf runs_in(Reader& reader) {
  return [&reader](const ModelKey& key, const RunsWanted& wanted) {
    return reader.run_data(key, kMaxRuns, kMaxWindows, wanted);
  };
}

OwnModels own_models(const ModelSet& models, const Question& question) {
  OwnModels out;
  const Question meant = recognized(models, question);
  if (!meant.asker || meant.at || meant.shown || (!meant.network && !meant.architecture) || !models.knowledge)
    return out;
  std::vector<ModelFilter> filters = {of_network(meant)};
  if (meant.framework || meant.host || meant.device || meant.devices) filters.push_back(of_deployment(meant));
  std::set<ModelKey> looked_at;
  for (ModelFilter& filter : filters) {
    filter.limit = kMostLooked;
    for (const ModelRow& row : models.models->list(filter).value_or(std::vector<ModelRow>())) {
      if (!looked_at.insert(row.key).second) continue;
      const auto model = models.models->load(row.key);
      if (!model || !*model) continue;
      if (auto said = model_for(*model, meant.asker); said != *model) out.emplace(row.key, std::move(said));
    }
  }
  return out;
}

std::shared_ptr<const ModelSet> as_seen_by_asker(std::shared_ptr<const ModelSet> models, const OwnModels& own,
                                                 const RunsOf& runs_of) {
  Knowledge::Data data;
  for (const auto& [key, model] : own) {
    const auto runs = runs_of(key, {.owner = model->owner});
    if (!runs) continue;
    auto its = data_beside(models->knowledge->data(), *model, *runs);
    if (!its.empty()) data.emplace(key, std::move(its));
  }
  if (data.empty()) return models;
  auto out = std::make_shared<ModelSet>(*models);
  for (const auto target : estimators::kAllTargets)
    if (auto& each = out->of(target)) each = each->with(data);
  return out;
}

std::shared_ptr<const ModelSet> as_of(std::shared_ptr<const ModelSet> models, const Question& question,
                                      const RunsOf& runs_of) {
  if (!question.at) return models;
  auto out = std::make_shared<ModelSet>();
  if (!models->knowledge) return out;
  const Question meant = recognized(*models, question);
  Then then = meant.shown ? Then() : fitted_then(*models, meant, runs_of);
  for (const auto target : estimators::kAllTargets)
    if (const auto& now = models->of(target)) out->of(target) = now->with(then.runs, question.at);
  out->contradictions = std::move(then.contradictions);
  out->models = std::make_shared<HeldModels>(std::move(then.models));
  return out;
}

}  // namespace etad::prediction
