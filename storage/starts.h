// The starts of the daemon on this history. Whoever carries the history elsewhere (fleet/export) compares them with
// the starts it has seen: so it notices that a backup was restored, or that the file was copied to another machine,
// and does not take either for the same history having gone on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/sqlite.h"

namespace etad {

// All changes up to `after_seq` and all runs up to `after_run` were there before it.
struct HistoryStart {
  std::string token;    // random: no other history has a start of this token, but copies of this one
  std::string machine;  // StorageOptions::machine
  std::int64_t after_seq = 0, after_run = 0;
};

// Writes down, within a transaction, that the daemon has started. Of starts on one machine the last
// kKeptStarts are kept, and always the first, so that whose machine each run is of stays known.
inline constexpr int kKeptStarts = 1'000;
void note_start(sqlite::Connection& connection, const std::string& machine);

std::vector<HistoryStart> starts_of(sqlite::Connection& connection);  // in order

}  // namespace etad
