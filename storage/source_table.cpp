#include "storage/source_table.h"

#include "parsers/traces/trace.h"
#include "storage/codes.h"

namespace etad {
namespace {

constexpr std::int64_t kManyFinished = 5'000;  // new ones: worth looking for those that are too many

constexpr const char* kSourceColumns =
    "path, kind, format, identity, offset, marker, head, size, lines, matched, unmatched, truncated, "
    "rejected,"
    " skipped_bytes, lost_bytes, last_error, read_at, gone, pending, owner, carried";
constexpr const char* kPlaces =
    "?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21";

const std::string kBegun =
    "UPDATE sources SET format = '', tracker_state = x'', lines = 0, matched = 0, unmatched = 0, truncated = "
    "0,"
    " rejected = 0, skipped_bytes = 0, last_error = '', carried = x'', ";

template <class... More>
void write(sqlite::Statement& statement, const SourceRow& s, const More&... more) {
  statement.run(s.path, s.kind, s.format, s.identity, s.offset, s.marker, s.head, s.size, s.lines, s.matched,
                s.unmatched, s.truncated, s.rejected, s.skipped_bytes, s.lost_bytes, s.last_error, s.read_at,
                s.gone, s.pending, s.owner, sqlite::Blob{s.carried}, sqlite::Blob{s.state}, more...);
}

// Of rows of id and format: those that are no traces. The samples of these stay, so they are known further: what else
// came of them, or if they were imported again, would lack its header or be there twice.
std::vector<std::int64_t> but_traces(sqlite::Rows rows) {
  std::vector<std::int64_t> ids;
  while (rows.next())
    if (!is_trace_format(rows.get<std::string>(1))) ids.push_back(rows.get<std::int64_t>(0));
  return ids;
}

}  // namespace

std::string select_sources(bool with_state) {
  return std::string("SELECT id, ") + kSourceColumns + (with_state ? ", tracker_state" : ", x''") +
         " FROM sources ";
}

SourceRow read_source(const sqlite::Rows& row) {
  SourceRow s;
  s.id = row.get<std::int64_t>(0);
  s.path = row.get<std::string>(1);
  s.kind = row.get<std::string>(2);
  s.format = row.get<std::string>(3);
  s.identity = row.get<std::string>(4);
  s.offset = row.get<std::int64_t>(5);
  s.marker = row.get<std::string>(6);
  s.head = row.get<std::string>(7);
  s.size = row.get<std::int64_t>(8);
  s.lines = row.get<std::int64_t>(9);
  s.matched = row.get<std::int64_t>(10);
  s.unmatched = row.get<std::int64_t>(11);
  s.truncated = row.get<std::int64_t>(12);
  s.rejected = row.get<std::int64_t>(13);
  s.skipped_bytes = row.get<std::int64_t>(14);
  s.lost_bytes = row.get<std::int64_t>(15);
  s.last_error = row.get<std::string>(16);
  s.read_at = row.get<std::optional<Instant>>(17);
  s.gone = row.get<bool>(18);
  s.pending = row.get<bool>(19);
  s.owner = row.get<std::optional<std::int64_t>>(20);
  s.carried = row.get<sqlite::Blob>(21).bytes;
  s.state = row.get<sqlite::Blob>(22).bytes;
  return s;
}

SourceTable::SourceTable(sqlite::Connection& c, std::int64_t most_finished)
    : connection_(c),
      most_finished_(most_finished),
      insert_(c, std::string("INSERT INTO sources (") + kSourceColumns + ", tracker_state) VALUES (" +
                     kPlaces + ", ?22)"),
      // Without the columns that are in indexes, which SQLite would write anew for each line read.
      update_(c,
              "UPDATE sources SET (kind, format, identity, offset, marker, head, size, lines, matched,"
              " unmatched, truncated, rejected, skipped_bytes, lost_bytes, last_error, read_at, gone, owner,"
              " carried, tracker_state) = (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16,"
              " ?17, ?18, ?20, ?21, ?22) WHERE id = ?23"),
      place_(c, "UPDATE sources SET path = ?2, pending = ?3 WHERE id = ?1 AND (path <> ?2 OR pending <> ?3)"),
      all_(c, select_sources(false) + "ORDER BY id"),
      imports_(c, select_sources(false) + "WHERE head = ? AND kind = 'import' AND NOT pending ORDER BY id"),
      find_(c, select_sources(true) + "WHERE id = ?"),
      find_followed_(
          c, select_sources(true) +
                 "WHERE path = ? AND kind <> 'import' AND NOT pending ORDER BY gone, id DESC LIMIT 1"),
      with_running_runs_(c, "SELECT DISTINCT source_id FROM runs WHERE state = ?"),
      put_finished_(c,
                    "INSERT INTO finished_files VALUES (?1, ?2, ?3, ?4)"
                    " ON CONFLICT DO UPDATE SET path = ?2, source_id = ?3, at = ?4"),
      finished_(c, "SELECT identity, path, source_id, at FROM finished_files ORDER BY at"),
      finished_of_(c, "SELECT identity FROM finished_files WHERE source_id = ?"),
      forget_finished_(c, "DELETE FROM finished_files WHERE at < ?"),
      forget_gone_(c,
                   "DELETE FROM sources WHERE id IN (SELECT id FROM (SELECT id, read_at,"
                   " row_number() OVER (PARTITION BY owner ORDER BY id DESC) AS of_owner FROM sources s"
                   " WHERE gone AND kind = 'file' AND NOT pending"
                   " AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.source_id = s.id)"
                   " AND NOT EXISTS (SELECT 1 FROM forgotten_runs f WHERE f.source_id = s.id))"
                   " WHERE coalesce(read_at, 0) < ?1 OR (coalesce(read_at, 0) < ?2 AND of_owner > ?3))"),
      pending_(c, "SELECT id FROM sources WHERE pending"),
      clear_pending_(c, "UPDATE sources SET pending = 0 WHERE id = ?"),
      remove_(c, "DELETE FROM sources WHERE id = ?"),
      pass_over_(c, kBegun + "lost_bytes = 0 WHERE id = ?"),
      // They refuse none of what comes now, and are known by their start where the log is read again.
      begin_ordinals_(c, "UPDATE forgotten_runs SET ordinal = ordinal - 1000000000 WHERE source_id = ?"),
      tried_(c, "SELECT fingerprint FROM rules_tried"),
      put_tried_(c, "INSERT INTO rules_tried VALUES (1, ?1) ON CONFLICT DO UPDATE SET fingerprint = ?1"),
      look_again_(
          c, kBegun +
                 "offset = 0, marker = '', lost_bytes = 0"
                 " WHERE format = '' AND kind = 'file' AND NOT gone AND offset > 0"
                 // Of these no format is known since they began anew: what was read is to stay forgotten.
                 " AND NOT EXISTS (SELECT 1 FROM forgotten_runs f WHERE f.source_id = sources.id)"),
      without_runs_(
          c,
          "SELECT id FROM sources s WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.source_id = s.id)"
          " ORDER BY id"),
      is_nobodys_(c, "SELECT 1 FROM sources WHERE id = ? AND owner IS NULL"),
      count_of_owner_(c, "SELECT count(*) FROM sources WHERE owner = ? AND NOT pending"),
      without_runs_of_owner_(
          c,
          "SELECT id, format FROM sources s WHERE owner = ? AND NOT pending AND kind <> 'import'"
          " AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.source_id = s.id)"),
      ended_of_owner_(c,
                      "SELECT id, format FROM sources WHERE owner = ? AND NOT pending"
                      " AND (gone OR kind = 'import')"),
      remove_ended_(c,
                    "DELETE FROM sources WHERE id = ?"
                    " AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.source_id = sources.id)"),
      forget_most_finished_(
          c,
          "DELETE FROM finished_files WHERE identity IN (SELECT identity FROM (SELECT f.identity,"
          " row_number() OVER (PARTITION BY s.owner ORDER BY f.at DESC) AS of_owner,"
          " row_number() OVER (PARTITION BY s.id ORDER BY f.at DESC) AS of_source"
          " FROM finished_files f JOIN sources s ON s.id = f.source_id WHERE s.kind <> 'import')"
          " WHERE of_owner > ? AND of_source > 1)") {}

std::int64_t SourceTable::put(const SourceRow& source) {
  if (source.id == 0) {
    write(insert_, source);
    return connection_.last_insert_id();
  }
  write(update_, source, source.id);
  if (connection_.changes() == 0) {
    throw sqlite::Failure(
        SQLITE_NOTFOUND,
        Error{source.path, "the history has no source " + std::to_string(source.id) + " (any more)",
              "it was dropped; reading it anew needs a new one", ErrorKind::not_found});
  }
  place_.run(source.id, source.path, source.pending);
  return source.id;
}

std::vector<std::int64_t> SourceTable::ended_of(std::int64_t uid) {
  return but_traces(ended_of_owner_.query(uid));
}

std::int64_t SourceTable::forget_owner(std::int64_t uid, const std::vector<std::int64_t>& ended) {
  const std::int64_t count = count_of_owner_.number(uid);
  for (const std::int64_t id : but_traces(without_runs_of_owner_.query(uid))) pass_over(id);
  for (const std::int64_t id : ended) remove_ended_.run(id);
  return count;
}

bool SourceTable::is_nobodys(std::int64_t id) {
  return is_nobodys_.query(id).next();
}

std::optional<SourceRow> SourceTable::find(std::int64_t id) {
  auto rows = find_.query(id);
  return rows.next() ? std::optional(read_source(rows)) : std::nullopt;
}

std::optional<SourceRow> SourceTable::find_followed(const std::string& path) {
  auto rows = find_followed_.query(path);
  return rows.next() ? std::optional(read_source(rows)) : std::nullopt;
}

std::vector<std::int64_t> SourceTable::with_running_runs() {
  std::vector<std::int64_t> ids;
  for (auto rows = with_running_runs_.query(codes::word(RunState::running)); rows.next();)
    ids.push_back(rows.get<std::int64_t>(0));
  return ids;
}

std::vector<std::int64_t> SourceTable::without_runs() {
  std::vector<std::int64_t> ids;
  for (auto rows = without_runs_.query(); rows.next();) ids.push_back(rows.get<std::int64_t>(0));
  return ids;
}

void SourceTable::put(const FinishedFile& file, std::int64_t source_id) {
  put_finished_.run(file.identity, file.path, source_id, file.at);
  if (++finished_put_ >= kManyFinished) forget_most_finished();
}

std::vector<SourceRow> SourceTable::all() {
  std::vector<SourceRow> result;
  for (auto rows = all_.query(); rows.next();) result.push_back(read_source(rows));
  return result;
}

std::vector<SourceRow> SourceTable::imports(const std::string& head) {
  std::vector<SourceRow> result;
  for (auto rows = imports_.query(head); rows.next();) result.push_back(read_source(rows));
  return result;
}

std::vector<FinishedFile> SourceTable::finished() {
  std::vector<FinishedFile> result;
  for (auto rows = finished_.query(); rows.next();) {
    result.push_back({rows.get<std::string>(0), rows.get<std::string>(1), rows.get<std::int64_t>(2),
                      rows.get<Instant>(3)});
  }
  return result;
}

std::vector<std::string> SourceTable::finished_of(std::int64_t id) {
  std::vector<std::string> result;
  for (auto rows = finished_of_.query(id); rows.next();) result.push_back(rows.get<std::string>(0));
  return result;
}

void SourceTable::forget_finished(Instant before, Instant gone_before) {
  forget_finished_.run(before);
  forget_gone_.run(before, gone_before, most_finished_);
  forget_most_finished();
}

void SourceTable::forget_most_finished() {
  finished_put_ = 0;
  forget_most_finished_.run(most_finished_);
}

std::vector<std::int64_t> SourceTable::pending() {
  std::vector<std::int64_t> ids;
  for (auto rows = pending_.query(); rows.next();) ids.push_back(rows.get<std::int64_t>(0));
  return ids;
}

void SourceTable::clear_pending(std::int64_t id) {
  clear_pending_.run(id);
}

void SourceTable::pass_over(std::int64_t id) {
  pass_over_.run(id);
  begin_ordinals_.run(id);
}

bool SourceTable::has_tried(const std::string& rules_fingerprint) {
  auto rows = tried_.query();
  return rows.next() && rows.get<std::string_view>(0) == rules_fingerprint;
}

std::int64_t SourceTable::look_again(const std::string& rules_fingerprint) {
  put_tried_.run(rules_fingerprint);
  look_again_.run();
  return connection_.changes();
}

void SourceTable::remove(std::int64_t id) {
  remove_.run(id);
}

}  // namespace etad
