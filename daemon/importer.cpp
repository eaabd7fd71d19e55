#include "daemon/importer.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>
#include <utility>

#include "daemon/content_identity.h"
#include "daemon/follow/contents.h"
#include "daemon/follow/position.h"
#include "daemon/row_account.h"
#include "parsers/lines/log_lines.h"
#include "parsers/log/log_parser.h"
#include "parsers/rules/shape_memory.h"

namespace etad {
namespace {

// What is committed at once: enough to pack well, little enough to leave the writer to others in between.
constexpr std::int64_t kCommitBytes = 2 * 1024 * 1024;
constexpr std::int64_t kComparedBytes = 64 * 1024 * 1024;  // of a compressed file: nobody may write meanwhile

class LogImport final : public service::ImportSession {
 public:
  LogImport(const service::ImportRequest& request, ImportOptions options, SharedWriter& writer,
            std::function<void()> committed, std::vector<SourceRow> sources, std::vector<SourceRow> barren,
            std::vector<FinishedFile> finished);
  ~LogImport() override;

  Result<void> feed(std::string_view bytes) override;
  Result<service::ImportReport> finish() override;

 private:
  LogOptions log_options();
  void feed_line(std::string_view line, std::optional<Instant> time);
  Result<void> meet(const SourceRow& twin);
  bool is_anothers(const SourceRow& twin) const;
  bool is_barren(const SourceRow& row) const;
  bool lies_at(const std::string& path) const;
  bool begins_at(const std::string& path) const;
  Result<void> check_undecided(Writer& history) const;
  Result<bool> came_in_meanwhile(Writer& history) const;
  Result<void> write(Writer& history, std::vector<SourceCommit>& commits);
  void note_runs();
  void count_nothing();
  void end_lines();
  // What the source has not read of the bytes that came, and where it ends before them.
  std::size_t unread() const { return lines_.held() + rest_; }
  std::int64_t end() const { return identity_.size() - static_cast<std::int64_t>(unread()); }
  Result<void> commit();
  Result<void> abandon();
  Result<service::ImportReport> leave();
  Result<service::ImportReport> complete();
  service::ImportReport report() const;

  const service::ImportRequest request_;
  const ImportOptions options_;
  SharedWriter& writer_;
  std::function<void()> committed_;
  std::vector<SourceRow> sources_;
  std::vector<SourceRow> barren_;  // that nothing was made of
  std::int64_t replaces_;          // the import whose place this one takes; 0: none
  std::set<std::string> finished_;
  ContentIdentity identity_;
  ShapeMemory shapes_;
  LogParser parser_;
  SourceRow row_;
  Records records_;
  LogLines lines_;
  // What is at the end and no line yet, and told nothing as one: its bytes, and the lines made of them.
  std::size_t rest_ = 0;
  std::int64_t rest_lines_ = 0;
  bool passing_ = false;    // the content is a followed file's: its follower reads the rest
  bool took_over_ = false;  // goes on where an earlier import of the same log ended
  bool done_ = false;
  std::int64_t uncommitted_ = 0;
  std::int64_t kept_ = 0;  // the offset that the history has of the row
  RowAccount account_;
  service::ImportReport report_;
  std::vector<bool> runs_;      // by ordinal, whether it gave any: of a million runs no more than these bits
  std::set<std::int64_t> met_;  // of barren_: begun logs with which this one begins
};

tl::unexpected<Error> quicker() {
  return fail(ErrorKind::conflict,
              "the same log, or one that begins alike, came into the history while this import ran",
              "import it again: what is there already is not read twice");
}

std::vector<KnownContent> contents_of(const std::vector<SourceRow>& sources) {
  std::vector<KnownContent> out;
  for (const SourceRow& row : sources) {
    if (row.offset > 0) out.push_back({row.id, row.head, row.offset, row.marker});
  }
  return out;
}

LogImport::LogImport(const service::ImportRequest& request, ImportOptions options, SharedWriter& writer,
                     std::function<void()> committed, std::vector<SourceRow> sources,
                     std::vector<SourceRow> barren, std::vector<FinishedFile> finished)
    : request_(request),
      options_(std::move(options)),
      writer_(writer),
      committed_(std::move(committed)),
      sources_(std::move(sources)),
      barren_(std::move(barren)),
      replaces_(request.replaces),
      identity_(contents_of(sources_)),
      parser_(log_options()),
      lines_(options_.line_limit,
             [this](std::string_view line, std::optional<Instant> time) { feed_line(line, time); }) {
  for (const FinishedFile& file : finished) finished_.emplace(follow::content_of_finished(file.identity));
  std::erase_if(sources_,
                [](const SourceRow& row) { return row.offset <= 0; });  // as contents_of counts them
  row_.path = request_.name;
  row_.kind = "import";
  row_.owner = request.owner;
  row_.pending = true;
}

// Whatever was not finished never was.
LogImport::~LogImport() {
  if (!done_) static_cast<void>(abandon());
}

LogOptions LogImport::log_options() {
  const auto columns = request_.labels.find("columns");
  return {options_.formats.get(),
          request_.format.empty() ? "auto" : request_.format,
          options_.host,
          request_.labels,
          options_.zone,
          columns == request_.labels.end() ? std::vector<std::string>() : split_columns(columns->second),
          [beside = request_.beside](const std::string& name) {
            const auto sent = beside.find(name);
            return sent == beside.end() ? std::string() : sent->second;
          },
          &shapes_};
}

Result<void> LogImport::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    // In steps that end where a known content ends, so that it can be compared there.
    const std::string_view step = bytes.substr(0, identity_.until_next(bytes.size()));
    bytes.remove_prefix(step.size());
    const std::ptrdiff_t twin = identity_.pass(step, lines_.held());
    if (!passing_) lines_.feed(step);
    uncommitted_ += passing_ ? 0 : static_cast<std::int64_t>(step.size());
    if (twin >= 0 && !passing_) {
      if (auto met = meet(sources_[static_cast<std::size_t>(twin)]); !met) return met;
    }
    if (uncommitted_ >= kCommitBytes) {
      if (auto kept = commit(); !kept) return kept;
    }
  }
  return {};
}

void LogImport::feed_line(std::string_view line, std::optional<Instant> time) {
  ++report_.lines;
  parser_.feed(line, time, request_.modified.value_or(options_.now()), records_);
}

void LogImport::note_runs() {
  for (const Run& run : records_.runs) {
    const auto at = static_cast<std::size_t>(run.ordinal);
    if (at >= runs_.size()) runs_.resize(at + 1);
    runs_[at] = true;
  }
}

// What was counted so far is there already.
void LogImport::count_nothing() {
  runs_.clear();
  report_.segments = report_.samples = report_.rejected = 0;
  report_.already_read = true;
}

// What has passed so far is what the history holds of `twin`. If an import made that, this one goes on in its
// place; if a followed file did, its follower reads on by itself.
Result<void> LogImport::meet(const SourceRow& twin) {
  if (is_barren(twin) || is_anothers(twin)) {
    met_.insert(twin.id);
    return {};
  }
  if (auto gone = abandon(); !gone) return gone;
  lines_.clear();
  lines_.take_losses();
  records_.clear();
  count_nothing();
  if (twin.kind != "import") {
    passing_ = true;
    return {};
  }
  auto whole = writer_.with([&](Writer& writer) { return writer.source(twin.id); });
  if (!whole) return tl::unexpected(whole.error());
  auto parser = *whole ? LogParser::restore(log_options(), (*whole)->state) : tl::unexpected(Error{});
  if (!parser) {
    passing_ = true;  // how its runs stood can't be known any more; better nothing than something twice
    return {};
  }
  parser_ = std::move(*parser);
  account_ = {};
  if ((*whole)->kind != "import" || (*whole)->offset != twin.offset) return quicker();
  row_ = twin;
  kept_ = twin.offset;
  row_.path = request_.name;
  took_over_ = true;
  return {};
}

// Whether the file there begins with all that has passed.
bool LogImport::lies_at(const std::string& path) const {
  const auto part = follow::part_of_finished(identity_.finished());
  const auto own = options_.files == nullptr ? follow::posix_filesystem() : nullptr;
  follow::Contents contents(own ? *own : *options_.files, kComparedBytes);
  contents.begin_turn(kComparedBytes);
  const auto file = part ? contents.open_if(path, *part) : tl::unexpected(ENOENT);
  return file && file->content;
}

// Whether the file there begins as this log does, by a kilobyte, and goes on growing perhaps.
bool LogImport::begins_at(const std::string& path) const {
  const auto own = options_.files == nullptr ? follow::posix_filesystem() : nullptr;
  follow::Contents contents(own ? *own : *options_.files, kComparedBytes);
  contents.begin_turn(kComparedBytes);
  const auto file = contents.open(path);
  const auto head = file ? follow::head_of(*file->content) : tl::unexpected(file.error());
  return head && head->length == follow::kHeadBytes && head->text() == identity_.head();
}

// Who has a followed file that begins as this log keeps nobody else from importing all of it: at the end it is seen
// whether that file holds as much.
bool LogImport::is_anothers(const SourceRow& twin) const {
  const auto& owner = twin.owner;
  return twin.kind != "import" && twin.path != request_.name && owner && *owner != 0 &&
         owner != request_.owner;
}

// Nor has anything been made of it since.
bool LogImport::is_barren(const SourceRow& row) const {
  const auto same = [&](const SourceRow& then) { return then.id == row.id && then.format == row.format; };
  return std::any_of(barren_.begin(), barren_.end(), same);
}

// A log that is followed while too little of it is read to say what it is: its follower is going to make the same runs
// of what it has read. One that is no longer than what was read in vain is not held against anybody.
Result<void> LogImport::check_undecided(Writer& history) const {
  for (const SourceRow& then : barren_) {
    if (then.kind == "import") continue;
    const auto row = history.source(then.id);
    if (!row) return tl::unexpected(row.error());
    const bool is_left = !*row || (*row)->gone || (*row)->offset == identity_.size() || is_anothers(**row);
    if (is_left || !identity_.begins_as((*row)->head) || !(met_.contains(then.id) || lies_at(then.path)))
      continue;
    return fail(
        ErrorKind::conflict, "it is followed as " + then.path + ", and not yet known what it is",
        "what is there counts once it is known; where it stays unknown, `format` in its [[source]] says it: "
        "`etactl reread " +
            std::to_string(then.id) + "`");
  }
  return {};
}

// Whether the history has this log by now: another import, or a follower, may have been quicker. Asked under
// the lock under which the import becomes visible, so that of several the first one stays.
Result<bool> LogImport::came_in_meanwhile(Writer& history) const {
  const auto rows = history.sources();
  if (!rows) return tl::unexpected(rows.error());
  for (const SourceRow& row : *rows) {
    const bool begun = row.offset > 0;
    if (row.pending || row.id == row_.id || row.id == replaces_ || is_barren(row) ||
        (begun && !identity_.begins_as(row.head)))
      continue;
    const auto known = std::find_if(sources_.begin(), sources_.end(),
                                    [&](const SourceRow& then) { return then.id == row.id; });
    const bool was_known = known != sources_.end();
    // It was compared where it stood when this import began, and is another log that has gone on since.
    const bool was_another = was_known && !met_.contains(row.id);
    if (was_another && known->offset <= std::min(identity_.size(), row.offset)) continue;
    if (row.offset == row_.offset) {
      if (row.marker == row_.marker) return true;
      continue;
    }
    if (begun && row.offset > row_.offset) {  // this is the log as it was once
      const auto earlier = history.is_beginning(row_.id, row.id);
      if (!earlier || *earlier) return earlier;
    }
    // A follower reads on: what counts is that it is going to come to where ours ends, or has passed there.
    if (row.kind != "import" && lies_at(row.path)) return true;
    if (begun ? !was_known : row.kind != "import" && begins_at(row.path)) return quicker();
  }
  return false;
}

// Under the history's lock. An import that goes on with an earlier one is the only one that does.
Result<void> LogImport::write(Writer& history, std::vector<SourceCommit>& commits) {
  if (took_over_) {
    const auto now = history.source(row_.id);
    if (!now) return tl::unexpected(now.error());
    if (!*now || (*now)->kind != "import" || (*now)->offset != kept_) return quicker();
  }
  if (auto kept = history.commit(commits, options_.now()); !kept) return kept;
  kept_ = row_.offset;
  return {};
}

Result<void> LogImport::commit() {
  account_.close(parser_, records_, row_);
  row_.head = identity_.head(unread());
  row_.offset = end();
  row_.size = identity_.size();
  row_.lines = report_.lines - rest_lines_;
  const LineLosses losses = lines_.take_losses();
  row_.truncated += losses.truncated_lines;
  row_.skipped_bytes += losses.skipped_bytes;
  report_.rejected += records_.rejected;
  row_.read_at = options_.now();
  row_.marker = identity_.marker(unread());
  row_.state = parser_.save();
  note_runs();
  report_.segments += static_cast<std::int64_t>(records_.segments.size());
  report_.samples += static_cast<std::int64_t>(records_.samples());
  std::vector<SourceCommit> commits(1);
  commits[0].source = row_;
  commits[0].records = std::exchange(records_, Records{});
  const auto kept = writer_.with([&](Writer& history) { return write(history, commits); });
  if (!kept) return kept;
  row_.id = commits[0].source.id;
  uncommitted_ = 0;
  return {};
}

Result<void> LogImport::abandon() {
  // An earlier import that we went on with keeps what was committed: each commit was whole.
  if (row_.id == 0 || took_over_) return {};
  const auto dropped = writer_.with([&](Writer& writer) { return writer.drop_source(row_.id); });
  row_.id = 0;
  return dropped;
}

// There is nothing to add: the history has it, or nobody could.
Result<service::ImportReport> LogImport::leave() {
  if (auto gone = abandon(); !gone) return tl::unexpected(gone.error());
  done_ = true;
  return report();
}

Result<service::ImportReport> LogImport::finish() {
  auto report = complete();
  if (!report) return report;
  // Also what was there already: whoever hears that it is in the history may remove the log.
  const auto synced = writer_.with([](Writer& history) { return history.sync(); });
  if (!synced) return tl::unexpected(synced.error());
  return report;
}

// What no newline ends may be half a line of a log that is being written. Where nothing was understood of it, the log
// goes on before it once it has grown.
void LogImport::end_lines() {
  const std::size_t held = lines_.held();
  const std::int64_t lines = report_.lines;
  const std::int64_t matched = parser_.matched();
  const std::string format = parser_.format();
  lines_.finish();
  parser_.settle(records_);
  const bool is_all =
      static_cast<std::int64_t>(held) == identity_.size();  // by nothing could it be known again
  if (is_all || parser_.matched() != matched || parser_.format() != format) return;
  rest_ = held;
  rest_lines_ = report_.lines - lines;
}

Result<service::ImportReport> LogImport::complete() {
  if (!passing_) end_lines();
  const std::string content = identity_.finished(unread());
  if (!took_over_ && (finished_.contains(content) || finished_.contains(identity_.finished()))) {
    count_nothing();
    passing_ = true;
  }
  if (passing_ || parser_.format().empty()) return leave();
  for (const SourceRow& row : barren_)  // the same log, imported before in vain
    if (row.kind == "import" && row.offset == end() && row.marker == identity_.marker(unread()))
      replaces_ = row.id;
  if (auto kept = commit(); !kept) return tl::unexpected(kept.error());
  parser_.close(records_);
  parser_.flush(records_);
  note_runs();
  report_.segments += static_cast<std::int64_t>(records_.segments.size());
  std::vector<SourceCommit> commits(1);
  row_.state = parser_.save();  // behind what closing gave out: a log that has grown goes on from here
  commits[0].source = row_;
  commits[0].records = std::exchange(records_, Records{});
  commits[0].finished.push_back({content, row_.path, row_.id, options_.now()});
  const auto there = writer_.with([&](Writer& history) -> Result<bool> {
    const auto came = took_over_ ? Result<bool>(false) : came_in_meanwhile(history);
    if (!came || *came) return came;
    if (auto checked = check_undecided(history); !checked) return tl::unexpected(checked.error());
    if (auto kept = write(history, commits); !kept) return tl::unexpected(kept.error());
    const auto adopted =
        replaces_ > 0 ? history.replace_source(replaces_, row_.id) : history.adopt_source(row_.id);
    if (!adopted) return tl::unexpected(adopted.error());
    return false;
  });
  if (!there) return tl::unexpected(there.error());
  if (*there) {
    count_nothing();
    return leave();
  }
  done_ = true;
  committed_();
  return report();
}

service::ImportReport LogImport::report() const {
  service::ImportReport out = report_;
  out.matched = parser_.matched();
  out.unmatched = report_.lines - out.matched;
  out.runs = std::count(runs_.begin(), runs_.end(), true);
  out.format = parser_.format();
  out.note = parser_.complaint();
  return out;
}

// What would only show as nothing read is told before anything is.
Result<void> check_request(const service::ImportRequest& request, const ImportOptions& options) {
  const bool named = !request.format.empty() && request.format != "auto";
  if (named && !is_trace_format(request.format) && !options.formats->find(request.format)) {
    return fail("no rule file describes the format '" + request.format + "'",
                "leave it out: it is recognised");
  }
  const auto columns = request.labels.find("columns");
  const auto trace = trace_options(
      request.labels,
      columns == request.labels.end() ? std::vector<std::string>() : split_columns(columns->second),
      options.zone);
  if (!trace) return tl::unexpected(trace.error());
  if (named && is_trace_format(request.format)) {
    if (auto reader = make_trace_reader(request.format, *trace); !reader)
      return tl::unexpected(reader.error());
  }
  return {};
}

Result<void> check_replaced(std::int64_t id, const std::vector<SourceRow>& sources) {
  if (id == 0) return {};
  for (const SourceRow& row : sources) {
    if (row.id != id || row.pending) continue;
    if (row.kind != "import")
      return fail(ErrorKind::conflict, "source " + std::to_string(id) + " is followed", "etactl reread");
    if (is_trace_format(row.format))
      return fail(ErrorKind::conflict, "samples of a trace can't be told from those of another one any more");
    return {};
  }
  return fail(ErrorKind::not_found, "there is no source " + std::to_string(id),
              "it was forgotten, or read again under another id");
}

}  // namespace

Result<std::unique_ptr<service::ImportSession>> begin_log_import(const service::ImportRequest& request,
                                                                 ImportOptions options, SharedWriter& writer,
                                                                 std::function<void()> committed) {
  if (auto checked = check_request(request, options); !checked) return tl::unexpected(checked.error());
  auto sources = writer.with([](Writer& history) { return history.sources(); });
  if (!sources) return tl::unexpected(sources.error());
  auto finished = writer.with([](Writer& history) { return history.finished_files(); });
  if (!finished) return tl::unexpected(finished.error());
  const auto barren = writer.with([](Writer& history) { return history.sources_without_runs(); });
  if (!barren) return tl::unexpected(barren.error());
  if (auto checked = check_replaced(request.replaces, *sources); !checked)
    return tl::unexpected(checked.error());
  // Imports under way in other sessions are not the history's yet. What takes another's place is not held
  // against it, and what nothing was made of is held against nobody: it may be read again.
  std::vector<SourceRow> nothing;
  std::erase_if(*sources, [&](SourceRow& row) {
    const bool made_nothing = row.offset > 0 && std::binary_search(barren->begin(), barren->end(), row.id) &&
                              (row.format.empty() || (row.kind == "import" && !is_trace_format(row.format)));
    if (row.pending || row.id == request.replaces) return true;
    if (made_nothing) nothing.push_back(row);
    return made_nothing && row.kind == "import";
  });
  std::erase_if(*finished, [&](const FinishedFile& file) {
    const auto same = [&](const SourceRow& row) { return row.id == file.source_id; };
    return file.source_id == request.replaces || std::any_of(nothing.begin(), nothing.end(), same);
  });
  return std::make_unique<LogImport>(request, std::move(options), writer, std::move(committed),
                                     std::move(*sources), std::move(nothing), std::move(*finished));
}

}  // namespace etad
