// The fleet's models: fitted by whoever finds them old, one at a time, and kept in the database for all.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/fleet_reader.h"
#include "prediction/learnt.h"
#include "storage/rows.h"

namespace etad::fleet {

class FleetModels {
 public:
  FleetModels(std::string database, std::shared_ptr<const Digests> digests)
      : database_(std::move(database)), digests_(std::move(digests)) {}

  // Waits until nobody else fits, half an hour at most. What it gives holds the others off; nullptr:
  // the wait was in vain, or the database has no such locks.
  std::unique_ptr<postgres::Connection> turn();

  // How far the models are, and how long ago somebody looked whether they are old.
  struct State {
    RefitProgress progress;
    double seconds_ago = std::numeric_limits<double>::infinity();
  };
  Result<State> state();

  // Somebody has looked just now, and the models of this generation are up to date. `learnt`: what goes with them,
  // where it is not what is kept.
  Result<void> looked(std::int64_t generation, const std::optional<prediction::Learnt>& learnt);

  // What was learnt along with the models of that generation; nullopt: nothing that these estimators can use.
  Result<std::optional<prediction::Learnt>> learnt(std::int64_t generation);

  // As Writer::put_models(). A key of which no model can be made is kept without one, so that nobody tries again
  // before its runs change. Who may not write keeps none, which is no error: the models are there all the same.
  Result<void> put(std::vector<ModelRow>& models, const std::vector<ModelKey>& gone,
                   const std::optional<RefitProgress>& reached);

 private:
  std::string database_;
  std::shared_ptr<const Digests> digests_;
};

}  // namespace etad::fleet
