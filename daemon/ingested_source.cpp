#include "daemon/ingested_source.h"

#include <algorithm>
#include <span>
#include <utility>

#include "storage/series_table.h"

namespace etad {
namespace {

// What a source's row counts, and the sum of all sources.
constexpr std::pair<std::int64_t SourceRow::*, std::int64_t IngestCounters::*> kCounted[] = {
    {&SourceRow::lines, &IngestCounters::lines},
    {&SourceRow::matched, &IngestCounters::matched},
    {&SourceRow::unmatched, &IngestCounters::unmatched},
    {&SourceRow::truncated, &IngestCounters::truncated},
    {&SourceRow::rejected, &IngestCounters::rejected},
    {&SourceRow::skipped_bytes, &IngestCounters::skipped_bytes},
    {&SourceRow::lost_bytes, &IngestCounters::lost_bytes}};

void stand_at(SourceRow& row, const follow::Position& at) {
  row.identity = at.identity;
  row.offset = at.offset;
  row.marker = at.marker;
  row.head = at.head;
  row.carried = at.carried;
  row.size = at.size;
}

// Whether a line says anything where the parser stands now.
bool says_something(const LogParser& parser, const LogOptions& options, std::string_view line,
                    const follow::Batch& batch) {
  auto trial = LogParser::restore(options, parser.save());
  Records ignored;
  if (trial) trial->feed(line, std::nullopt, batch.modified, ignored);
  return trial && trial->matched() > 0;
}

}  // namespace

follow::Position position_of(const SourceRow& row) {
  return {row.path, row.identity, row.offset, row.marker, row.head, row.size, row.carried, row.owner};
}

SourceRow begun_anew(SourceRow old) {
  SourceRow row;
  stand_at(row, position_of(old));
  row.path = std::move(old.path);
  row.kind = std::move(old.kind);
  row.gone = old.gone;
  return row;
}

bool can_not_be_read(const SourceRow& row) {
  return !row.last_error.empty() && !LogParser::is_complaint(row.last_error);
}

bool IngestedSource::is_news(const follow::Batch& batch) const {
  return id == 0 || !batch.lines.empty() || !batch.finished.empty() || batch.restarted || batch.refound ||
         batch.error_changed || batch.truncated_lines > 0 || batch.skipped_bytes > 0 ||
         batch.lost_bytes > 0 || batch.after.offset != offset ||
         (batch.state == follow::State::gone) != gone ||
         (has_error && batch.state == follow::State::following);
}

AwakeSource::AwakeSource(SourceRow from, LogParser with) : row(std::move(from)), parser(std::move(with)) {
  std::string().swap(row.state);  // it is made anew for each commit
  note_committed();
}

std::int64_t AwakeSource::take(const follow::Batch& batch, const LogOptions& options,
                               std::optional<Instant> arrival, Instant wall,
                               const std::function<void()>& alive) {
  constexpr std::size_t kToldAfter = 1024;  // lines: of some so many take a tenth of a second
  std::span<const Line> lines(batch.lines);
  // The first line was taken before it was ended. What it said then stands and is not said twice; where that
  // was nothing, the whole line speaks now.
  if (!batch.torn.empty() && !lines.empty() && says_something(parser, options, batch.torn, batch))
    lines = lines.subspan(1);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i % kToldAfter == 0) alive();
    const Line& line = lines[i];
    parser.feed(line.text, line.time ? line.time : arrival, batch.modified, records);
  }
  const std::int64_t before = batch.restarted ? 0 : row.offset;
  stand_at(row, batch.after);
  bytes += std::max<std::int64_t>(0, row.offset - before);
  if (batch.owner) row.owner = batch.owner;
  row.lines += static_cast<std::int64_t>(batch.lines.size()) - (batch.torn.empty() ? 0 : 1);
  row.truncated += batch.truncated_lines;
  row.skipped_bytes += batch.skipped_bytes;
  row.lost_bytes += batch.lost_bytes;
  row.gone = batch.state == follow::State::gone;
  if (batch.error_changed) row.last_error = batch.error;
  if (batch.state == follow::State::following) row.last_error.clear();
  if (!batch.lines.empty()) row.read_at = wall;
  if (!batch.finished.empty()) finished.push_back({batch.finished, batch.path, row.id, wall});
  const std::int64_t rows = SeriesTable::rows_of(records);
  return rows - std::exchange(sample_rows, rows);
}

SourceCommit AwakeSource::commit(Instant now) {
  account.close(parser, records, row, now);
  SourceCommit out{row, std::move(records), std::move(finished), std::exchange(bytes, 0)};
  out.source.state = parser.save();
  state_bytes = out.source.state.size() + parser.kept_bytes();
  records = Records{};
  sample_rows = 0;
  records.expect_samples_as_in(out.records);
  finished.clear();
  return out;
}

void AwakeSource::add_to(IngestCounters& counters) const {
  for (const auto& [of_row, of_all] : kCounted) counters.*of_all += row.*of_row - committed.*of_all;
}

void AwakeSource::note_committed() {
  for (const auto& [of_row, of_all] : kCounted) committed.*of_all = row.*of_row;
}

}  // namespace etad
