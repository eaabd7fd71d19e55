#include "storage/checkpoint.h"

namespace etad {
namespace {

constexpr int kSafetyNet = 16'384;             // pages: a commit checkpoints by itself past that (64 MiB)
constexpr int kLarge = 4'096;                  // pages: worth giving back to the file system (16 MiB)
constexpr std::chrono::seconds kInterval{10};  // each checkpoint syncs two files

}  // namespace

Checkpointer::Checkpointer(sqlite::Connection& connection) : connection_(connection) {
  sqlite3_wal_autocheckpoint(connection.handle(), kSafetyNet);
}

void Checkpointer::step(Instant now) {
  if (now < last_ + kInterval && now >= last_) return;
  last_ = now;
  int pages = 0, carried_over = 0;
  int code = sqlite3_wal_checkpoint_v2(connection_.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &pages,
                                       &carried_over);
  if (code == SQLITE_OK && pages == carried_over && pages > kLarge) {
    // Only if no reader is in the way: it would hold up the ingest.
    sqlite3_busy_timeout(connection_.handle(), 0);
    code = sqlite3_wal_checkpoint_v2(connection_.handle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr,
                                     nullptr);
    sqlite3_busy_timeout(connection_.handle(), sqlite::kBusyTimeout);
  }
  if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY) connection_.fail(code);
}

}  // namespace etad
