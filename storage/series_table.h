// Monitoring traces as the writer keeps them. Samples wait in recent_samples, in the order they came, until
// there are enough of them to be packed: one series' next sample alone would cost a page each. Packing makes
// chunks of raw samples and joins them into the roll-ups, in any order of time.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "parsers/base/record.h"
#include "storage/budget_table.h"
#include "storage/history.h"
#include "storage/sample_codec.h"
#include "storage/sqlite.h"

namespace etad {

// Both ends included.
struct TimeSpan {
  Instant from{}, to{};
};

class SeriesTable {
 public:
  SeriesTable(sqlite::Connection& connection, BudgetTable& budgets, const StorageOptions& options);

  // The time of those samples that came later than a monitor's buffer explains; none: there are no such.
  static std::optional<TimeSpan> late(const Records& records, Instant now);

  // How many rows these samples are packed into, by series and hour: what they cost goes by that.
  static std::int64_t rows_of(const Records& records);

  // After a rolled-back transaction: what is remembered of the database may not be in it.
  void forget_state();

  // A series that is new becomes the owner's, or is refused where that owner's budget is spent. nullopt: no owner and no
  // budget.
  void add(const Records& records, std::optional<std::int64_t> owner, Instant now);
  void add_pending(std::int64_t source_id, const Records& records);  // of an import
  std::optional<TimeSpan> adopt(std::int64_t source_id);  // the time of its samples; none: it had none

  bool due(Instant now) const;  // maintain() has something to do

  // One small step: packs where samples have waited for long, drops what is past its time for a few series.
  void maintain(Instant now);

 private:
  using Ids = std::vector<std::optional<std::int64_t>>;  // of a batch's series; none: refused
  // A series' samples as they came. Where all of them lie in one batch, as most do, they stay there.
  class Gathered {
   public:
    void add(std::span<const Sample> samples);  // which outlive this
    std::vector<Sample>& own();
    std::span<const Sample> all() const { return own_.empty() ? lent_ : own_; }

   private:
    std::span<const Sample> lent_;
    std::vector<Sample> own_;
  };
  using BySeries = std::map<std::int64_t, Gathered>;  // by id
  // Where each tier begins, in microseconds: rows from there on are kept. At first: whatever they are.
  struct Kept {
    static constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::min();
    std::int64_t raw = kAll, minutes = kAll, hours = kAll;
  };
  struct TimedBucket {
    std::int64_t at;  // where it begins, in microseconds
    Bucket bucket;
  };

  std::optional<std::int64_t> id_of(const Series& series, std::optional<std::int64_t> owner);
  Ids ids_of(const Records& records, std::optional<std::int64_t> owner);
  static void gather(const Records& records, const Ids& ids, BySeries& out);
  void pack_waiting(const Records& records, const Ids& ids, Instant now);
  void pack(BySeries& samples, const Kept& kept);
  void pack_series(SamplePacker& packer, std::int64_t series_id, std::span<const Sample> samples,
                   const Kept& kept);
  void put_chunks(SamplePacker& packer, std::int64_t series_id, std::span<const Sample> samples);
  std::vector<Sample> take_short_chunk(std::int64_t series_id, std::int64_t hour);
  static std::vector<TimedBucket> minutes_of(std::span<const Sample> samples);
  static std::vector<TimedBucket> hours_of(const std::vector<TimedBucket>& minutes);
  void roll_up(std::int64_t series_id, const Tier& tier, std::span<const TimedBucket> buckets);
  void merge_row(std::int64_t series_id, const Tier& tier, std::int64_t start,
                 const std::vector<Bucket>& row);
  Kept kept_at(Instant now) const;
  void expire(std::int64_t series_id, const Kept& kept);

  sqlite::Connection& connection_;
  BudgetTable& budgets_;
  StorageOptions options_;
  sqlite::Statement find_, insert_, wait_, waiting_count_, waiting_, clear_waiting_;
  sqlite::Statement put_chunk_, last_chunk_, drop_chunk_, extend_, read_rollup_, put_rollup_;
  sqlite::Statement put_pending_, pending_, clear_pending_;
  sqlite::Statement next_series_, expire_chunks_, expire_rollups_, drop_;
  std::unordered_map<std::string, std::int64_t> ids_;  // by name and labels
  std::optional<std::int64_t> waiting_now_;
  std::optional<Instant> packed_at_, expired_at_;
  std::int64_t expiry_cursor_ = 0;
};

}  // namespace etad
