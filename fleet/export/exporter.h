// Carries a history into the fleet's database, exactly once. How far it has come is written in the same transaction as
// the rows themselves, and nowhere else: whatever is killed at whatever moment, the next pass asks the database how far
// it is, and goes on from there.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "fleet/export/settings.h"
#include "fleet/host_rows.h"
#include "fleet/postgres.h"

namespace etad::fleet {

// Since the process began.
struct Counters {
  std::int64_t runs = 0, architectures = 0, minutes = 0;  // carried
  std::int64_t passes = 0;
  // Passes that failed, by what the database said (an SQLSTATE), or "connection", or "history".
  std::map<std::string, std::int64_t> failures = {{"connection", 0}, {"history", 0}};
  std::int64_t refused = 0;  // changes that the database does not take, and that were passed over
  std::int64_t anew = 0;     // times that all of the history was carried again
  std::int64_t foreign = 0;  // runs left out because another machine made them
};

struct Status {
  Counters counters;
  std::string host_id;
  std::int64_t waiting = 0;  // changes not yet in the database
  bool connected = false;
  std::optional<Error> error;    // of the last pass
  std::optional<Error> refusal;  // the last change that was passed over
};

class Exporter {
 public:
  // `session` is this process's alone. `monotonic` gives seconds.
  Exporter(Settings settings, std::string session, std::string version, std::string host_name,
           std::function<double()> monotonic);

  // Carries at most one batch. True: there may be more at once.
  Result<bool> pass();
  const Status& status() const { return status_; }

 private:
  void connect(const Changes& changes);
  void claim(const Changes& changes);
  Changes own_part(Changes changes);
  bool carry(Changes changes);
  Result<bool> try_pass();

  Settings settings_;
  std::string session_, version_, host_name_;
  std::function<double()> monotonic_;
  std::unique_ptr<postgres::Connection> connection_;
  std::unique_ptr<HostRows> rows_;  // nullptr: not claimed
  Known known_;
  double wrote_at_ = 0;
  std::int64_t batch_;  // settings_.batch; less where a change must be found that the database does not take
  Status status_;
};

}  // namespace etad::fleet
