#include "daemon/refit.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "daemon/log.h"
#include "prediction/model_json.h"
#include "prediction/net_costs.h"
#include "regression/draft.h"

namespace etad {
namespace {

// A key's deployment, as a key with the network and the phase left out.
ModelKey deployment_of(ModelKey key) {
  key.network.clear();
  key.architecture.clear();
  key.phase = Phase::train;
  return key;
}

ModelKey other_phase_of(ModelKey key) {
  key.phase = key.phase == Phase::train ? Phase::test : Phase::train;
  return key;
}

void tell(const prediction::FittedModel& fitted) {
  const std::string id = std::to_string(fitted.id), phase(name_of(fitted.key.phase));
  log::debug("fitted model " + id + ": " + fitted.key.network + ", " + phase,
             {{"MODEL", id}, {"NETWORK", fitted.key.network}, {"PHASE", phase}});
}

}  // namespace

Refit::Refit(std::unique_ptr<Reader> reader, SharedWriter& writer, std::function<Instant()> now,
             std::function<void()> alive)
    : reader_(std::move(reader)), writer_(writer), now_(std::move(now)), alive_(std::move(alive)) {}

Result<void> Refit::load() {
  const std::lock_guard running(running_);
  const auto rows = reader_->models();
  if (!rows) return tl::unexpected(rows.error());
  std::vector<prediction::FittedModel> fitted;
  for (const ModelRow& row : *rows) {
    // A body of another version is no loss: the first refit, which comes at once, replaces it.
    if (auto model = prediction::model_from_row(row)) fitted.push_back(std::move(*model));
  }
  swap_in(std::move(fitted), {});
  return {};
}

Result<std::vector<Refit::Dirty>> Refit::read(const std::vector<ModelKey>& keys) {
  std::vector<Dirty> out;
  for (const ModelKey& key : keys) {
    alive_();
    const auto runs = reader_->run_data(key, prediction::kMaxRuns, prediction::kMaxWindows);
    if (!runs) return tl::unexpected(runs.error());
    const bool train = key.phase == Phase::train;
    const auto layers = reader_->layers(key.architecture);
    if (!layers) return tl::unexpected(layers.error());
    runs_[key] = prediction::data_of(key, *runs, prediction::costs_of(*layers));
    if (runs_[key].empty()) runs_.erase(key);
    out.push_back({key, prediction::dataset_of(*runs, key.phase),
                   train ? prediction::startup_of(*runs) : std::nullopt,
                   train ? prediction::snapshot_of(*runs) : std::nullopt, std::nullopt});
  }
  prediction::keep_newest(runs_);
  return out;
}

// In two steps: each by itself, then with what the others of its deployment have to teach.
void Refit::fit(std::vector<Dirty>& dirty) const {
  const auto known = models();
  std::map<ModelKey, const regression::Model*> all;
  for (const auto& model : known->models) all[model.key] = &model.model;
  std::vector<std::optional<regression::Draft>> drafts(dirty.size());
  for (std::size_t i = 0; i < dirty.size(); ++i) {
    alive_();
    drafts[i] = regression::Draft::of(dirty[i].data);
    all[dirty[i].key] = drafts[i] ? &drafts[i]->model() : nullptr;
  }
  std::map<ModelKey, std::vector<const regression::Model*>> deployments;
  for (const auto& [key, model] : all) {
    if (model != nullptr) deployments[deployment_of(key)].push_back(model);
  }
  for (std::size_t i = 0; i < dirty.size(); ++i) {
    alive_();
    if (!drafts[i]) continue;
    const auto other = all.find(other_phase_of(dirty[i].key));
    const auto prior = regression::prior_of(deployments[deployment_of(dirty[i].key)], &drafts[i]->model(),
                                            other == all.end() ? nullptr : other->second);
    dirty[i].model = drafts[i]->with(prior);
  }
}

// Into the history, which gives them their ids.
Result<std::vector<prediction::FittedModel>> Refit::keep(std::vector<Dirty>& dirty) {
  std::vector<prediction::FittedModel> fitted;
  std::vector<ModelRow> rows;
  for (Dirty& one : dirty) {
    if (!one.model) continue;
    prediction::FittedModel model;
    model.key = one.key;
    model.last_runs = regression::mood_points(one.data, *one.model, kLastRuns);
    model.model = std::move(*one.model);
    model.fitted_at = now_();
    model.startup = one.startup;
    model.snapshot = one.snapshot;
    rows.push_back({0, model.key, prediction::model_to_json(model), model.fitted_at});
    fitted.push_back(std::move(model));
  }
  if (rows.empty()) return fitted;
  const auto kept = writer_.with([&](Writer& writer) { return writer.put_models(rows); });
  if (!kept) return tl::unexpected(kept.error());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fitted[i].id = rows[i].id;
    tell(fitted[i]);
  }
  return fitted;
}

Result<prediction::RefitReport> Refit::run() {
  const std::lock_guard running(running_);
  const auto begun = std::chrono::steady_clock::now();
  prediction::RefitReport report;
  std::int64_t generation = 0;
  const auto keys = reader_->changed_keys(generation_, generation);
  if (!keys) return tl::unexpected(keys.error());
  for (std::size_t at = 0; at < keys->size(); at += kAtOnce) {
    const std::vector<ModelKey> some(
        keys->begin() + static_cast<std::ptrdiff_t>(at),
        keys->begin() + static_cast<std::ptrdiff_t>(std::min(keys->size(), at + kAtOnce)));
    auto dirty = read(some);
    if (!dirty) return tl::unexpected(dirty.error());
    fit(*dirty);
    auto fitted = keep(*dirty);
    if (!fitted) return tl::unexpected(fitted.error());
    report.fitted += static_cast<std::int64_t>(fitted->size());
    swap_in(std::move(*fitted), some);
  }
  if (keys->empty()) {
    swap_in({}, {});  // nothing new is news too: the time of the last refit
  } else {
    join();
  }
  generation_ = generation;
  report.failed = static_cast<std::int64_t>(keys->size()) - report.fitted;
  report.unchanged = static_cast<std::int64_t>(models()->models.size()) - report.fitted;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return report;
}

// What all runs say together, in a new set of the same models.
void Refit::join() {
  const auto last = models();
  auto next = std::make_shared<prediction::ModelSet>(*last);
  next->knowledge = prediction::Knowledge::of(runs_, last->knowledge, alive_);
  const std::lock_guard lock(mutex_);
  models_ = std::move(next);
}

// The new set: `fitted` in place of the models of the same keys; keys that are dirty and gave no model have
// no data any more.
void Refit::swap_in(std::vector<prediction::FittedModel> fitted, const std::vector<ModelKey>& dirty) {
  std::set<ModelKey> replaced(dirty.begin(), dirty.end());
  for (const auto& model : fitted) replaced.insert(model.key);
  const auto last = models();
  auto next = std::make_shared<prediction::ModelSet>();
  next->knowledge = last->knowledge;
  for (const auto& model : last->models) {
    if (!replaced.contains(model.key)) next->models.push_back(model);
  }
  for (auto& model : fitted) next->models.push_back(std::move(model));
  std::sort(next->models.begin(), next->models.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  tell_moods(*next, replaced);
  const std::lock_guard lock(mutex_);
  models_ = std::move(next);
  last_ = now_();
}

// One mood for all models of a deployment, made anew where one of them has changed.
void Refit::tell_moods(prediction::ModelSet& models, const std::set<ModelKey>& changed) const {
  std::map<ModelKey, std::vector<regression::MoodPoint>> runs;
  for (const ModelKey& key : changed) runs[deployment_of(key)];
  for (const auto& model : models.models) {
    const auto found = runs.find(deployment_of(model.key));
    if (found != runs.end())
      found->second.insert(found->second.end(), model.last_runs.begin(), model.last_runs.end());
  }
  std::map<ModelKey, std::shared_ptr<const regression::Mood>> moods;
  for (auto& [deployment, points] : runs) {
    alive_();
    moods[deployment] = std::make_shared<const regression::Mood>(std::move(points));
  }
  for (auto& model : models.models) {
    const auto found = moods.find(deployment_of(model.key));
    if (found != moods.end()) model.mood = found->second;
  }
}

std::shared_ptr<const prediction::ModelSet> Refit::models() const {
  const std::lock_guard lock(mutex_);
  return models_;
}

std::optional<Instant> Refit::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

}  // namespace etad
