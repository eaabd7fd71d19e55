// The history's rows as the rest of the daemon sees them: the joint between storage and those who ask it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parsers/record.h"

namespace etad {

// A followed file (or an import): who it is, how far it has been read, and all we lost on the way.
struct SourceRow {
  std::int64_t id = 0;
  std::string path;            // as found; the name an import was given
  std::string kind = "file";   // file, import, journal
  std::string format;          // empty: not recognised yet
  std::string identity;        // device, inode and prefix fingerprint, as follow/ writes them; opaque here
  std::int64_t offset = 0;     // bytes read and committed: always just behind a newline
  std::string marker;          // hash of the bytes before the offset; opaque here
  std::string head;            // hash of the first bytes, with their number; opaque here
  std::string state;           // the tracker's and the time context's; opaque here
  std::int64_t size = 0;       // when last looked at
  std::int64_t lines = 0, matched = 0, unmatched = 0, truncated = 0, rejected = 0;
  std::int64_t skipped_bytes = 0;  // NUL runs
  std::int64_t lost_bytes = 0;     // known to be gone unread (a truncation under us)
  std::string last_error;
  std::optional<Instant> read_at;
  bool gone = false;           // the file no longer exists; kept for its runs
  bool pending = false;        // an import not yet complete: its runs are not shown, a restart drops them
};

// A file that has been read to its end and will not be read again: rotated away, compressed, deleted.
// Remembered so that it is not taken for a new one when a glob finds it under another name.
struct FinishedFile {
  std::string identity;  // as follow/ writes it; opaque here
  std::string path;
  std::int64_t source_id = 0;
  Instant at{};
};

// One run with the ids only the history knows.
struct RunRow {
  std::int64_t id = 0;
  std::int64_t source_id = 0;
  std::string source;          // the source's path
  Run run;
  std::optional<Instant> updated_at;
};

// What a model is fitted for.
struct ModelKey {
  std::string network, architecture, framework, host, device;
  std::int64_t devices = 1;
  Phase phase = Phase::train;
  auto operator<=>(const ModelKey&) const = default;
};

// A run's share of a model's data: what the regression needs of it and no more. `windows` holds at most
// the asked-for number of its segments, evenly spaced, so that work stays bounded.
struct RunData {
  std::int64_t run_id = 0;
  std::int64_t samples_per_iteration = 0;
  std::int64_t iterations = 0;   // sums over all its segments of the phase
  Duration duration{};
  std::optional<Instant> started_at;
  std::string solver_type;       // settings["type"]
  std::int64_t iter_size = 1;
  bool loss_is_nan = false;
  std::vector<Segment> windows;
};

// A fitted model as kept: `body` is the regression's own JSON (coefficients, errors, rivals, quantiles).
struct ModelRow {
  std::int64_t id = 0;
  ModelKey key;
  std::string body;
  Instant fitted_at{};
};

}  // namespace etad
