#include "prediction/stored_models.h"

#include <algorithm>
#include <utility>

#include "prediction/datasets.h"
#include "prediction/make_model.h"
#include "prediction/model_json.h"

namespace etad::prediction {
namespace {

constexpr std::int64_t kMostNames = 1000;  // that are looked at for near ones
// What a model takes in memory, from the size of its body in the history: numbers in text are as long as they are
// in memory, about; and the row and its places in the lists.
constexpr std::size_t kOfAPlace = 1024;

// As it goes into the history. One that rests on one run, and says that to everybody, is made of it when it is asked for.
ModelRow row_to_write(const FittedModel& fitted) {
  ModelRow row = row_of(fitted);
  if (row.runs > 1 || fitted.dispute || !fitted.own.empty()) row.body = model_to_json(fitted);
  return row;
}

}  // namespace

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

Result<std::vector<ModelRow>> StoredModels::list(const ModelFilter& filter) {
  return reading([&](ModelReader& reader) { return reader.models(filter); });
}

Result<std::string> StoredModels::records() {
  return reading([](ModelReader& reader) { return reader.estimator_records(); });
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
  return reading([&](ModelReader& reader) { return reader.fair_models(most, always); });
}

Result<std::vector<std::string>> StoredModels::names_around(NameOf what, const std::string& wanted) {
  return reading([&](ModelReader& reader) { return reader.names_around(what, wanted, kMostNames); });
}

Result<StoredModels::Model> StoredModels::load(const ModelKey& key) {
  std::uint64_t before = 0;
  {
    const Lock lock(mutex_);
    before = changes_;
    if (const auto held = by_key_.find(key); held != by_key_.end()) {
      places_.splice(places_.begin(), places_, held->second);
      return held->second->model;
    }
  }
  auto found = reading([&](ModelReader& reader) { return read(reader, key); });
  if (!found) return tl::unexpected(found.error());
  Model out = found->model;
  hold(std::move(*found), before);
  return out;
}

Result<void> StoredModels::keep(std::vector<FittedModel>& fitted, const std::vector<ModelKey>& gone,
                                const std::optional<RefitProgress>& reached) {
  std::vector<ModelRow> rows;
  for (const FittedModel& model : fitted) rows.push_back(row_to_write(model));
  if (auto written = write_.models(rows, gone, reached); !written) return written;
  for (std::size_t i = 0; i < rows.size(); ++i) fitted[i].id = rows[i].id;
  const Lock lock(mutex_);
  ++changes_;
  count_.reset();
  for (const ModelRow& row : rows) forget(row.key);
  for (const ModelKey& key : gone) forget(key);
  return {};
}

// Drops the model where it is held.
void StoredModels::forget(const ModelKey& key) {
  const auto place = by_key_.find(key);
  if (place == by_key_.end()) return;
  bytes_ -= place->second->bytes;
  places_.erase(place->second);
  by_key_.erase(place);
}

StoredModels::Held StoredModels::held() const {
  const Lock lock(mutex_);
  return {places_.size(), bytes_};
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
  auto made = make_model(row, std::move(*runs), [&](std::int64_t owner) {
    return reader.run_data(row.key, kMaxRuns, kMaxWindows, {.owner = owner});
  });
  if (!made) return tl::unexpected(made.error());
  return made->model ? std::make_shared<const FittedModel>(std::move(*made->model)) : nullptr;
}

// Unless the history has changed since it was read.
void StoredModels::hold(Place place, std::uint64_t changes) {
  const Lock lock(mutex_);
  if (changes_ != changes) return;
  std::list<Place> one;
  one.push_front(std::move(place));
  forget(one.front().key);
  by_key_.emplace(one.front().key, one.begin());  // nothing fails behind this
  bytes_ += one.front().bytes;
  places_.splice(places_.begin(), one);
  while (bytes_ > memory_ && places_.size() > 1) forget(places_.back().key);
}

}  // namespace etad::prediction
