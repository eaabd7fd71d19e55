#include "storage/measurement_query.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "storage/chunks.h"
#include "storage/codes.h"
#include "storage/damage.h"

namespace etad {
namespace {

template <class Codec, class Entry>
std::vector<Entry> read(sqlite::Connection& connection, const std::string& table, std::int64_t run_id,
                        std::int64_t from, std::int64_t limit) {
  // From the chunk that holds the from-th entry on.
  sqlite::Statement select(
      connection,
      "SELECT first_index, count, body FROM " + table +
          " WHERE run_id = ?1 AND first_index >= coalesce((SELECT max(first_index) FROM " + table +
          " WHERE run_id = ?1 AND first_index <= ?2), 0) AND ?1 IN (SELECT r.id FROM runs r CROSS JOIN"
          " sources s ON s.id = r.source_id WHERE r.id = ?1 AND NOT s.pending) ORDER BY first_index");
  std::vector<Entry> result;
  if (from < 0) {
    sqlite::Statement last(connection, "SELECT first_index + count FROM " + table +
                                           " WHERE run_id = ? ORDER BY first_index DESC LIMIT 1");
    if (auto rows = last.query(run_id); rows.next()) from += rows.get<std::int64_t>(0);
  }
  from = std::max<std::int64_t>(from, 0);
  limit = std::max<std::int64_t>(limit, 0);
  auto rows = select.query(run_id, from);
  while (std::ssize(result) < limit && rows.next()) {
    const std::ptrdiff_t before = std::ssize(result);
    Codec codec;
    if (!unpack_chunk(rows.get<sqlite::Blob>(2).bytes, rows.get<std::int64_t>(1), codec, result))
      throw_damaged(connection, "a chunk of run", run_id);
    const std::int64_t skip =
        std::clamp<std::int64_t>(from - rows.get<std::int64_t>(0), 0, std::ssize(result) - before);
    result.erase(result.begin() + before, result.begin() + before + skip);
  }
  if (std::ssize(result) > limit) result.erase(result.begin() + limit, result.end());
  return result;
}

}  // namespace

std::vector<Segment> segments_of(sqlite::Connection& connection, std::int64_t run_id, std::int64_t from,
                                 std::int64_t limit) {
  auto result = read<SegmentCodec, Segment>(connection, "segment_chunks", run_id, from, limit);
  std::array<std::int64_t, 2> samples{};
  sqlite::Statement select(connection,
                           "SELECT phase, samples_per_iteration FROM run_phases WHERE run_id = ?");
  for (auto rows = select.query(run_id); rows.next();) {
    const auto phase = codes::value_of<Phase>(rows.get<std::string_view>(0));
    samples[static_cast<std::size_t>(phase)] = rows.get<std::int64_t>(1);
  }
  for (Segment& segment : result) {
    if (segment.samples_per_iteration == 0)
      segment.samples_per_iteration = samples[static_cast<std::size_t>(segment.phase)];
  }
  return result;
}

std::vector<ProgressPoint> points_of(sqlite::Connection& connection, std::int64_t run_id, std::int64_t from,
                                     std::int64_t limit) {
  return read<PointCodec, ProgressPoint>(connection, "point_chunks", run_id, from, limit);
}

}  // namespace etad
