// Segments and points of runs, packed into chunks; and of each run's segments the bounded sample that models
// are fitted from.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "parsers/base/record.h"
#include "storage/chunks.h"
#include "storage/sqlite.h"

namespace etad {

// A run's sample holds every stride-th of its segments of a phase. Once it would exceed this number, every
// second of them goes and the stride doubles: between half of it and all of it, evenly spaced.
inline constexpr std::size_t kWindowSample = 128;

// All of the same run.
template <class T>
using RecordsOfRun = std::span<const Records::Of<T>>;

class MeasurementTable {
 public:
  explicit MeasurementTable(sqlite::Connection& connection);

  void begin();  // of a transaction
  void end();    // before its commit: writes the totals

  // Appends to what the run has, in the order given.
  void add(std::int64_t run_id, RecordsOfRun<Segment> segments);
  void add(std::int64_t run_id, RecordsOfRun<ProgressPoint> points);

  void forget(std::int64_t source_id);   // its runs are about to go: takes them off the totals
  void forget_run(std::int64_t run_id);  // the same for one of them
  void forget_owner(std::int64_t uid);   // and for all of an owner's, but of pending sources
  void forget_state();                   // what is remembered of rows: a transaction was taken back

 private:
  // A run's last chunk, which grows until it is full.
  template <class Codec>
  struct Tail {
    std::int64_t id = 0, first = 0, count = 0;  // no id: not in the table yet
    std::string body;                           // empty, where the chunk in the table is full
    Codec codec;                                // stands behind the body
  };
  template <class Codec>
  struct Chunks {
    Chunks(sqlite::Connection& connection, const std::string& table);
    sqlite::Statement tail, insert, update, count_of_source, count_of_run, count_of_owner;
    std::map<std::int64_t, Tail<Codec>>
        tails;  // by run: unpacking one at each line would be most of appending
  };

  template <class Entry, class Codec>
  Tail<Codec>& tail_of(Chunks<Codec>& chunks, std::int64_t run_id);
  template <class Codec, class Entry>
  void append(Chunks<Codec>& chunks, std::int64_t run_id, RecordsOfRun<Entry> entries);
  void sample(std::int64_t run_id, Phase phase, RecordsOfRun<Segment> segments);

  sqlite::Connection& connection_;
  Chunks<SegmentCodec> segments_;
  Chunks<PointCodec> points_;
  sqlite::Statement read_windows_, put_windows_, count_windows_, add_totals_;
  std::int64_t new_segments_ = 0, new_points_ = 0;
  std::string body_;  // of the sample being packed: kept for its memory
};

}  // namespace etad
