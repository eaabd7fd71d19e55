// The fleet's models: fitted by whoever finds them old, one at a time, and kept in the database for all.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/fleet_reader.h"
#include "storage/rows.h"

namespace etad::fleet {

class FleetModels {
 public:
  FleetModels(std::string database, std::shared_ptr<const Digests> digests)
      : database_(std::move(database)), digests_(std::move(digests)) {}

  // Waits until nobody else fits, for as long as a statement may take. What it gives holds the others off; nullptr:
  // the wait was in vain, or the database has no such locks.
  std::unique_ptr<postgres::Connection> turn();

  // As Writer::put_models(). A key of which no model can be made is kept without one, so that nobody tries again
  // before its runs change. Who may not write keeps none, which is no error: the models are there all the same.
  Result<void> put(std::vector<ModelRow>& models, const std::vector<ModelKey>& gone,
                   const std::optional<RefitProgress>& reached);

 private:
  std::string database_;
  std::shared_ptr<const Digests> digests_;
};

}  // namespace etad::fleet
