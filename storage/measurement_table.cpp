#include "storage/measurement_table.h"

#include <algorithm>

#include "storage/codes.h"
#include "storage/damage.h"

namespace etad {
namespace {

// Of so many runs the last chunks are remembered, a few kilobytes each.
constexpr std::size_t kMostTails = 16;

}  // namespace

template <class Codec>
MeasurementTable::Chunks<Codec>::Chunks(sqlite::Connection& c, const std::string& table)
    : tail(c, "SELECT id, first_index, count, body FROM " + table +
                  " WHERE run_id = ? ORDER BY first_index DESC LIMIT 1"),
      insert(c, "INSERT INTO " + table + " (run_id, first_index, count, body) VALUES (?, ?, ?, ?)"),
      update(c, "UPDATE " + table + " SET count = ?2, body = ?3 WHERE id = ?1"),
      count_of_source(c, "SELECT sum(count) FROM " + table +
                             " WHERE run_id IN (SELECT id FROM runs WHERE source_id = ?)"),
      count_of_run(c, "SELECT sum(count) FROM " + table + " WHERE run_id = ?"),
      count_of_owner(c, "SELECT sum(count) FROM " + table +
                            " WHERE run_id IN (SELECT id FROM runs WHERE owner = ? AND source_id IN"
                            " (SELECT id FROM sources WHERE NOT pending))") {}

MeasurementTable::MeasurementTable(sqlite::Connection& c)
    : connection_(c),
      segments_(c, "segment_chunks"),
      points_(c, "point_chunks"),
      read_windows_(c, "SELECT seen, stride, count, body FROM run_windows WHERE run_id = ? AND phase = ?"),
      put_windows_(
          c,
          "INSERT INTO run_windows (run_id, phase, seen, stride, count, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
          " ON CONFLICT (run_id, phase) DO UPDATE SET seen = ?3, stride = ?4, count = ?5, body = ?6"),
      count_windows_(c, "UPDATE run_windows SET seen = ?3 WHERE run_id = ?1 AND phase = ?2"),
      add_totals_(c, "UPDATE totals SET segments = segments + ?, points = points + ?") {}

void MeasurementTable::begin() {
  new_segments_ = new_points_ = 0;
}

void MeasurementTable::end() {
  if (new_segments_ != 0 || new_points_ != 0) add_totals_.run(new_segments_, new_points_);
}

void MeasurementTable::add(std::int64_t run_id, RecordsOfRun<Segment> segments) {
  append(segments_, run_id, segments);
  new_segments_ += static_cast<std::int64_t>(segments.size());
  sample(run_id, Phase::train, segments);
  sample(run_id, Phase::test, segments);
}

void MeasurementTable::add(std::int64_t run_id, RecordsOfRun<ProgressPoint> points) {
  append(points_, run_id, points);
  new_points_ += static_cast<std::int64_t>(points.size());
}

void MeasurementTable::forget_state() {
  segments_.tails.clear();
  points_.tails.clear();
}

void MeasurementTable::forget(std::int64_t source_id) {
  forget_state();
  new_segments_ -= segments_.count_of_source.number(source_id);
  new_points_ -= points_.count_of_source.number(source_id);
}

void MeasurementTable::forget_run(std::int64_t run_id) {
  forget_state();
  new_segments_ -= segments_.count_of_run.number(run_id);
  new_points_ -= points_.count_of_run.number(run_id);
}

void MeasurementTable::forget_owner(std::int64_t uid) {
  forget_state();
  new_segments_ -= segments_.count_of_owner.number(uid);
  new_points_ -= points_.count_of_owner.number(uid);
}

template <class Entry, class Codec>
MeasurementTable::Tail<Codec>& MeasurementTable::tail_of(Chunks<Codec>& chunks, std::int64_t run_id) {
  if (const auto known = chunks.tails.find(run_id); known != chunks.tails.end()) return known->second;
  if (chunks.tails.size() >= kMostTails) chunks.tails.clear();
  Tail<Codec> tail;
  if (auto rows = chunks.tail.query(run_id); rows.next()) {
    tail.id = rows.template get<std::int64_t>(0);
    tail.first = rows.template get<std::int64_t>(1);
    tail.count = rows.template get<std::int64_t>(2);
    if (tail.count < kChunkEntries) {
      tail.body = rows.template get<sqlite::Blob>(3).bytes;
      std::vector<Entry> known;
      if (!unpack_chunk(tail.body, tail.count, tail.codec, known))
        throw_damaged(connection_, "a chunk of run", run_id);
    }
  }
  return chunks.tails.emplace(run_id, std::move(tail)).first->second;
}

template <class Codec, class Entry>
void MeasurementTable::append(Chunks<Codec>& chunks, std::int64_t run_id, RecordsOfRun<Entry> entries) {
  if (entries.empty()) return;
  Tail<Codec>& tail = tail_of<Entry>(chunks, run_id);
  const auto flush = [&] {
    if (tail.id != 0) {
      chunks.update.run(tail.id, tail.count, sqlite::Blob{tail.body});
    } else {
      chunks.insert.run(run_id, tail.first, tail.count, sqlite::Blob{tail.body});
      tail.id = connection_.last_insert_id();
    }
  };
  for (const auto& entry : entries) {
    if (tail.count >= kChunkEntries) {
      if (!tail.body.empty()) flush();
      tail.first += tail.count;
      tail.id = tail.count = 0;
      tail.body.clear();
      tail.codec = Codec();
    }
    tail.codec.pack(entry.value, tail.body);
    ++tail.count;
  }
  flush();
}

void MeasurementTable::sample(std::int64_t run_id, Phase phase, RecordsOfRun<Segment> segments) {
  const auto of_phase = [phase](const auto& each) { return each.value.phase == phase; };
  const std::int64_t count = std::count_if(segments.begin(), segments.end(), of_phase);
  if (count == 0) return;
  std::int64_t seen = 0, stride = 1;
  std::vector<Segment> windows;
  if (auto rows = read_windows_.query(run_id, codes::word(phase)); rows.next()) {
    seen = rows.get<std::int64_t>(0);
    stride = std::max<std::int64_t>(rows.get<std::int64_t>(1), 1);
    if (const std::int64_t past = seen % stride;
        past != 0 && past + count <= stride) {  // it takes none of them
      count_windows_.run(run_id, codes::word(phase), seen + count);
      return;
    }
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
