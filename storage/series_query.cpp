#include "storage/series_query.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "parsers/base/trace_labels.h"
#include "storage/bytes.h"
#include "storage/damage.h"
#include "storage/sample_codec.h"

namespace etad {
namespace {

using sqlite::Blob;
using sqlite::Connection;
using sqlite::Statement;

std::chrono::seconds round_up(std::chrono::seconds step, std::chrono::seconds unit) {
  return (step + unit - std::chrono::seconds(1)) / unit * unit;
}

bool has_labels(std::string_view labels, const std::map<std::string, std::string>& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const auto& label) { return label_value(labels, label.first) == label.second; });
}

// The samples that are not packed yet, by series.
using Waiting = std::map<std::int64_t, std::vector<Sample>>;

Waiting read_waiting(Connection& connection) {
  Waiting waiting;
  Statement select(connection, "SELECT series_id, at, value FROM recent_samples ORDER BY id");
  for (auto rows = select.query(); rows.next();) {
    const double value = rows.is_null(2) ? std::nan("") : rows.get<double>(2);
    waiting[rows.get<std::int64_t>(0)].push_back({rows.get<Instant>(1), value});
  }
  return waiting;
}

// Adds what waits to what the series' row says of the packed ones.
void extend(SeriesRow& row, const Waiting& waiting) {
  const auto it = waiting.find(row.id);
  if (it == waiting.end()) return;
  row.samples += static_cast<std::int64_t>(it->second.size());
  for (const Sample& sample : it->second) {
    row.first_at = row.first_at ? std::min(*row.first_at, sample.at) : sample.at;
    row.last_at = row.last_at ? std::max(*row.last_at, sample.at) : sample.at;
  }
}

// Those of that name, or of any, in the order of names and labels; of `ids`, sorted, if there are any: each is found by
// itself, so that what a question of one costs does not grow with how many there are.
std::vector<SeriesRow> read_series(Connection& connection, const std::string& name, const Waiting& waiting,
                                   const std::vector<std::int64_t>& ids = {}) {
  std::vector<SeriesRow> result;
  const auto take = [&](sqlite::Rows rows) {
    while (rows.next()) {
      SeriesRow row;
      row.id = rows.get<std::int64_t>(0);
      row.name = rows.get<std::string>(1);
      row.labels = rows.get<std::string>(2);
      row.unit = rows.get<std::string>(3);
      row.first_at = rows.get<std::optional<Instant>>(4);
      row.last_at = rows.get<std::optional<Instant>>(5);
      row.samples = rows.get<std::int64_t>(6);
      extend(row, waiting);
      if (row.samples > 0 && (name.empty() || row.name == name)) result.push_back(std::move(row));
    }
  };
  const std::string columns = "SELECT id, name, labels, unit, first_at, last_at, samples FROM series";
  if (ids.empty()) {
    Statement select(connection,
                     columns + (name.empty() ? "" : " WHERE name = ?1") + " ORDER BY name, labels");
    take(name.empty() ? select.query() : select.query(name));
    return result;
  }
  Statement select(connection, columns + " WHERE id = ?1");
  for (const std::int64_t id : ids) take(select.query(id));
  std::ranges::sort(result, {}, [](const SeriesRow& row) { return std::tie(row.name, row.labels); });
  return result;
}

// Puts values and roll-ups into the steps they belong to. They come mostly in order of time; what comes late
// finds its place.
class Steps {
 public:
  Steps(std::chrono::seconds step, std::vector<SeriesPoint>& points) : step_(step), points_(points) {}

  void add(std::int64_t at, std::int64_t count, double min, double max, double sum) {
    const Instant start = instant(step_.count() == 0 ? at : floor_to(at, step_));
    if (points_.empty() || points_.back().at < start || step_.count() == 0) {
      points_.push_back({start, min, sum, max, count});
      return;
    }
    auto it = points_.end() - 1;
    if (it->at != start) {
      it = std::lower_bound(points_.begin(), points_.end(), start,
                            [](const SeriesPoint& p, Instant t) { return p.at < t; });
      if (it->at != start) it = points_.insert(it, {start, min, 0, max, 0});
    }
    it->min = std::min(it->min, min);
    it->max = std::max(it->max, max);
    it->mean += sum;
    it->count += count;
  }
  void add(const Sample& sample) {
    if (std::isfinite(sample.value) || step_.count() == 0)
      add(microseconds(sample.at), 1, sample.value, sample.value, sample.value);
  }

  void finish() {  // `mean` held the sum so far
    for (SeriesPoint& point : points_) point.mean /= static_cast<double>(point.count);
    if (step_.count() == 0)
      std::stable_sort(points_.begin(), points_.end(),
                       [](const SeriesPoint& a, const SeriesPoint& b) { return a.at < b.at; });
  }

 private:
  std::chrono::seconds step_;
  std::vector<SeriesPoint>& points_;
};

// Answers one query, one series after the other.
class PointsReader {
 public:
  PointsReader(Connection& c, const SeriesQuery& query, const Waiting& waiting, std::int64_t most_points)
      : connection_(c),
        query_(query),
        waiting_(waiting),
        most_points_(most_points),
        raw_extent_(c,
                    "SELECT min(start_at), sum(count) FROM sample_chunks WHERE series_id = ?1"
                    " AND start_at >= ?2 AND start_at < ?3"),
        rollup_extent_(c,
                       "SELECT min(start_at) FROM rollups WHERE series_id = ? AND tier = ? AND start_at >= ?"
                       " AND start_at < ?"),
        chunks_(c,
                "SELECT count, body FROM sample_chunks WHERE series_id = ? AND start_at >= ? AND start_at < ?"
                " ORDER BY start_at"),
        rollups_(c,
                 "SELECT start_at, body FROM rollups WHERE series_id = ? AND tier = ? AND start_at >= ? AND"
                 " start_at < ? ORDER BY start_at") {}

  SeriesPoints read(SeriesRow row) {
    from_ = std::max(microseconds(query_.from), microseconds(*row.first_at));
    to_ = std::min(microseconds(query_.to), microseconds(*row.last_at) + 1);
    SeriesPoints result{std::move(row), query_.step, {}};
    if (from_ >= to_) return result;
    const auto it = waiting_.find(result.series.id);
    const std::vector<Sample> none;
    const auto& waiting = it == waiting_.end() ? none : it->second;

    const Tier* tier = choose(result.series.id, waiting, result.step);
    Steps steps(result.step, result.points);
    if (tier) {
      read_rollups(result.series.id, *tier, steps);
    } else {
      read_raw(result.series.id, steps);
    }
    // The beginning of a step counts for the whole of it, as it does in the roll-ups.
    const std::int64_t from = tier ? floor_to(from_, tier->bucket) : from_;
    for (const Sample& sample : waiting) {
      if (microseconds(sample.at) >= from && microseconds(sample.at) < to_) steps.add(sample);
    }
    steps.finish();
    return result;
  }

 private:
  // The finest tier that the step allows, that still has the beginning of the time asked for, and that does not give
  // too many points; nullptr: the raw samples. Sets the step that it can give.
  const Tier* choose(std::int64_t id, const std::vector<Sample>& waiting, std::chrono::seconds& step) {
    const std::int64_t span = (to_ - from_) / 1'000'000;
    if (step.count() > 0) step = std::max(step, std::chrono::seconds(span / most_points_ + 1));
    if (step < kMinutes.bucket) {
      if (raw_reaches(id, static_cast<std::int64_t>(waiting.size()))) return nullptr;
      step = kMinutes.bucket;
    }
    step = std::max(step, std::chrono::seconds(span / most_points_ + 1));
    if (step < kHours.bucket) {
      step = round_up(step, kMinutes.bucket);
      if (step < kHours.bucket && first_minute(id) <= first_hour(id)) return &kMinutes;
    }
    step = round_up(step, kHours.bucket);
    return &kHours;
  }

  // Tiers lose whole hours, the oldest first: one reaches back that has no later hour first, of the time asked for, than
  // those which lose them later. Waiting samples are in all of them.
  bool raw_reaches(std::int64_t id, std::int64_t waiting) {
    auto rows = raw_extent_.query(id, floor_to(from_, kHours.bucket), to_);
    rows.next();
    const std::int64_t first = rows.is_null(0) ? to_ : floor_to(rows.get<std::int64_t>(0), kHours.bucket);
    const std::int64_t count = rows.get<std::int64_t>(1) + waiting;
    return count <= (query_.step.count() > 0 ? 60 * most_points_ : most_points_) &&
           first <= std::min(first_minute(id), first_hour(id));
  }

  // The hour of it.
  std::int64_t first_minute(std::int64_t id) {
    auto rows = rollup_extent_.query(id, kMinutes.bucket, floor_to(from_, kHours.bucket), to_);
    rows.next();
    return rows.is_null(0) ? to_ : rows.get<std::int64_t>(0);
  }

  std::int64_t first_hour(std::int64_t id) {
    const std::int64_t from = floor_to(from_, kHours.bucket);
    std::int64_t first = to_;
    each_bucket(id, kHours, [&](std::int64_t at, const Bucket&) {
      if (at >= from) first = at;
      return at < from;
    });
    return first;
  }

  void read_raw(std::int64_t id, Steps& steps) {
    std::vector<Sample> samples;
    for (auto rows = chunks_.query(id, floor_to(from_, kHours.bucket), to_); rows.next();) {
      samples.clear();
      if (!unpack_samples(rows.get<Blob>(1).bytes, rows.get<std::int64_t>(0), samples))
        throw_damaged(connection_, "a chunk of series", id);
      for (const Sample& sample : samples) {
        if (microseconds(sample.at) >= from_ && microseconds(sample.at) < to_) steps.add(sample);
      }
    }
  }

  void read_rollups(std::int64_t id, const Tier& tier, Steps& steps) {
    const std::int64_t from = floor_to(from_, tier.bucket);
    each_bucket(id, tier, [&](std::int64_t at, const Bucket& b) {
      if (at >= from && at < to_) steps.add(at, b.count, b.min, b.max, b.sum);
      return true;
    });
  }

  // Of the rows that have something of the time asked for, until `take(at, bucket)` is false.
  void each_bucket(std::int64_t id, const Tier& tier, auto&& take) {
    const std::int64_t width = std::chrono::microseconds(tier.bucket).count();
    std::vector<Bucket> buckets;
    for (auto rows = rollups_.query(id, tier.bucket, floor_to(from_, tier.row()), to_); rows.next();) {
      buckets.clear();
      if (!unpack_buckets(rows.get<Blob>(1).bytes, buckets))
        throw_damaged(connection_, "a roll-up of series", id);
      const auto start = rows.get<std::int64_t>(0);
      for (const Bucket& bucket : buckets)
        if (!take(start + bucket.index * width, bucket)) return;
    }
  }

  Connection& connection_;
  const SeriesQuery& query_;
  const Waiting& waiting_;
  std::int64_t most_points_;  // of a series
  Statement raw_extent_, rollup_extent_, chunks_, rollups_;
  std::int64_t from_ = 0, to_ = 0;  // microseconds: the part asked for that the series has
};

}  // namespace

std::vector<SeriesRow> series_of(Connection& connection, const std::string& name) {
  return read_series(connection, name, read_waiting(connection));
}

std::vector<SeriesPoints> series_points_of(Connection& connection, const SeriesQuery& query) {
  const Waiting waiting = read_waiting(connection);
  std::vector<std::int64_t> ids = query.ids;
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  std::vector<SeriesRow> asked = read_series(connection, query.name, waiting, ids);
  std::erase_if(asked, [&](const SeriesRow& row) { return !has_labels(row.labels, query.labels); });
  const std::int64_t share = kMostOfAll / std::max<std::int64_t>(1, static_cast<std::int64_t>(asked.size()));
  PointsReader reader(connection, query, waiting, std::clamp<std::int64_t>(share, 1, kMostPoints));
  std::vector<SeriesPoints> result;
  for (SeriesRow& row : asked) result.push_back(reader.read(std::move(row)));
  return result;
}

}  // namespace etad
