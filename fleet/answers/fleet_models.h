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

  // Somebody has looked just now: what put() was told as reached holds from here on, together with what was learnt
  // along with it, so that who is killed before leaves what was there. `learnt`: where it is not what is kept. The
  // generation that holds.
  Result<std::int64_t> looked(const std::optional<prediction::Learnt>& learnt);

  // What was learnt along with the models of that generation; nullopt: nothing that these estimators can use.
  Result<std::optional<prediction::Learnt>> learnt(std::int64_t generation);

  // As Writer::put_models(). A key of which no model can be made is kept without one, so that nobody tries again
  // before its runs change. Who may not write keeps none, which is no error: the models are there all the same.
  // `reached` is told by looked().
  Result<void> put(std::vector<ModelRow>& models, const std::vector<ModelKey>& gone,
                   const std::optional<RefitProgress>& reached);

 private:
  std::string database_;
  std::shared_ptr<const Digests> digests_;
  std::optional<RefitProgress> reached_;
};

}  // namespace etad::fleet
