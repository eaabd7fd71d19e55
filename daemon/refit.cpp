#include "daemon/refit.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "daemon/log.h"
#include "prediction/model_json.h"
#include "prediction/net_costs.h"
#include "prediction/run_costs.h"
#include "regression/two_stage_fit.h"
#include "storage/fair_share.h"

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

std::int64_t owner_of(const prediction::Evidenced& evidence) {
  return evidence.runs.empty() ? kUnknownOwner : evidence.runs.back().owner;
}

// With all that belongs to a model; nullopt: there is none.
std::optional<prediction::FittedModel> model_of(const ModelKey& key, const std::vector<RunData>& runs,
                                                const regression::Dataset& data,
                                                std::optional<regression::Model> model) {
  if (!model) return std::nullopt;
  prediction::FittedModel out;
  out.key = key;
  out.owner = runs.back().owner;
  out.last_runs = regression::shared_effect_points(data, *model, Refit::kLastRuns);
  out.model = std::move(*model);
  if (key.phase == Phase::train) {
    out.startup = prediction::startup_of(runs);
    out.snapshot = prediction::snapshot_of(runs);
  }
  return out;
}

// Of all owners their fair share of the last runs, so that nobody makes the machine's shared effect.
std::vector<regression::SharedEffectPoint> fair_points(
    const std::vector<const prediction::FittedModel*>& models) {
  constexpr std::size_t kAlways = 8;
  std::vector<std::pair<regression::SharedEffectPoint, const prediction::FittedModel*>> points;
  for (const auto* model : models)
    for (const auto& point : model->last_runs) points.emplace_back(point, model);
  std::ranges::sort(points, {}, [](const auto& each) { return each.first.until; });
  std::vector<Evidence> evidence;
  for (std::size_t i = 0; i < points.size(); ++i)
    evidence.push_back({static_cast<std::int64_t>(i), points[i].second->id, points[i].second->owner});
  std::vector<regression::SharedEffectPoint> out;
  for (const std::int64_t i : fair_share(std::move(evidence), points.size(), kAlways))
    out.push_back(points[static_cast<std::size_t>(i)].first);
  return out;
}

}  // namespace

Refit::Refit(std::unique_ptr<Reader> reader, SharedWriter& shared, std::function<Instant()> now,
             std::function<void()> alive, std::string own_host)
    : Refit(std::move(reader), Keep([&shared](auto& models, const auto& gone, const auto& reached) {
              return shared.with([&](Writer& writer) { return writer.put_models(models, gone, reached); });
            }),
            std::move(now), std::move(alive)) {
  own_host_ = std::move(own_host);
  keep_costs_ = [&shared](std::int64_t run, Phase phase, const auto& joules, const auto& peak_bytes) {
    return shared.with([&](Writer& writer) { return writer.put_costs(run, phase, joules, peak_bytes); });
  };
}

Refit::Refit(std::unique_ptr<Reader> reader, Keep keep, std::function<Instant()> now,
             std::function<void()> alive)
    : reader_(std::move(reader)), keep_(std::move(keep)), now_(std::move(now)), alive_(std::move(alive)) {}

Result<void> Refit::load() {
  const Lock running(running_);
  const auto progress = reader_->refit_progress();
  if (!progress) return tl::unexpected(progress.error());
  const auto rows = reader_->models();
  if (!rows) return tl::unexpected(rows.error());
  std::vector<prediction::FittedModel> fitted;
  for (const ModelRow& row : *rows) {
    alive_();
    if (auto model = prediction::model_from_row(row)) fitted.push_back(std::move(*model));
  }
  // What can't be read, or is of another version, is no loss: the first refit, which comes at once, fits all
  // anew.
  const bool whole = fitted.size() == rows->size() && progress->version == prediction::kModelVersion;
  generation_ = whole ? progress->generation : 0;
  swap_in(std::move(fitted), {});
  return {};
}

prediction::Learnt Refit::learnt() {
  const Lock running(running_);
  const auto now = models();
  prediction::Learnt out{now->knowledge, now->energy, now->memory, owners_, {}};
  for (const auto& [key, contradiction] : contradictions_) out.contradictions.push_back(contradiction);
  return out;
}

void Refit::take_over(std::optional<prediction::Learnt> learnt) {
  const Lock running(running_);
  listening_ = learnt.has_value();
  runs_.clear();
  owners_.clear();
  contradictions_.clear();
  if (!learnt) return;
  runs_ = learnt->knowledge->data();
  owners_ = std::move(learnt->owners);
  for (const auto& contradiction : learnt->contradictions)
    contradictions_.emplace(contradiction.key, contradiction);
  {
    auto next = std::make_shared<prediction::ModelSet>(*models());
    next->knowledge = std::move(learnt->knowledge);
    next->energy = std::move(learnt->energy);
    next->memory = std::move(learnt->memory);
    const Lock lock(mutex_);
    models_ = std::move(next);
  }
  swap_in({}, {});
}

// Of keys that have no runs any more.
void Refit::forget_owners() {
  for (auto at = owners_.begin(); at != owners_.end();)
    at = runs_.contains(at->first) ? std::next(at) : owners_.erase(at);
}

Result<std::vector<Refit::Dirty>> Refit::read(const std::vector<ModelKey>& keys) {
  std::vector<Dirty> out;
  const auto series = reader_->series();
  if (!series) return tl::unexpected(series.error());
  for (const ModelKey& key : keys) {
    alive_();
    auto runs = reader_->run_data(key, prediction::kMaxRuns, prediction::kMaxWindows);
    if (!runs) return tl::unexpected(runs.error());
    if (auto measured = measure(*runs, key.phase, *series); !measured)
      return tl::unexpected(measured.error());
    Dirty& dirty = out.emplace_back();
    dirty.key = key;
    dirty.evidence = prediction::choose_evidence(std::move(*runs), key.phase);
    dirty.data = prediction::dataset_of(dirty.evidence.runs, key.phase);
    for (const std::int64_t owner : dirty.evidence.dissenters) {
      if (dirty.own.size() == kMostDissenters) break;
      alive_();
      auto own = reader_->run_data(key, prediction::kMaxRuns, prediction::kMaxWindows, owner);
      if (!own) return tl::unexpected(own.error());
      dirty.own.push_back({owner, std::move(*own)});
    }
    if (auto heard = listen(key, dirty.evidence.runs); !heard) return tl::unexpected(heard.error());
    note_contradiction(dirty);
  }
  prediction::keep_fair_share(runs_, owners_);
  forget_owners();
  return out;
}

// Runs of devices that nobody names teach nothing of any one device, nor of networks.
void Refit::note_contradiction(Dirty& dirty) {
  const auto found = prediction::contradiction_of(dirty.key, dirty.data);
  contradictions_.erase(dirty.key);
  if (!found) return;
  contradictions_.emplace(dirty.key, *found);
  dirty.data.clear();
  runs_.erase(dirty.key);
  owners_.erase(dirty.key);
}

// What runs that are over cost beside time, by the traces of their GPUs: once, for the history to keep.
Result<void> Refit::measure(std::vector<RunData>& runs, Phase phase, const std::vector<SeriesRow>& series) {
  if (!keep_costs_ || series.empty()) return {};
  for (RunData& data : runs) {
    const auto tells = [&](const SeriesRow& row) {
      return row.first_at && row.last_at && *row.first_at<*data.ended_at&& * row.last_at> * data.started_at;
    };
    if (data.joules || data.peak_bytes || !data.started_at || !data.ended_at ||
        std::ranges::none_of(series, tells))
      continue;
    alive_();
    const auto row = reader_->run(data.run_id);
    if (!row) return tl::unexpected(row.error());
    if (!*row) continue;
    const auto costs = prediction::costs_of_run(*reader_, **row, own_host_);
    if (!costs) return tl::unexpected(costs.error());
    if (costs->watts) data.joules = *costs->watts * to_seconds(data.duration);
    data.peak_bytes = costs->peak_bytes;
    if (!data.joules && !data.peak_bytes) continue;
    if (auto kept = keep_costs_(data.run_id, phase, data.joules, data.peak_bytes); !kept) return kept;
  }
  return {};
}

// What the estimators of all history are to know of a key's runs.
Result<void> Refit::listen(const ModelKey& key, const std::vector<RunData>& evidence) {
  const auto layers = reader_->layers(key.architecture);
  if (!layers) return tl::unexpected(layers.error());
  auto data = prediction::data_of(key, evidence, prediction::costs_of(*layers));
  if (data.empty()) {
    runs_.erase(key);
    owners_.erase(key);
  } else {
    runs_[key] = std::move(data);
    owners_[key] = evidence.back().owner;
  }
  return {};
}

// The same after a start, of the runs behind the models that are up to date: of each owner in turn the
// newest.
Result<void> Refit::listen_to_models() {
  const auto known = models();
  std::map<std::int64_t, const ModelKey*> keys;
  std::vector<Evidence> evidence;
  for (const auto& model : known->models) {
    if (runs_.contains(model.key)) continue;
    keys[model.id] = &model.key;
    evidence.push_back({model.id, 0, model.owner});
  }
  for (const std::int64_t id :
       fair_share(std::move(evidence), prediction::kMostKeys, prediction::kAlwaysTheirKeys)) {
    alive_();
    const ModelKey& key = *keys[id];
    auto runs = reader_->run_data(key, prediction::kMaxRuns, prediction::kMaxWindows);
    if (!runs) return tl::unexpected(runs.error());
    const auto chosen = prediction::choose_evidence(std::move(*runs), key.phase);
    if (auto heard = listen(key, chosen.runs); !heard) return heard;
  }
  prediction::keep_fair_share(runs_, owners_);
  forget_owners();
  return {};
}

// Which runs contradict each other is not in the history: after a start the keys without a device and without
// a model are looked at again.
Result<void> Refit::add_unnamed(std::vector<ModelKey>& keys) {
  std::int64_t unused = 0;
  const auto all = reader_->changed_keys(0, unused);
  if (!all) return tl::unexpected(all.error());
  const auto known = models();
  std::set<ModelKey> have(keys.begin(), keys.end());
  for (const auto& model : known->models) have.insert(model.key);
  for (const ModelKey& key : *all) {
    if (key.device.empty() && have.insert(key).second) keys.push_back(key);
  }
  return {};
}

// In two steps: each by itself, then with what the others of its deployment have to teach: of all owners
// their fair share.
void Refit::fit(std::vector<Dirty>& dirty) const {
  struct Known {
    const regression::Model* model;
    std::int64_t owner;
  };
  const auto known = models();
  std::map<ModelKey, Known> all;
  for (const auto& model : known->models) all[model.key] = {&model.model, model.owner};
  std::vector<std::optional<regression::TwoStageFit>> fits(dirty.size());
  for (std::size_t i = 0; i < dirty.size(); ++i) {
    alive_();
    fits[i] = regression::TwoStageFit::of(dirty[i].data);
    all[dirty[i].key] = {fits[i] ? &fits[i]->model() : nullptr, owner_of(dirty[i].evidence)};
  }
  std::map<ModelKey, std::vector<Known>> deployments;
  for (const auto& [key, each] : all) {
    if (each.model != nullptr) deployments[deployment_of(key)].push_back(each);
  }
  std::map<ModelKey, std::vector<const regression::Model*>> teachers;
  for (const auto& [deployment, models] : deployments) {
    std::vector<Evidence> evidence;
    for (std::size_t i = 0; i < models.size(); ++i)
      evidence.push_back({static_cast<std::int64_t>(i), 0, models[i].owner});
    auto taken = fair_share(std::move(evidence), models.size());
    std::ranges::reverse(taken);
    for (const std::int64_t i : taken)
      teachers[deployment].push_back(models[static_cast<std::size_t>(i)].model);
  }
  for (std::size_t i = 0; i < dirty.size(); ++i) {
    alive_();
    if (!fits[i]) continue;
    Dirty& one = dirty[i];
    const auto other = all.find(other_phase_of(one.key));
    const auto prior = regression::prior_of(teachers[deployment_of(one.key)], &fits[i]->model(),
                                            other == all.end() ? nullptr : other->second.model);
    one.model = model_of(one.key, one.evidence.runs, one.data, fits[i]->with(prior));
    if (!one.model) continue;
    one.model->dispute = one.evidence.dispute;
    for (const auto& [owner, runs] : one.own) {
      alive_();
      const auto data = prediction::dataset_of(runs, one.key.phase);
      auto own = model_of(one.key, runs, data, regression::fit(data, prior));
      if (!own) continue;
      own->owner = owner;
      own->own_runs = true;
      one.model->own[owner] = std::make_shared<const prediction::FittedModel>(std::move(*own));
    }
  }
}

// Into the history, which gives them their ids.
Result<std::vector<prediction::FittedModel>> Refit::keep(std::vector<Dirty>& dirty,
                                                         const std::optional<RefitProgress>& reached) {
  std::vector<prediction::FittedModel> fitted;
  std::vector<ModelRow> rows;
  std::vector<ModelKey> gone;
  for (Dirty& one : dirty) {
    if (!one.model) {
      gone.push_back(one.key);
      continue;
    }
    one.model->fitted_at = now_();
    rows.push_back({0, one.key, prediction::model_to_json(*one.model), one.model->fitted_at});
    fitted.push_back(std::move(*one.model));
  }
  const auto kept = keep_(rows, gone, reached);
  if (!kept) return tl::unexpected(kept.error());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fitted[i].id = rows[i].id;
    for (auto& [owner, own] : fitted[i].own) {
      auto named = std::make_shared<prediction::FittedModel>(*own);
      named->id = fitted[i].id;
      named->fitted_at = fitted[i].fitted_at;
      own = std::move(named);
    }
    tell(fitted[i]);
  }
  return fitted;
}

Result<prediction::RefitReport> Refit::run() {
  const Lock running(running_);
  const auto begun = std::chrono::steady_clock::now();
  prediction::RefitReport report;
  std::int64_t generation = 0;
  auto keys = reader_->changed_keys(generation_, generation);
  if (!keys) return tl::unexpected(keys.error());
  if (!listening_ && generation_ > 0) {
    if (auto added = add_unnamed(*keys); !added) return tl::unexpected(added.error());
  }
  for (std::size_t at = 0; at < keys->size(); at += kAtOnce) {
    const std::vector<ModelKey> some(
        keys->begin() + static_cast<std::ptrdiff_t>(at),
        keys->begin() + static_cast<std::ptrdiff_t>(std::min(keys->size(), at + kAtOnce)));
    auto dirty = read(some);
    if (!dirty) return tl::unexpected(dirty.error());
    fit(*dirty);
    const bool last = at + kAtOnce >= keys->size();
    auto fitted = keep(
        *dirty, last ? std::optional(RefitProgress{prediction::kModelVersion, generation}) : std::nullopt);
    if (!fitted) return tl::unexpected(fitted.error());
    report.fitted += static_cast<std::int64_t>(fitted->size());
    swap_in(std::move(*fitted), some);
  }
  if (keys->empty()) swap_in({}, {});  // nothing new is news too: the time of the last refit
  const bool first = !std::exchange(listening_, true);
  if (first) {
    if (auto heard = listen_to_models(); !heard) {
      listening_ = false;
      return tl::unexpected(heard.error());
    }
  }
  if (first || !keys->empty()) join();
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
  using estimators::Target;
  next->knowledge = prediction::Knowledge::of(runs_, last->knowledge, alive_);
  next->energy = prediction::Knowledge::of(runs_, last->energy, alive_, Target::joules);
  next->memory = prediction::Knowledge::of(runs_, last->memory, alive_, Target::peak_bytes);
  const Lock lock(mutex_);
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
  next->energy = last->energy;
  next->memory = last->memory;
  for (const auto& [key, contradiction] : contradictions_) next->contradictions.push_back(contradiction);
  for (const auto& model : last->models) {
    if (!replaced.contains(model.key)) next->models.push_back(model);
  }
  for (auto& model : fitted) next->models.push_back(std::move(model));
  std::sort(next->models.begin(), next->models.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  tell_shared_effects(*next, replaced);
  const Lock lock(mutex_);
  models_ = std::move(next);
  last_ = now_();
}

// One shared effect for all models of a deployment, made anew where one of them has changed.
void Refit::tell_shared_effects(prediction::ModelSet& models, const std::set<ModelKey>& changed) const {
  std::map<ModelKey, std::vector<const prediction::FittedModel*>> deployments;
  for (const ModelKey& key : changed) deployments[deployment_of(key)];
  for (const auto& model : models.models) {
    const auto found = deployments.find(deployment_of(model.key));
    if (found != deployments.end()) found->second.push_back(&model);
  }
  std::map<ModelKey, std::shared_ptr<const regression::SharedEffect>> effects;
  for (const auto& [deployment, of] : deployments) {
    alive_();
    effects[deployment] = std::make_shared<const regression::SharedEffect>(fair_points(of));
  }
  for (auto& model : models.models) {
    const auto found = effects.find(deployment_of(model.key));
    if (found != effects.end()) model.shared_effect = found->second;
  }
}

std::shared_ptr<const prediction::ModelSet> Refit::models() const {
  const Lock lock(mutex_);
  return models_;
}

std::optional<Instant> Refit::last() const {
  const Lock lock(mutex_);
  return last_;
}

}  // namespace etad
