// The fleet's models. Several processes may answer for one fleet: whichever finds that the models are older
// than the runs fits them, one process at a time, and keeps them in the database for the others. Each process
// holds all models in memory.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/fleet_reader.h"
#include "prediction/learnt.h"
#include "prediction/stored_models.h"
#include "storage/rows.h"
#include "threads/mutex.h"

namespace etad::fleet {

class FleetModels final : public prediction::KeptModels {
 public:
  using Model = std::shared_ptr<const prediction::FittedModel>;

  FleetModels(std::string database, std::shared_ptr<const Findings> findings)
      : database_(std::move(database)), findings_(std::move(findings)) {}

  // Takes over those that are in the database, all of them. False: some can't be read.
  Result<bool> load(FleetReader& reader);

  // Whose turn it is to fit. `wait`: until nobody else does, half an hour at most.
  struct Turn {
    std::unique_ptr<postgres::Connection>
        lock;             // holds the others off; nullptr: the database has no such locks
    bool others = false;  // somebody else is fitting
  };
  Turn turn(bool wait);

  // How far the models are, and how long ago somebody looked whether they are old.
  struct State {
    RefitProgress progress;
    double seconds_ago = std::numeric_limits<double>::infinity();
    bool may_keep = false;  // what is fitted here is kept there
  };
  Result<State> state();

  // Ends a look at whether the models are old: what keep() was told as reached becomes what the models are up to, in
  // one transaction with `learnt` (nullopt: what is kept of it stays). A process that is killed before leaves what was
  // there. Gives the generation that the models are up to now.
  Result<std::int64_t> looked(const std::optional<prediction::Learnt>& learnt);

  // What was learnt along with the models of that generation; nullopt: nothing that these estimators can use.
  Result<std::optional<prediction::Learnt>> learnt(std::int64_t generation);

  // A key of which no model can be made is kept without one, so that nobody tries again before its runs change. Who
  // may not write keeps none in the database, which is no error: the models are here all the same.
  // `reached` is told by looked().
  Result<void> keep(std::vector<prediction::FittedModel>& fitted, const std::vector<ModelKey>& gone,
                    const std::optional<RefitProgress>& reached) override;
  bool makes_of_one_run() const override { return false; }
  Result<std::string> records() override { return std::string(); }  // learnt() has them with what they are of
  Result<void> keep_records(const std::string&) override { return {}; }

  Result<std::vector<ModelRow>> list(const ModelFilter& filter) override { return held()->list(filter); }
  Result<Model> load(const ModelKey& key) override { return held()->load(key); }
  Result<std::int64_t> count() override { return held()->count(); }
  Result<std::vector<ModelRow>> fair_share(std::size_t most, std::size_t always) override {
    return held()->fair_share(most, always);
  }
  Result<std::vector<std::string>> names_around(NameOf what, const std::string& wanted) override {
    return held()->names_around(what, wanted);
  }

 private:
  Result<void> put(std::vector<ModelRow>& models, const std::vector<ModelKey>& gone,
                   const std::optional<RefitProgress>& reached);
  std::shared_ptr<prediction::HeldModels> held() const EXCLUDES(mutex_);
  void hold(std::vector<prediction::FittedModel> models) EXCLUDES(mutex_);

  std::string database_;
  std::shared_ptr<const Findings> findings_;
  std::optional<RefitProgress> reached_;
  mutable Mutex mutex_;
  std::shared_ptr<prediction::HeldModels> held_ GUARDED_BY(mutex_) =
      std::make_shared<prediction::HeldModels>();
};

}  // namespace etad::fleet
