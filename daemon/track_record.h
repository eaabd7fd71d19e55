// The track record: what we said of each run at its start and at 5, 25 and 50 % of it, written down while it
// runs and scored when it ends. Never rewritten: what a later model would have said does not count.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "daemon/service/backend.h"
#include "daemon/shared_writer.h"
#include "storage/history.h"

namespace etad {

class TrackRecord {
 public:
  TrackRecord(std::unique_ptr<Reader> reader, SharedWriter& writer) : reader_(std::move(reader)), writer_(writer) {}

  // Looks at the running runs: predicts for those that have reached a mark, scores those that have ended.
  // One thread. Cheap where nothing moved.
  Result<void> look(const service::ModelSet& models, Instant now);

 private:
  struct Seen {
    std::size_t marks = 0;        // how many have been predicted for
    std::int64_t iteration = -1;  // when last looked at
  };

  Result<void> predict(const RunRow& row, Seen& seen, const service::ModelSet& models, Instant now);

  std::unique_ptr<Reader> reader_;
  SharedWriter& writer_;
  std::map<std::int64_t, Seen> running_;  // by run id
  bool first_look_ = true;
};

}  // namespace etad
