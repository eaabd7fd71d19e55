#include "storage/measurement_table.h"

#include <algorithm>

#include "storage/codes.h"
#include "storage/damage.h"

namespace etad {

MeasurementTable::Chunks::Chunks(sqlite::Connection& c, const std::string& table)
    : tail(c, "SELECT id, first_index, count, body FROM " + table +
                  " WHERE run_id = ? ORDER BY first_index DESC LIMIT 1"),
      insert(c, "INSERT INTO " + table + " (run_id, first_index, count, body) VALUES (?, ?, ?, ?)"),
      update(c, "UPDATE " + table + " SET count = ?2, body = ?3 WHERE id = ?1"),
      count_of_source(c, "SELECT sum(count) FROM " + table +
                             " WHERE run_id IN (SELECT id FROM runs WHERE source_id = ?)"),
      count_of_run(c, "SELECT sum(count) FROM " + table + " WHERE run_id = ?") {}

MeasurementTable::MeasurementTable(sqlite::Connection& c)
    : connection_(c),
      segments_(c, "segment_chunks"),
      points_(c, "point_chunks"),
      read_windows_(c, "SELECT seen, stride, count, body FROM run_windows WHERE run_id = ? AND phase = ?"),
      put_windows_(
          c,
          "INSERT INTO run_windows (run_id, phase, seen, stride, count, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
          " ON CONFLICT (run_id, phase) DO UPDATE SET seen = ?3, stride = ?4, count = ?5, body = ?6"),
      add_totals_(c, "UPDATE totals SET segments = segments + ?, points = points + ?") {}

void MeasurementTable::begin() {
  new_segments_ = new_points_ = 0;
}

void MeasurementTable::end() {
  if (new_segments_ != 0 || new_points_ != 0) add_totals_.run(new_segments_, new_points_);
}

void MeasurementTable::add(std::int64_t run_id, RecordsOfRun<Segment> segments) {
  append<SegmentCodec>(segments_, run_id, segments);
  new_segments_ += static_cast<std::int64_t>(segments.size());
  sample(run_id, Phase::train, segments);
  sample(run_id, Phase::test, segments);
}

void MeasurementTable::add(std::int64_t run_id, RecordsOfRun<ProgressPoint> points) {
  append<PointCodec>(points_, run_id, points);
  new_points_ += static_cast<std::int64_t>(points.size());
}

void MeasurementTable::forget(std::int64_t source_id) {
  new_segments_ -= segments_.count_of_source.number(source_id);
  new_points_ -= points_.count_of_source.number(source_id);
}

void MeasurementTable::forget_run(std::int64_t run_id) {
  new_segments_ -= segments_.count_of_run.number(run_id);
  new_points_ -= points_.count_of_run.number(run_id);
}

// The last chunk grows until it is full; a codec that has unpacked it goes on packing behind it.
template <class Codec, class Entry>
void MeasurementTable::append(Chunks& chunks, std::int64_t run_id, RecordsOfRun<Entry> entries) {
  if (entries.empty()) return;
  Codec codec;
  std::int64_t id = 0, first = 0, count = 0;
  body_.clear();
  if (auto tail = chunks.tail.query(run_id); tail.next()) {
    id = tail.get<std::int64_t>(0);
    first = tail.get<std::int64_t>(1);
    count = tail.get<std::int64_t>(2);
    if (count < kChunkEntries) {
      body_ = tail.get<sqlite::Blob>(3).bytes;
      std::vector<Entry> known;
      if (!unpack_chunk(body_, count, codec, known)) throw_damaged(connection_, "a chunk of run", run_id);
    }
  }
  const auto flush = [&] {
    if (id != 0) {
      chunks.update.run(id, count, sqlite::Blob{body_});
    } else if (count > 0) {
      chunks.insert.run(run_id, first, count, sqlite::Blob{body_});
    }
  };
  for (const auto& entry : entries) {
    if (count >= kChunkEntries) {
      if (!body_.empty()) flush();
      first += count;
      id = count = 0;
      body_.clear();
      codec = Codec();
    }
    codec.pack(entry.value, body_);
    ++count;
  }
  flush();
}

void MeasurementTable::sample(std::int64_t run_id, Phase phase, RecordsOfRun<Segment> segments) {
  const auto of_phase = [phase](const auto& each) { return each.value.phase == phase; };
  if (std::none_of(segments.begin(), segments.end(), of_phase)) return;
  std::int64_t seen = 0, stride = 1;
  std::vector<Segment> windows;
  if (auto rows = read_windows_.query(run_id, codes::word(phase)); rows.next()) {
    seen = rows.get<std::int64_t>(0);
    stride = std::max<std::int64_t>(rows.get<std::int64_t>(1), 1);
    SegmentCodec codec;
    if (!unpack_chunk(rows.get<sqlite::Blob>(3).bytes, rows.get<std::int64_t>(2), codec, windows))
      throw_damaged(connection_, "the windows of run", run_id);
  }
  for (const auto& each : segments) {
    if (!of_phase(each) || seen++ % stride != 0) continue;
    windows.push_back(each.value);
    if (windows.size() <= kWindowSample) continue;
    for (std::size_t i = 0; 2 * i < windows.size(); ++i) windows[i] = windows[2 * i];
    windows.resize((windows.size() + 1) / 2);
    stride *= 2;
  }
  body_.clear();
  SegmentCodec codec;
  for (const Segment& s : windows) codec.pack(s, body_);
  put_windows_.run(run_id, codes::word(phase), seen, stride, windows.size(), sqlite::Blob{body_});
}

}  // namespace etad
