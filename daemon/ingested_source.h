// One followed source as the ingest knows it (daemon/ingest.h): what it keeps of it at rest, and the row and parser
// that are in memory while its file moves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/follow/follower.h"
#include "daemon/row_account.h"
#include "parsers/log/log_parser.h"
#include "storage/history.h"

namespace etad {

// What ticks have done since the start; the daemon's health shows it.
struct IngestCounters {
  std::int64_t bytes = 0, lines = 0, matched = 0, unmatched = 0, truncated = 0, rejected = 0;
  std::int64_t skipped_bytes = 0, lost_bytes = 0;
  std::int64_t commits = 0, failed_commits = 0;
  std::int64_t segments = 0, samples = 0;
};

// A source that moves: its row, its parser, and what they hold that the history does not.
struct AwakeSource {
  SourceRow row;
  LogParser parser;
  IngestCounters committed;  // the row's counters in the history
  RowAccount account;
  Records records;
  std::vector<FinishedFile> finished;
  std::int64_t bytes = 0;        // of log read for the records
  std::int64_t sample_rows = 0;  // that these make
  std::size_t state_bytes = 0;   // of the parser, as last committed

  AwakeSource(SourceRow from, LogParser with);

  // Parses the batch's lines, and has the row stand where they end. `arrival`: the time of lines that show none. `alive` is
  // told again and again, lest a batch that takes long look like a thread that is stuck. Gives how many rows of samples it
  // added to those to be written.
  std::int64_t take(const follow::Batch& batch, const LogOptions& options, std::optional<Instant> arrival,
                    Instant wall, const std::function<void()>& alive);
  SourceCommit commit(Instant now);             // what came since the last one, for the history to keep
  void add_to(IngestCounters& counters) const;  // what the row counts beyond what the history has
  void note_committed();                        // the history has it
};

// What is kept of a source at rest.
struct IngestedSource {
  std::string path;
  std::int64_t id = 0;  // in the history; 0: not there yet
  follow::StreamId stream = 0;
  std::uint32_t tag = 0;
  std::int64_t offset = 0;                        // as committed
  follow::SteadyTime used{};                      // when it last moved
  Instant modified{};                             // the file's last change, as far as we saw it
  std::optional<follow::SteadyTime> still_since;  // the same; none: not looked at since the start
  bool caught_up = false;                         // its lines are seen as they come
  bool running = false;                           // a run may be going on
  bool plan_done = false;                         // and has shown all that it planned
  bool gone = false;                              // as the history has it
  bool has_error = false;                         // likewise
  bool unwatched = false;                         // no pattern finds it
  bool moved = false;                             // something of it awaits the commit
  bool grows = false;                             // it has moved since it was caught up with
  std::int64_t open_run = -1;                     // the last run, by ordinal, that the history was told of
  std::int64_t told_run = -1;                     // the last run, by ordinal, that was told as begun
  std::unique_ptr<AwakeSource> awake;             // none: at rest

  // Whether the history would be another one with this batch in it. At the start every file is looked at
  // once, and of nearly all there is nothing to write.
  bool is_news(const follow::Batch& batch) const;
};

// Where the row's file stands.
follow::Position position_of(const SourceRow& row);

// A row for what the history can't go on with: the file stands where it stood, all else begins anew. Going on
// under the old row would give its runs' numbers to others.
SourceRow begun_anew(SourceRow old);

// Whether the last look at the source's file failed.
bool can_not_be_read(const SourceRow& row);

}  // namespace etad
