#include "storage/change_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "storage/codes.h"
#include "storage/damage.h"
#include "storage/layer_query.h"
#include "storage/run_query.h"
#include "storage/sample_codec.h"
#include "storage/schema.h"
#include "storage/track_record.h"

namespace etad {
namespace {

using sqlite::Connection;
using sqlite::Statement;

ChangedRun read_run(Connection& connection, std::int64_t id) {
  ChangedRun out;
  out.id = id;
  out.now = run_of(connection, id);
  if (!out.now) return out;
  Statement windows(connection, "SELECT phase, count, body FROM run_windows WHERE run_id = ?");
  for (auto rows = windows.query(id); rows.next();) {
    out.windows.push_back({codes::value_of<Phase>(rows.get<std::string_view>(0)), rows.get<std::int64_t>(1),
                           std::string(rows.get<sqlite::Blob>(2).bytes)});
  }
  Statement places(connection,
                   "SELECT p.phase, o.id FROM run_phases p CROSS JOIN dataset_owners o"
                   " ON o.dataset_id = p.dataset_id AND o.owner = p.owner WHERE p.run_id = ?");
  for (auto rows = places.query(id); rows.next();)
    out.places[codes::value_of<Phase>(rows.get<std::string_view>(0))] = rows.get<std::int64_t>(1);
  out.predictions = predictions_of(connection, id);
  return out;
}

// `key`: the series' id and the hour's beginning, with a blank between them.
std::optional<ChangedMinutes> read_minutes(Connection& connection, std::string_view key) {
  std::int64_t series = 0, start = 0;
  const auto id = std::from_chars(key.data(), key.data() + key.size(), series);
  if (id.ec != std::errc() || id.ptr == key.data() + key.size()) return std::nullopt;
  if (std::from_chars(id.ptr + 1, key.data() + key.size(), start).ec != std::errc()) return std::nullopt;
  Statement select(
      connection,
      "SELECT s.name, s.labels, s.unit, r.body FROM rollups r CROSS JOIN series s ON s.id = r.series_id"
      " WHERE r.series_id = ? AND r.tier = 60 AND r.start_at = ?");
  auto rows = select.query(series, start);
  if (!rows.next()) return std::nullopt;
  ChangedMinutes out;
  out.series.id = series;
  out.series.name = rows.get<std::string>(0);
  out.series.labels = rows.get<std::string>(1);
  out.series.unit = rows.get<std::string>(2);
  out.hour = Instant(Instant::duration(start));
  std::vector<Bucket> buckets;
  if (!unpack_buckets(rows.get<sqlite::Blob>(3).bytes, buckets))
    throw_damaged(connection, "a roll-up of series", series);
  for (const Bucket& bucket : buckets) {
    out.points.push_back({out.hour + bucket.index * kMinutes.bucket, bucket.min,
                          bucket.sum / static_cast<double>(bucket.count), bucket.max, bucket.count});
  }
  return out;
}

class SqliteChangeReader final : public ChangeReader {
 public:
  explicit SqliteChangeReader(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}

  Result<Changes> after(std::int64_t after, std::int64_t most) override {
    return sqlite::guarded([&] {
      sqlite::Transaction transaction(*connection_, sqlite::Transaction::Kind::read);
      Changes out;
      out.up_to = after;
      out.starts = starts_of(*connection_);
      Statement newest(*connection_, "SELECT seq FROM sqlite_sequence WHERE name = 'changes'");
      if (auto rows = newest.query(); rows.next()) out.newest = rows.get<std::int64_t>(0);
      // Series by series, each by the key: a history has millions of roll-ups.
      Statement oldest(*connection_,
                       "SELECT min((SELECT min(start_at) FROM rollups WHERE series_id = s.id AND tier = 60))"
                       " FROM series s");
      if (auto rows = oldest.query(); rows.next()) out.oldest_minutes = rows.get<std::optional<Instant>>(0);
      Statement select(*connection_, "SELECT seq, kind, key FROM changes WHERE seq > ? ORDER BY seq LIMIT ?");
      for (auto rows = select.query(after, most); rows.next();) {
        out.up_to = rows.get<std::int64_t>(0);
        const auto kind = rows.get<std::string_view>(1);
        if (kind == "run") {
          out.runs.push_back(read_run(*connection_, rows.get<std::int64_t>(2)));
        } else if (kind == "architecture") {
          auto architecture = rows.get<std::string>(2);
          auto layers = layers_of(*connection_, architecture);
          out.architectures.push_back({std::move(architecture), std::move(layers)});
        } else if (auto minutes = read_minutes(*connection_, rows.get<std::string_view>(2))) {
          minutes->seq = out.up_to;
          out.minutes.push_back(std::move(*minutes));
        }
      }
      Statement behind(*connection_, "SELECT count(*) FROM changes WHERE seq > ?");
      if (auto rows = behind.query(out.up_to); rows.next()) out.waiting = rows.get<std::int64_t>(0);
      // What is missing at the end has expired.
      if (out.waiting == 0) out.up_to = std::max(out.up_to, out.newest);
      return out;
    });
  }

 private:
  std::unique_ptr<Connection> connection_;
};

}  // namespace

Result<std::unique_ptr<ChangeReader>> ChangeReader::open(const std::string& path) {
  return sqlite::guarded([&]() -> std::unique_ptr<ChangeReader> {
    auto connection = std::make_unique<Connection>(path, Connection::Mode::read);
    schema::prepare_for_reading(*connection);
    return std::make_unique<SqliteChangeReader>(std::move(connection));
  });
}

}  // namespace etad
