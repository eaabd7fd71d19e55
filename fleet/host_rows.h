// A host's rows in the fleet's database: who writes them, how far they go, and the writing of them. Throws
// postgres::Failure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fleet/postgres.h"
#include "fleet/schema.h"
#include "storage/change_reader.h"

namespace etad::fleet {

// Hosts are numbered below this, for short ids of their runs (run_columns.h).
inline constexpr std::int64_t kHostNumbers = std::int64_t{1} << 21;

// What the database says of a host.
struct HostRow {
  std::string start_token;
  std::int64_t up_to = 0;                // the history's changes up to here are in the database
  std::int64_t generation = 0;           // of its rows: after a history was carried anew, older ones go
  std::optional<std::int64_t> sweep_at;  // they go once `up_to` is there; nullopt: none are left
  std::string session;                   // who wrote last
  std::int64_t schema = 0;               // that it was written by
  double silent_seconds = 0;             // since then, by the database's clock
};

class HostRows {
 public:
  HostRows(postgres::Connection& connection, Known known, std::string host_id, std::string exporter)
      : connection_(connection),
        known_(std::move(known)),
        host_id_(std::move(host_id)),
        exporter_(std::move(exporter)) {}

  // A connection that was cut without the server's knowing leaves it a transaction that waits for its client,
  // and holds the locks of this host's rows. Of this host's sessions those end that have waited so for
  // `silent`. Names this one by the host.
  void end_lost_sessions(std::chrono::seconds silent);

  std::optional<HostRow> find();
  // Becomes the one that writes the host's rows, from `start_token` and `up_to` on. `anew`: all that the
  // history has is written again, as a new generation; once it is there (at `sweep_at`), what is left of
  // older ones goes.
  void claim(const std::string& session, const std::string& name, const HostRow& from,
             std::optional<std::int64_t> sweep_at);

  struct Step {
    const Changes& changes;
    std::string start_token;  // of changes.up_to
    std::string name;         // the host's name by now
    // From when on series_minutes that are not in the history go with a sweep; nullopt: none do.
    std::optional<Instant> oldest_minutes;
  };
  // One transaction: the rows, how far they go, and the sweep where it is due. False: another session has
  // claimed the host meanwhile, or has written; nothing was written then.
  bool write(const Step& step);

  const HostRow& now() const { return now_; }

 private:
  void write_run(const ChangedRun& run);
  void write_architecture(const ChangedArchitecture& architecture);
  void write_minutes(const ChangedMinutes& minutes);
  void sweep(const std::optional<Instant>& oldest_minutes);
  struct Row;
  Row row_of(const ChangedRun& run, const char* table, int keys) const;  // with its first two keys
  void write_phase(const ChangedRun& run, Phase phase, std::vector<postgres::Parameter> digested);
  void write_predictions(const ChangedRun& run);
  void put(Row row);

  postgres::Connection& connection_;
  Known known_;
  std::string host_id_, exporter_;
  HostRow now_;
};

}  // namespace etad::fleet
