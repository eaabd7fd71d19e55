#include "prediction/stored_models.h"

#include <algorithm>
#include <utility>

#include "prediction/model_json.h"
#include "prediction/datasets.h"
#include "regression/shared_effect.h"
#include "storage/fair_share.h"

namespace etad::prediction {
namespace {

constexpr std::size_t kMostEffects = 64;        // of deployments, held
constexpr std::size_t kMostOfDeployment = 256;  // models whose last runs tell its effect
constexpr std::int64_t kMostNames = 1000;       // that are looked at for near ones
constexpr std::size_t kLastRuns = 24;           // of each model, for the machine's shared effect
// What a model takes in memory, from the size of its body in the history: numbers in text are as long as they are
// in memory, about; and the row and its places in the lists.
constexpr std::size_t kOfAPlace = 1024;

// As it goes into the history. One that rests on one run is made of it when it is asked for.
ModelRow row_to_write(const FittedModel& fitted) {
  ModelRow row = row_of(fitted);
  if (row.runs > 1 || row.teaches || fitted.dispute) row.body = model_to_json(fitted);
  return row;
}

}  // namespace

ModelKey deployment_of(ModelKey key) {
  key.network.clear();
  key.architecture.clear();
  key.phase = Phase::train;
  return key;
}

std::optional<FittedModel> fitted_from(const ModelKey& key, const Evidenced& evidence,
                                       const regression::Dataset& data,
                                       std::optional<regression::Model> model) {
  if (!model) return std::nullopt;
  FittedModel out;
  out.key = key;
  out.owner = evidence.runs.back().owner;
  out.dispute = evidence.dispute;
  out.last_runs = regression::shared_effect_points(data, *model, kLastRuns);
  out.model = std::move(*model);
  if (key.phase == Phase::train) {
    out.startup = startup_of(evidence.runs);
    out.snapshot = snapshot_of(evidence.runs);
  }
  return out;
}

std::shared_ptr<const regression::SharedEffect> shared_effect_of(
    const std::vector<std::shared_ptr<const FittedModel>>& models) {
  constexpr std::size_t kAlways = 8;
  std::vector<std::pair<regression::SharedEffectPoint, const FittedModel*>> points;
  for (const auto& model : models)
    for (const auto& point : model->last_runs) points.emplace_back(point, model.get());
  std::ranges::stable_sort(points, {}, [](const auto& each) { return each.first.until; });
  std::vector<Evidence> evidence;
  for (std::size_t i = 0; i < points.size(); ++i)
    evidence.push_back({static_cast<std::int64_t>(i), points[i].second->id, points[i].second->owner});
  std::vector<regression::SharedEffectPoint> out;
  for (const std::int64_t i : fair_share(std::move(evidence), points.size(), kAlways))
    out.push_back(points[static_cast<std::size_t>(i)].first);
  return std::make_shared<const regression::SharedEffect>(std::move(out));
}

StoredModels::StoredModels(Open open, std::size_t memory, Write write)
    : open_(std::move(open)), memory_(memory), write_(std::move(write)) {}

template <class Body>
auto StoredModels::reading(Body body) -> decltype(body(std::declval<ModelReader&>())) {
  std::unique_ptr<ModelReader> reader;
  {
    const Lock lock(mutex_);
    if (!idle_.empty()) {
      reader = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!reader) {
    auto opened = open_();
    if (!opened) return tl::unexpected(opened.error());
    reader = std::move(*opened);
  }
  auto out = body(*reader);
  const Lock lock(mutex_);
  idle_.push_back(std::move(reader));
  return out;
}

std::uint64_t StoredModels::changes() const {
  const Lock lock(mutex_);
  return changes_;
}

Result<std::vector<ModelRow>> StoredModels::list(const ModelFilter& filter) {
  return reading([&](ModelReader& reader) { return reader.models(filter); });
}

Result<std::int64_t> StoredModels::count() {
  std::uint64_t before = 0;
  {
    const Lock lock(mutex_);
    if (count_) return *count_;
    before = changes_;
  }
  const auto counted = reading([](ModelReader& reader) { return reader.model_count(); });
  const Lock lock(mutex_);
  if (counted && changes_ == before) count_ = *counted;
  return counted;
}

Result<std::vector<ModelRow>> StoredModels::fair_share(std::size_t most, std::size_t always) {
  return reading([&](ModelReader& reader) { return reader.fair_models(std::nullopt, most, always); });
}

Result<std::vector<std::string>> StoredModels::names_around(NameOf what, const std::string& wanted) {
  return reading([&](ModelReader& reader) { return reader.names_around(what, wanted, kMostNames); });
}

// The shared effect changes with any model of the deployment, so it is given with the answer.
Result<StoredModels::Model> StoredModels::load(const ModelKey& key) {
  return reading([&](ModelReader& reader) -> Result<Model> {
    const std::uint64_t before = changes();
    auto place = held(key);
    if (!place) {
      auto found = read(reader, key);
      if (!found) return tl::unexpected(found.error());
      place = std::move(*found);
      hold(*place, before);
    }
    if (!place->model) return nullptr;
    const auto effect = effect_of(reader, key);
    if (!effect) return tl::unexpected(effect.error());
    if (place->model->shared_effect == *effect) return place->model;
    auto told = std::make_shared<FittedModel>(*place->model);
    told->shared_effect = *effect;
    place->model = std::move(told);
    hold(*place, before);
    return place->model;
  });
}

Result<void> StoredModels::keep(std::vector<FittedModel>& fitted, const std::vector<ModelKey>& gone,
                                const std::optional<RefitProgress>& reached) {
  std::vector<ModelRow> rows;
  for (const FittedModel& model : fitted) rows.push_back(row_to_write(model));
  if (auto written = write_(rows, gone, reached); !written) return written;
  for (std::size_t i = 0; i < rows.size(); ++i) fitted[i].id = rows[i].id;
  const Lock lock(mutex_);
  ++changes_;
  count_.reset();
  for (const ModelRow& row : rows) forget(row.key);
  for (const ModelKey& key : gone) forget(key);
  return {};
}

// What is held of it is not what the history has any more.
void StoredModels::forget(const ModelKey& key) {
  effects_.erase(deployment_of(key));
  const auto place = by_key_.find(key);
  if (place == by_key_.end()) return;
  bytes_ -= place->second->bytes;
  places_.erase(place->second);
  by_key_.erase(place);
}

StoredModels::Held StoredModels::held() const {
  const Lock lock(mutex_);
  return {places_.size(), bytes_, effects_.size()};
}

Result<StoredModels::Place> StoredModels::read(ModelReader& reader, const ModelKey& key) {
  const auto row = reader.model(key);
  if (!row) return tl::unexpected(row.error());
  Place out{key, nullptr, kOfAPlace};
  if (!*row) return out;
  out.bytes += (*row)->body.size();
  if (!(*row)->body.empty()) {
    if (auto model = model_from_row(**row)) {
      out.model = std::make_shared<const FittedModel>(std::move(*model));
      return out;
    }
  }
  auto made = make(reader, **row);
  if (!made) return tl::unexpected(made.error());
  out.model = std::move(*made);
  return out;
}

// Of the runs, by the same rules as a refit.
Result<StoredModels::Model> StoredModels::make(ModelReader& reader, const ModelRow& row) {
  auto runs = reader.run_data(row.key, kMaxRuns, kMaxWindows);
  if (!runs) return tl::unexpected(runs.error());
  const auto effect = effect_of(reader, row.key);
  if (!effect) return tl::unexpected(effect.error());
  const auto evidence = choose_evidence(std::move(*runs), row.key.phase);
  const auto data = dataset_of(evidence.runs, row.key.phase);
  auto made = fitted_from(row.key, evidence, data, regression::fit(data));
  if (!made) return nullptr;
  made->id = row.id;
  made->fitted_at = row.fitted_at;
  made->shared_effect = *effect;
  return std::make_shared<const FittedModel>(std::move(*made));
}

// In the order of their keys.
Result<std::vector<StoredModels::Model>> StoredModels::read_deployment(ModelReader& reader,
                                                                       const ModelKey& key) {
  const std::uint64_t before = changes();
  const auto rows = reader.fair_models(key, kMostOfDeployment, kAlwaysTheirs);
  if (!rows) return tl::unexpected(rows.error());
  std::vector<Model> out;
  for (const ModelRow& row : *rows) {
    if (const auto known = held(row.key); known && known->model) {
      out.push_back(known->model);
      continue;
    }
    const auto whole = reader.model(row.key);
    if (!whole) return tl::unexpected(whole.error());
    if (!*whole) continue;
    auto model = model_from_row(**whole);  // one that can't be read tells nothing until it is fitted anew
    if (!model) continue;
    out.push_back(std::make_shared<const FittedModel>(std::move(*model)));
    hold({row.key, out.back(), kOfAPlace + (*whole)->body.size()}, before);
  }
  std::ranges::sort(out, {}, [](const Model& model) { return model->key; });
  return out;
}

Result<StoredModels::Effect> StoredModels::effect_of(ModelReader& reader, const ModelKey& key) {
  const ModelKey name = deployment_of(key);
  std::uint64_t before = 0;
  {
    const Lock lock(mutex_);
    if (const auto known = effects_.find(name); known != effects_.end()) {
      known->second.used = ++asked_;
      return known->second.effect;
    }
    before = changes_;
  }
  const auto models = read_deployment(reader, name);
  if (!models) return tl::unexpected(models.error());
  const Effect made = shared_effect_of(*models);
  const Lock lock(mutex_);
  if (changes_ != before) return made;
  if (const auto others = effects_.find(name); others != effects_.end()) return others->second.effect;
  if (effects_.size() >= kMostEffects)
    effects_.erase(std::ranges::min_element(effects_, {}, [](const auto& each) { return each.second.used; }));
  effects_[name] = {made, ++asked_};
  return made;
}

std::optional<StoredModels::Place> StoredModels::held(const ModelKey& key) {
  const Lock lock(mutex_);
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  places_.splice(places_.begin(), places_, found->second);
  return *found->second;
}

// Unless the history has changed since it was read.
void StoredModels::hold(Place place, std::uint64_t changes) {
  const Lock lock(mutex_);
  if (changes_ != changes) return;
  std::list<Place> one;
  one.push_front(std::move(place));
  const auto [at, is_new] = by_key_.try_emplace(one.front().key, one.begin());  // nothing fails behind this
  if (!is_new) {
    bytes_ -= at->second->bytes;
    places_.erase(at->second);
    at->second = one.begin();
  }
  bytes_ += one.front().bytes;
  places_.splice(places_.begin(), one);
  while (bytes_ > memory_ && places_.size() > 1) {
    bytes_ -= places_.back().bytes;
    by_key_.erase(places_.back().key);
    places_.pop_back();
  }
}

}  // namespace etad::prediction
