// The models of the history, loaded when they are asked for. Memory is bounded by what the configuration allows, not
// by how many there are. A model that rests on one run is not kept but made of it when it is asked for, and so is one
// whose body can't be read. A start reads nothing. Nobody waits for what another reads or makes: each reads by a reader
// of his own, and only what is held is behind a lock.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "prediction/model_set.h"
#include "threads/mutex.h"

namespace etad::prediction {

class StoredModels final : public KeptModels {
 public:
  using Model = std::shared_ptr<const FittedModel>;
  // Where models are written to, with their ids filled in, and the estimators' records (Writer::put_models,
  // put_estimator_records).
  struct Write {
    std::function<Result<void>(std::vector<ModelRow>& models, const std::vector<ModelKey>& gone,
                               const std::optional<RefitProgress>& reached)>
        models;
    std::function<Result<void>(const std::string& records)> records;
  };

  // A reader more: there are as many as ask at once.
  using Open = std::function<Result<std::unique_ptr<ModelReader>>()>;

  // `memory`: bytes that models may take, about; those not asked for longest go first.
  StoredModels(Open open, std::size_t memory, Write write);

  bool makes_of_one_run() const override { return true; }
  Result<std::vector<ModelRow>> list(const ModelFilter& filter) override;
  Result<Model> load(const ModelKey& key) override;
  Result<std::int64_t> count() override;
  Result<std::vector<ModelRow>> fair_share(std::size_t most, std::size_t always) override;
  Result<std::vector<std::string>> names_around(NameOf what, const std::string& wanted) override;
  Result<void> keep(std::vector<FittedModel>& fitted, const std::vector<ModelKey>& gone,
                    const std::optional<RefitProgress>& reached) override;
  Result<std::string> records() override;
  Result<void> keep_records(const std::string& records) override { return write_.records(records); }

  struct Held {
    std::size_t models = 0, bytes = 0;
  };
  Held held() const;

 private:
  struct Place {
    ModelKey key;
    Model model;  // nullptr: there is none
    std::size_t bytes = 0;
  };

  template <class Body>
  auto reading(Body body) -> decltype(body(std::declval<ModelReader&>()));
  void forget(const ModelKey& key) REQUIRES(mutex_);
  Result<Place> read(ModelReader& reader, const ModelKey& key) EXCLUDES(mutex_);
  Result<Model> make(ModelReader& reader, const ModelRow& row) EXCLUDES(mutex_);
  void hold(Place place, std::uint64_t changes) EXCLUDES(mutex_);

  const Open open_;
  const std::size_t memory_;
  const Write write_;
  mutable Mutex mutex_;
  std::vector<std::unique_ptr<ModelReader>> idle_ GUARDED_BY(mutex_);
  std::list<Place> places_ GUARDED_BY(mutex_);  // the last asked for first
  std::map<ModelKey, std::list<Place>::iterator> by_key_ GUARDED_BY(mutex_);
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
  std::uint64_t changes_ GUARDED_BY(mutex_) =
      0;  // of the history: what was read before one is not held after it
  std::optional<std::int64_t> count_ GUARDED_BY(mutex_);
};

}  // namespace etad::prediction
