// Carrying the write-ahead log over into the database, by the only connection that writes: SQLite
// before 3.51.3 can lose commits where two connections checkpoint and write at once.
#pragma once

#include "storage/sqlite.h"

namespace etad {

class Checkpointer {
 public:
  explicit Checkpointer(sqlite::Connection& connection);

  // A passive checkpoint if one is due; it waits for nobody. Where the log file has grown large and nobody
  // reads, it is cut back to nothing.
  void step(Instant now);

 private:
  sqlite::Connection& connection_;
  Instant last_{};
};

}  // namespace etad
