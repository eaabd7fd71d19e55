#include "daemon/ingest.h"

#include <algorithm>
#include <utility>

namespace etad {
namespace {

constexpr std::chrono::milliseconds kFirstRetry{500};
constexpr std::chrono::milliseconds kLongestRetry{30'000};
constexpr std::chrono::seconds kStillLook{5};  // how often open runs are looked at for being lost

// Empties a text and gives its memory back, which an assignment would keep.
void release(std::string& text) {
  std::string().swap(text);
}

}  // namespace

// One stream: its row, its parser, and what the history holds of both.
struct Ingest::Source {
  follow::StreamId stream = 0;
  std::size_t tag = 0;
  SourceRow committed;  // as the history has it
  SourceRow row;        // with what is not committed yet
  LogParser parser;
  std::int64_t parser_matched = 0;  // the parser's counters when last added to the row
  std::int64_t parser_unmatched = 0;
  Instant last_activity{};  // the file's last change, as far as we saw it
  bool caught_up = false;
  bool moved = false;  // something of it awaits the commit
  Records records;
  std::vector<FinishedFile> finished;

  void count(std::int64_t lines) {
    row.lines += lines;
    row.matched += parser.matched() - std::exchange(parser_matched, parser.matched());
    row.unmatched += parser.unmatched() - std::exchange(parser_unmatched, parser.unmatched());
  }
};

Ingest::Ingest(IngestOptions options, SharedWriter& writer, follow::Follower& follower)
    : options_(std::move(options)), writer_(writer), follower_(follower) {}

Ingest::~Ingest() = default;

Result<void> Ingest::restore(const std::function<void(const Error&)>& notice) {
  auto rows = writer_.with([](Writer& writer) { return writer.sources(); });
  if (!rows) return tl::unexpected(rows.error());
  auto finished = writer_.with([](Writer& writer) { return writer.finished_files(); });
  if (!finished) return tl::unexpected(finished.error());
  std::vector<follow::Position> positions;
  for (SourceRow& row : *rows) {
    if (row.kind == "import") continue;
    auto parser = LogParser::restore(log_options(0, row.path), row.state);
    if (!parser) {
      // Reading it again from the beginning would count everything twice: the position stands, the run that
      // was open at it is given up.
      notice({row.path, parser.error().message, parser.error().hint});
      row.state.clear();
    }
    positions.push_back({row.path, row.identity, row.offset, row.marker, row.head, row.size});
    known_[row.path] = std::move(row);
  }
  std::vector<std::string> identities;
  for (const FinishedFile& file : *finished) identities.push_back(file.identity);
  follower_.restore(std::move(positions), std::move(identities));
  return {};
}

LogOptions Ingest::log_options(std::size_t tag, const std::string& path) const {
  LogOptions out;
  out.formats = options_.formats.get();
  out.host = options_.host;
  out.zone = options_.zone;
  if (tag >= options_.sources.size()) return out;
  const SourceRule& rule = options_.sources[tag];
  out.format = rule.format;
  out.labels = rule.path_pattern.labels(path);
  for (const auto& [name, value] : rule.labels) out.labels[name] = value;
  return out;
}

Ingest::Source& Ingest::source_of(follow::StreamId stream, std::size_t tag, const std::string& path) {
  auto& slot = streams_[stream];
  if (slot) return *slot;
  LogOptions options = log_options(tag, path);
  SourceRow row;
  row.path = path;
  if (const auto known = known_.find(path); known != known_.end()) {
    row = std::move(known->second);
    known_.erase(known);
  }
  // A state that can't be restored was told and cleared in restore().
  auto parser = LogParser::restore(options, row.state);
  slot.reset(new Source{stream,
                        tag,
                        row,
                        row,
                        parser ? std::move(*parser) : LogParser(std::move(options)),
                        0,
                        0,
                        row.read_at.value_or(Instant{}),
                        false,
                        false,
                        {},
                        {}});
  release(slot->row.state);
  return *slot;
}

void Ingest::take(Source& source, const follow::Batch& batch, Instant wall) {
  // A line has its time of arrival only when it was seen coming: not while old content is caught up with.
  const std::optional<Instant> arrival = source.caught_up ? std::optional(wall) : std::nullopt;
  for (const follow::Line& line : batch.lines) {
    source.parser.feed(line.text, line.time ? line.time : arrival, batch.modified, source.records);
  }
  const std::int64_t before = source.row.offset;
  SourceRow& row = source.row;
  row.identity = batch.after.identity;
  row.offset = batch.after.offset;
  row.marker = batch.after.marker;
  row.head = batch.after.head;
  row.size = batch.size;
  row.format = source.parser.format();
  row.truncated += batch.truncated_lines;
  row.skipped_bytes += batch.skipped_bytes;
  row.lost_bytes += batch.lost_bytes;
  row.gone = batch.state == follow::State::gone;
  if (batch.error_changed) row.last_error = batch.error;
  if (!batch.lines.empty()) row.read_at = wall;
  source.count(static_cast<std::int64_t>(batch.lines.size()));
  if (!batch.finished.empty()) source.finished.push_back({batch.finished, batch.path, row.id, wall});
  source.last_activity = std::max(source.last_activity, batch.modified);
  source.caught_up = batch.caught_up;
  touch(source);
  counters_.bytes += batch.restarted ? row.offset : std::max<std::int64_t>(0, row.offset - before);
}

void Ingest::touch(Source& source) {
  if (!std::exchange(source.moved, true)) moved_.push_back(&source);
}

void Ingest::close_still_runs(Instant wall) {
  if (wall < next_still_look_) return;
  next_still_look_ = wall + kStillLook;
  for (auto& [stream, source] : streams_) {
    const bool still = source->caught_up && wall - source->last_activity > options_.lost_after;
    if (!still || !source->parser.running()) continue;
    source->parser.close(source->records);
    touch(*source);
  }
}

Result<bool> Ingest::tick(follow::SteadyTime now, Instant wall) {
  if (now < retry_at_) return false;
  const std::vector<follow::Batch> batches = follower_.poll(now, wall, options_.budget);
  for (const follow::Batch& batch : batches)
    take(source_of(batch.stream, batch.tag, batch.path), batch, wall);
  close_still_runs(wall);
  return commit(batches, now, wall);
}

Result<bool> Ingest::commit(const std::vector<follow::Batch>& batches, follow::SteadyTime now, Instant wall) {
  std::vector<SourceCommit> commits;
  for (Source* source : moved_) {
    source->parser.flush(source->records);
    source->row.rejected += source->records.rejected;
    source->row.state = source->parser.save();
    commits.push_back({source->row, std::move(source->records), std::move(source->finished)});
  }
  if (commits.empty()) return false;
  const auto done = writer_.with([&](Writer& writer) { return writer.commit(commits, wall); });
  if (!done) {
    ++counters_.failed_commits;
    roll_back();
    retry_pause_ = std::clamp(retry_pause_ * 2, kFirstRetry, kLongestRetry);
    retry_at_ = now + retry_pause_;
    return tl::unexpected(done.error());
  }
  retry_pause_ = {};
  last_commit_ = wall;
  accept(commits);
  for (const follow::Batch& batch : batches) follower_.committed(batch);
  return true;
}

// The history has it: what was pending is now what a rollback would go back to.
void Ingest::accept(std::vector<SourceCommit>& commits) {
  ++counters_.commits;
  auto done = commits.begin();
  for (Source* source : moved_) {
    SourceCommit& commit = *done++;
    counters_.lines += commit.source.lines - source->committed.lines;
    counters_.matched += commit.source.matched - source->committed.matched;
    counters_.unmatched += commit.source.unmatched - source->committed.unmatched;
    counters_.truncated += commit.source.truncated - source->committed.truncated;
    counters_.rejected += commit.records.rejected;
    counters_.skipped_bytes += commit.source.skipped_bytes - source->committed.skipped_bytes;
    counters_.lost_bytes += commit.source.lost_bytes - source->committed.lost_bytes;
    counters_.segments += static_cast<std::int64_t>(commit.records.segments.size());
    counters_.samples += static_cast<std::int64_t>(commit.records.samples.size());
    source->row.id = commit.source.id;
    source->committed = source->row;
    release(source->row.state);  // one copy of it is enough: it is made anew for the next commit
    source->records.clear();
    source->finished.clear();
    source->moved = false;
  }
  moved_.clear();
}

// The history does not have it: rows, parsers and positions go back to what it does have.
void Ingest::roll_back() {
  for (Source* source : moved_) {
    LogOptions options = log_options(source->tag, source->row.path);
    auto parser = LogParser::restore(options, source->committed.state);
    source->parser = parser ? std::move(*parser) : LogParser(std::move(options));
    source->parser_matched = source->parser_unmatched = 0;
    source->row = source->committed;
    release(source->row.state);
    source->records.clear();
    source->finished.clear();
    source->moved = false;
    source->caught_up = false;
    follower_.rewind(source->stream);
  }
  moved_.clear();
}

follow::SteadyTime Ingest::next_due(follow::SteadyTime now) const {
  return std::max(follower_.next_due(now), retry_at_);
}

}  // namespace etad
