#include "storage/series_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "storage/bytes.h"
#include "storage/damage.h"

namespace etad {
namespace {

constexpr std::int64_t kMostWaiting = 8'192;   // packed at once then; a query reads through them all
constexpr std::chrono::hours kLongestWait{1};  // of samples that are few
constexpr std::size_t kMostKnownIds = 10'000;  // series remembered by name
constexpr std::size_t kChunkSamples = 1'024;
constexpr std::int64_t kShortChunk = 512;  // with fewer samples it is packed again
constexpr std::chrono::minutes kExpiryInterval{1};
constexpr std::chrono::minutes kLate{1};
constexpr int kSeriesPerStep = 32;  // looked through for expired rows

std::int64_t at_of_sample(const Sample& sample) {
  return microseconds(sample.at);
}

void include(std::optional<TimeSpan>& span, Instant at) {
  span = span ? TimeSpan{std::min(span->from, at), std::max(span->to, at)} : TimeSpan{at, at};
}

bool is_before(const Sample& a, const Sample& b) {
  return a.at < b.at;
}

}  // namespace

SeriesTable::SeriesTable(sqlite::Connection& c, BudgetTable& budgets, const StorageOptions& options)
    : connection_(c),
      budgets_(budgets),
      options_(options),
      find_(c, "SELECT id FROM series WHERE name = ? AND labels = ?"),
      insert_(c, "INSERT INTO series (name, labels, unit, samples, owner) VALUES (?, ?, ?, 0, ?)"),
      wait_(c, "INSERT INTO recent_samples (series_id, at, value) VALUES (?, ?, ?)"),
      waiting_count_(c, "SELECT count(*) FROM recent_samples"),
      waiting_(c, "SELECT series_id, at, value FROM recent_samples ORDER BY id"),
      clear_waiting_(c, "DELETE FROM recent_samples"),
      put_chunk_(c, "INSERT INTO sample_chunks (series_id, start_at, count, body) VALUES (?, ?, ?, ?)"),
      last_chunk_(
          c,
          "SELECT id, count, body FROM sample_chunks WHERE series_id = ? AND start_at >= ? AND start_at < ?"
          " ORDER BY start_at DESC LIMIT 1"),
      drop_chunk_(c, "DELETE FROM sample_chunks WHERE id = ?"),
      extend_(c,
              "UPDATE series SET samples = samples + ?2, first_at = min(coalesce(first_at, ?3), ?3),"
              " last_at = max(coalesce(last_at, ?4), ?4) WHERE id = ?1"),
      read_rollup_(c, "SELECT body FROM rollups WHERE series_id = ? AND tier = ? AND start_at = ?"),
      put_rollup_(c, "INSERT INTO rollups VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET body = ?4"),
      put_pending_(c, "INSERT INTO pending_samples (source_id, series_id, count, body) VALUES (?, ?, ?, ?)"),
      pending_(c, "SELECT series_id, count, body FROM pending_samples WHERE source_id = ? ORDER BY id"),
      clear_pending_(c, "DELETE FROM pending_samples WHERE source_id = ?"),
      next_series_(c, "SELECT id FROM series WHERE id > ? ORDER BY id LIMIT ?"),
      expire_chunks_(
          c,
          "DELETE FROM sample_chunks WHERE id IN (SELECT id FROM sample_chunks WHERE series_id = ?1"
          " AND start_at < ?2 ORDER BY start_at LIMIT 64)"),
      expire_rollups_(
          c,
          "DELETE FROM rollups WHERE series_id = ?1 AND tier = ?2 AND start_at < ?3 AND start_at <"
          " (SELECT min(start_at) FROM rollups WHERE series_id = ?1 AND tier = ?2) + ?4"),
      // Of which nothing is left, so that its owner may have another. Never the last one: its id would be the next one's.
      drop_(c,
            "DELETE FROM series WHERE id = ?1 AND id < (SELECT max(id) FROM series)"
            " AND NOT EXISTS (SELECT 1 FROM rollups WHERE series_id = ?1)"
            " AND NOT EXISTS (SELECT 1 FROM sample_chunks WHERE series_id = ?1)"
            " AND NOT EXISTS (SELECT 1 FROM recent_samples WHERE series_id = ?1)"
            " AND NOT EXISTS (SELECT 1 FROM pending_samples WHERE series_id = ?1)") {}

std::optional<TimeSpan> SeriesTable::late(const Records& records, Instant now) {
  std::optional<TimeSpan> span;
  for (const SampledSeries& of : records.sampled)
    for (const Sample& sample : of.samples)
      if (sample.at < now - kLate) include(span, sample.at);
  return span;
}

std::int64_t SeriesTable::rows_of(const Records& records) {
  std::int64_t rows = 0;
  for (const SampledSeries& of : records.sampled) {
    Instant hour{}, next_hour{};
    for (const Sample& sample : of.samples) {
      if (sample.at >= hour && sample.at < next_hour) continue;
      hour = instant(floor_to(microseconds(sample.at), kHours.bucket));
      next_hour = hour + kHours.bucket;
      ++rows;
    }
  }
  return rows;
}

void SeriesTable::forget_state() {
  ids_.clear();
  waiting_now_.reset();
}

std::optional<std::int64_t> SeriesTable::id_of(const Series& series, std::optional<std::int64_t> owner) {
  std::string key = series.name + '\n' + series.labels;
  if (const auto it = ids_.find(key); it != ids_.end()) return it->second;
  if (ids_.size() >= kMostKnownIds) ids_.clear();
  std::int64_t id = 0;
  if (auto found = find_.query(series.name, series.labels); found.next()) id = found.get<std::int64_t>(0);
  if (id == 0) {
    if (owner && !budgets_.admits_series(*owner)) return std::nullopt;
    insert_.run(series.name, series.labels, series.unit, owner == kUnknownOwner ? std::nullopt : owner);
    id = connection_.last_insert_id();
  }
  return ids_[std::move(key)] = id;
}

SeriesTable::Ids SeriesTable::ids_of(const Records& records, std::optional<std::int64_t> owner) {
  Ids ids;
  ids.reserve(records.sampled.size());
  for (const SampledSeries& of : records.sampled)
    ids.push_back(of.samples.empty() ? std::nullopt : id_of(*of.series, owner));
  return ids;
}

void SeriesTable::Gathered::add(std::span<const Sample> samples) {
  if (all().empty()) {
    lent_ = samples;
  } else {
    own().insert(own_.end(), samples.begin(), samples.end());
  }
}

std::vector<Sample>& SeriesTable::Gathered::own() {
  if (own_.empty()) own_.assign(lent_.begin(), lent_.end());
  return own_;
}

void SeriesTable::gather(const Records& records, const Ids& ids, BySeries& out) {
  for (std::size_t i = 0; i < ids.size(); ++i)
    if (ids[i]) out[*ids[i]].add(records.sampled[i].samples);
}

// Many at once are packed at once, with those that wait.
void SeriesTable::add(const Records& records, std::optional<std::int64_t> owner, Instant now) {
  const Ids ids = ids_of(records, owner);
  std::int64_t admitted = 0, refused = 0;
  for (std::size_t i = 0; i < ids.size(); ++i)
    (ids[i] ? admitted : refused) += static_cast<std::int64_t>(records.sampled[i].samples.size());
  if (refused > 0) budgets_.refuse(*owner, "series", refused);
  if (admitted == 0) return;
  if (!waiting_now_) waiting_now_ = waiting_count_.number();
  if (*waiting_now_ + admitted >= kMostWaiting) return pack_waiting(records, ids, now);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (!ids[i]) continue;
    // SQLite takes what is no number for NULL.
    for (const Sample& sample : records.sampled[i].samples) wait_.run(*ids[i], sample.at, sample.value);
  }
  *waiting_now_ += admitted;
}

void SeriesTable::pack_waiting(const Records& records, const Ids& ids, Instant now) {
  BySeries samples;
  for (auto rows = waiting_.query(); rows.next();) {
    const double value = rows.is_null(2) ? std::numeric_limits<double>::quiet_NaN() : rows.get<double>(2);
    samples[rows.get<std::int64_t>(0)].own().push_back({rows.get<Instant>(1), value});
  }
  gather(records, ids, samples);
  pack(samples, kept_at(std::min(now, expired_at_.value_or(now))));  // by the clock that deletes, too
  clear_waiting_.run();
  waiting_now_ = 0;
}

void SeriesTable::pack(BySeries& samples, const Kept& kept) {
  SamplePacker packer;
  for (auto& [series_id, of_series] : samples) {
    const std::span<const Sample> all = of_series.all();
    if (all.empty()) continue;
    if (!std::is_sorted(all.begin(), all.end(), is_before))
      std::stable_sort(of_series.own().begin(), of_series.own().end(), is_before);
    pack_series(packer, series_id, of_series.all(), kept);
  }
}

// What a tier does not keep any more is not written into it: each sample of a trace that shows one an hour of years ago
// would make a row in all of them.
void SeriesTable::pack_series(SamplePacker& packer, std::int64_t series_id, std::span<const Sample> samples,
                              const Kept& kept) {
  put_chunks(packer, series_id,
             {std::ranges::lower_bound(samples, kept.raw, {}, at_of_sample), samples.end()});
  extend_.run(series_id, samples.size(), samples.front().at, samples.back().at);
  const std::vector<TimedBucket> minutes = minutes_of(samples);
  const std::vector<TimedBucket> hours = hours_of(minutes);
  const auto from = [](const std::vector<TimedBucket>& buckets, std::int64_t at) {
    return std::span(std::ranges::lower_bound(buckets, at, {}, &TimedBucket::at), buckets.end());
  };
  roll_up(series_id, kMinutes, from(minutes, kept.minutes));
  roll_up(series_id, kHours, from(hours, kept.hours));
}

// No chunk reaches over the turn of an hour: a query knows by its beginning where a chunk ends at the latest.
void SeriesTable::put_chunks(SamplePacker& packer, std::int64_t series_id, std::span<const Sample> samples) {
  for (auto begin = samples.begin(); begin != samples.end();) {
    const std::int64_t hour = floor_to(microseconds(begin->at), kHours.bucket);
    const Instant next_hour = instant(hour) + kHours.bucket;
    const auto end = std::partition_point(begin, samples.end(),
                                          [&](const Sample& sample) { return sample.at < next_hour; });
    std::span<const Sample> of_hour(begin, end);
    begin = end;
    std::vector<Sample> joined = take_short_chunk(series_id, hour);
    if (!joined.empty()) {
      joined.insert(joined.end(), of_hour.begin(), of_hour.end());
      std::stable_sort(joined.begin(), joined.end(), is_before);
      of_hour = joined;
    }
    for (std::size_t from = 0; from < of_hour.size(); from += kChunkSamples) {
      const auto chunk = of_hour.subspan(from, std::min(kChunkSamples, of_hour.size() - from));
      put_chunk_.run(series_id, chunk.front().at, chunk.size(), sqlite::Blob{packer.pack(chunk)});
    }
  }
}

// The hour's last chunk is packed again with what follows where it is short: of many series only a few samples each
// come together, and a row of its own for these takes as much room as the samples do.
std::vector<Sample> SeriesTable::take_short_chunk(std::int64_t series_id, std::int64_t hour) {
  std::int64_t id = 0;
  std::vector<Sample> chunk;
  const std::int64_t next_hour = hour + std::chrono::microseconds(kHours.bucket).count();
  if (auto last = last_chunk_.query(series_id, hour, next_hour); last.next()) {
    const auto count = last.get<std::int64_t>(1);
    if (count >= kShortChunk) return {};
    id = last.get<std::int64_t>(0);
    if (!unpack_samples(last.get<sqlite::Blob>(2).bytes, count, chunk))
      throw_damaged(connection_, "a chunk of series", series_id);
  }
  if (id != 0) drop_chunk_.run(id);
  return chunk;
}

// Of samples in the order of their times.
std::vector<SeriesTable::TimedBucket> SeriesTable::minutes_of(std::span<const Sample> samples) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<TimedBucket> minutes;
  for (auto next = samples.begin(); next != samples.end();) {
    const std::int64_t at = floor_to(microseconds(next->at), kMinutes.bucket);
    const Instant end = instant(at) + kMinutes.bucket;
    Bucket minute{0, 0, kInfinity, -kInfinity, 0};
    for (; next != samples.end() && next->at < end; ++next) {
      if (!std::isfinite(next->value)) continue;  // kept raw, but no part of a mean
      minute.min = std::min(minute.min, next->value);
      minute.max = std::max(minute.max, next->value);
      minute.sum += next->value;
      ++minute.count;
    }
    if (minute.count > 0) minutes.push_back({at, minute});
  }
  return minutes;
}

std::vector<SeriesTable::TimedBucket> SeriesTable::hours_of(const std::vector<TimedBucket>& minutes) {
  std::vector<TimedBucket> hours;
  for (const auto& [at, minute] : minutes) {
    const std::int64_t hour = floor_to(at, kHours.bucket);
    if (hours.empty() || hours.back().at != hour) {
      hours.push_back({hour, minute});
    } else {
      join(hours.back().bucket, minute);
    }
  }
  return hours;
}

// The buckets in the order of their times.
void SeriesTable::roll_up(std::int64_t series_id, const Tier& tier, std::span<const TimedBucket> buckets) {
  std::int64_t start = 0;
  std::vector<Bucket> row;
  for (const auto& [at, bucket] : buckets) {
    if (const std::int64_t of_row = floor_to(at, tier.row()); of_row != start) {
      merge_row(series_id, tier, start, row);
      row.clear();
      start = of_row;
    }
    row.push_back(bucket);
    row.back().index = (at - start) / std::chrono::microseconds(tier.bucket).count();
  }
  merge_row(series_id, tier, start, row);
}

void SeriesTable::merge_row(std::int64_t series_id, const Tier& tier, std::int64_t start,
                            const std::vector<Bucket>& row) {
  if (row.empty()) return;
  std::vector<Bucket> buckets;
  if (auto known = read_rollup_.query(series_id, tier.bucket, start); known.next()) {
    if (!unpack_buckets(known.get<sqlite::Blob>(0).bytes, buckets))
      throw_damaged(connection_, "a roll-up of series", series_id);
  }
  merge_buckets(buckets, row);
  put_rollup_.run(series_id, tier.bucket, start, sqlite::Blob{pack_buckets(buckets)});
}

// An import's samples wait apart until it is complete: taking them out of roll-ups again would be impossible.
void SeriesTable::add_pending(std::int64_t source_id, const Records& records) {
  BySeries samples;
  gather(records, ids_of(records, std::nullopt), samples);
  SamplePacker packer;
  for (const auto& [series_id, values] : samples)
    put_pending_.run(source_id, series_id, values.all().size(), sqlite::Blob{packer.pack(values.all())});
}

std::optional<TimeSpan> SeriesTable::adopt(std::int64_t source_id) {
  BySeries samples;
  std::optional<TimeSpan> span;
  std::int64_t gathered = 0;
  for (auto rows = pending_.query(source_id); rows.next();) {
    const auto series_id = rows.get<std::int64_t>(0);
    const auto count = rows.get<std::int64_t>(1);
    auto& own = samples[series_id].own();
    const std::size_t before = own.size();
    if (!unpack_samples(rows.get<sqlite::Blob>(2).bytes, count, own))
      throw_damaged(connection_, "a pending chunk of series", series_id);
    for (const Sample& sample : std::span(own).subspan(before)) include(span, sample.at);
    gathered += count;
    if (gathered < 4 * kMostWaiting) continue;
    pack(samples, {});
    samples.clear();
    gathered = 0;
  }
  pack(samples, {});
  clear_pending_.run(source_id);
  return span;
}

// A clock that went back makes everything due: better a step too many than none for long.
bool SeriesTable::due(Instant now) const {
  return !expired_at_ || now < *expired_at_ || now - *expired_at_ >= kExpiryInterval;
}

void SeriesTable::maintain(Instant now) {
  if (!packed_at_ || now < *packed_at_) packed_at_ = now;
  if (now - *packed_at_ >= kLongestWait) {
    pack_waiting({}, {}, now);
    packed_at_ = now;
  }
  expired_at_ = now;
  std::vector<std::int64_t> series;
  for (auto rows = next_series_.query(expiry_cursor_, kSeriesPerStep); rows.next();)
    series.push_back(rows.get<std::int64_t>(0));
  for (const std::int64_t id : series) expire(id, kept_at(now));
  expiry_cursor_ = series.empty() ? 0 : series.back();
}

// A row goes when its last sample is past its time. 0 hours: never.
SeriesTable::Kept SeriesTable::kept_at(Instant now) const {
  const auto from = [now](std::chrono::hours age, std::chrono::seconds row) {
    return age.count() > 0 ? floor_to(microseconds(now - age), row) : Kept::kAll;
  };
  return {from(options_.raw_samples, kHours.bucket), from(options_.minute_samples, kMinutes.row()),
          from(options_.hour_samples, kHours.row())};
}

void SeriesTable::expire(std::int64_t series_id, const Kept& kept) {
  constexpr std::int64_t kRowsPerStep = 64;
  expire_chunks_.run(series_id, kept.raw);
  const auto expire_tier = [&](const Tier& tier, std::int64_t from) {
    expire_rollups_.run(series_id, tier.bucket, from,
                        kRowsPerStep * std::chrono::microseconds(tier.row()).count());
  };
  expire_tier(kMinutes, kept.minutes);
  expire_tier(kHours, kept.hours);
  drop_.run(series_id);
  if (connection_.changes() == 0) return;
  ids_.clear();
  budgets_.forget_state();
}

}  // namespace etad
