// Where an exporter stands, and whether the history it reads is still the one it read before. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "storage/starts.h"

namespace etad::fleet {

// What the database holds of a host: how far its history was carried.
struct Place {
  std::string start_token;  // of the start of the daemon that `up_to` was reached in
  std::int64_t up_to = 0;
};

// The host that a history's new runs are of: the machine of the last start, or, where that is not known, the
// history itself. Empty: nothing has happened yet.
std::string host_of(const std::vector<HistoryStart>& starts);

// The start that the change at `seq` was made in. `starts` is not empty.
const std::string& token_at(const std::vector<HistoryStart>& starts, std::int64_t seq);

// Whether the history has all that was carried up to `place`. It has not where it was restored from an older
// backup, or is another one. `newest`: its last change.
bool goes_on_from(const Place& place, const std::vector<HistoryStart>& starts, std::int64_t newest);

// Whether another exporter of the same host, which was heard so many seconds ago by the database's clock, may be alive:
// its rows are not taken over then, where their history is not ours, for it may be a copy of this machine. What was
// heard in the future says nothing: the server is another, and its clock.
inline constexpr double kTakeOverAfter = 60;
bool may_be_alive(double silent_seconds);

// Whether a run, or the change at `seq`, is of the machine that the history is on now, and not of the one
// that it was copied from.
bool run_is_own(const std::vector<HistoryStart>& starts, std::int64_t run_id);
bool change_is_own(const std::vector<HistoryStart>& starts, std::int64_t seq);

}  // namespace etad::fleet
