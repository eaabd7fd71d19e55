// What the service asks of the daemon beyond the history: the fitted models, the daemon's own health, and
// everything that changes something. The joint between the socket and the daemon's threads; the daemon
// implements it, tests replace it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/base/time.h"
#include "parsers/rules/format.h"
#include "prediction/model_set.h"
#include "storage/history.h"

namespace etad::service {

// One of the daemon's own counters or gauges, for GET /metrics.
struct Metric {
  enum class Type : std::uint8_t { counter, gauge };
  std::string name;  // without prefix and without "_total": "lines"; its unit, if any, as the last word
  std::string help;
  Type type = Type::counter;
  std::string unit;  // OpenMetrics unit ("seconds", "bytes"); empty: none
  std::vector<std::pair<std::string, std::string>> labels;  // bounded sets only: never a run id or a path
  double value = 0;
};

struct Health {
  struct Failure {
    std::string part;  // "history", "refit", "sources", "rules", "config"
    std::string why;
    std::string hint;  // may be empty
  };
  // Something that may be meant so, and otherwise is a mistake in the configuration or in permissions.
  enum class Noted : std::uint8_t { folders, patterns, crowded, users, rotated, files, models };
  static constexpr std::array<std::string_view, 7> kNoted = {"folders", "patterns", "crowded", "users",
                                                             "rotated", "files",    "models"};
  struct Note {
    Noted part;        // by its name in the answer, of which openapi.json has the list
    std::string why;   // what these have in common
    std::string hint;  // what to do next
    std::vector<std::string> subjects;
    std::int64_t count = 0;  // of the subjects there are; `subjects` may hold the first of them only
  };
  static constexpr std::size_t kMostSubjects = 20;
  std::vector<Failure> failures;  // empty: all is well
  std::vector<Note> notes;
  bool looking = false;              // just started: the patterns have not been looked up yet
  std::int64_t sources = 0;          // followed now
  std::int64_t failing_sources = 0;  // of these, not readable at present
  std::int64_t lag_bytes = 0;        // in the files but not yet in the history
  double lag_seconds = 0;            // age of the oldest of these bytes; 0 where there are none
  std::optional<Instant> last_commit, last_refit;
  Instant started_at{};
  std::vector<Metric> metrics;
};

struct ImportRequest {
  std::string name;    // the log's own path, or whatever the client calls it: the source's path
  std::string format;  // empty: recognise by content
  std::map<std::string, std::string> labels;
  std::optional<Instant> modified;                 // of the file: dates lines without a year
  std::int64_t replaces = 0;                       // the import whose place it takes, read again; 0: none
  std::optional<std::int64_t> owner = {};          // uid of who imports it: the runs are theirs
  std::map<std::string, std::string> beside = {};  // by name, the files of its folder that a format looks for
};

struct ImportReport {
  std::int64_t lines = 0, matched = 0, unmatched = 0;
  std::int64_t runs = 0, segments = 0, samples = 0;
  std::int64_t rejected = 0;  // measurements that could not be true, or can't be dated
  std::string note;           // why, where that can be said
  std::string format;
  bool already_read = false;  // the same content is in the history; nothing was added
};

// An import under way. Called from one thread at a time, not always the same one; calls may block.
// Destroyed before `finish` succeeded, it leaves nothing in the history.
class ImportSession {
 public:
  virtual ~ImportSession() = default;
  virtual Result<void> feed(std::string_view bytes) = 0;  // decompressed, in pieces of any size
  virtual Result<ImportReport> finish() = 0;              // returns when all of it is committed
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Asked on the service thread: thread-safe and quick, they wait for nothing.
  virtual std::shared_ptr<const prediction::ModelSet> models() = 0;  // never nullptr
  virtual std::shared_ptr<const FormatSet> formats() = 0;            // likewise
  virtual Health health() = 0;
  // The state of followed files by path, for those that have something to say beyond their row in the
  // history ("waiting: permission denied", "a directory, not followed", …).
  virtual std::map<std::string, std::string> source_statuses() = 0;

  // Called on a worker thread; may block until the thing is done.
  // The history, for that thread alone.
  virtual Result<std::unique_ptr<Reader>> reader() = 0;
  // In the order of their names. What a network's runs have in common is remembered; the first list after a start
  // takes as long as reading all runs does.
  virtual Result<std::vector<NetworkRow>> networks(const NetworkFilter& filter) = 0;
  virtual Result<prediction::RefitReport> refit() = 0;
  // The tables of the configuration that have changed and take effect with the next start only.
  virtual Result<std::vector<std::string>> reload() = 0;
  virtual Result<void> label(std::int64_t run_id, const std::map<std::string, std::string>& labels) = 0;
  // What came of a followed source goes, and it is read again with the rules of now.
  virtual Result<void> reread(std::int64_t source_id) = 0;
  // What came of a source goes, and with an import the source itself; a followed one goes on from where it
  // stands.
  virtual Result<void> forget_source(std::int64_t source_id) = 0;
  virtual Result<void> forget_run(std::int64_t run_id) = 0;
  virtual Result<Forgotten> forget_owner(std::int64_t uid) = 0;  // all of a user's, at once
  // A copy of the whole history as it is now, in a file of its own that the caller removes: its path.
  virtual Result<std::string> backup() = 0;
  virtual Result<std::unique_ptr<ImportSession>> begin_import(const ImportRequest& request) = 0;
};

}  // namespace etad::service
