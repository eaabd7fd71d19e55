#include "daemon/importer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "daemon/content_identity.h"
#include "daemon/import_twins.h"
#include "daemon/row_account.h"
#include "daemon/source_labels.h"
#include "parsers/lines/log_lines.h"
#include "parsers/log/log_parser.h"
#include "parsers/rules/shape_memory.h"

namespace etad {
namespace {

// What is committed at once: enough to pack well, little enough to leave the writer to others in between.
constexpr std::int64_t kCommitBytes = 2 * 1024 * 1024;

// What is not said now is as it was said with the import of the same log that left this state.
void recall(std::string_view state, service::ImportRequest& request) {
  StatedOptions told = LogParser::stated_options(state);
  if (request.format.empty()) request.format = std::move(told.format);
  request.labels.merge(told.labels);
}

class LogImport final : public service::ImportSession {
 public:
  LogImport(const service::ImportRequest& request, ImportOptions options, SharedWriter& writer,
            std::function<void()> committed, ImportTwins twins);
  ~LogImport() override;

  Result<void> feed(std::string_view bytes) override;
  Result<service::ImportReport> finish() override;

 private:
  LogOptions log_options();
  void feed_line(std::string_view line, std::optional<Instant> time);
  Result<void> meet(const SourceRow& twin);
  Result<void> write(Writer& history, std::vector<SourceCommit>& commits);
  void note_runs();
  std::size_t rest_behind(std::string_view step) const;
  void count_nothing();
  void end_lines();
  // What the source has not read of the bytes that came, and where it ends before them.
  std::size_t unread() const { return lines_.held() + rest_; }
  std::int64_t end() const { return identity_.size() - static_cast<std::int64_t>(unread()); }
  ImportTwins::SoFar so_far() const { return {identity_, unread(), row_}; }
  Result<void> commit();
  Result<void> abandon();
  Result<void> close_taken_over(Writer& history);
  Result<service::ImportReport> leave();
  Result<service::ImportReport> complete();
  service::ImportReport report() const;

  service::ImportRequest request_;
  const ImportOptions options_;
  SharedWriter& writer_;
  std::function<void()> committed_;
  ImportTwins twins_;
  ContentIdentity identity_;
  ShapeMemory shapes_;
  LogParser parser_;
  SourceRow row_;
  Records records_;
  LogLines lines_;
  // What is at the end and no line yet, and told nothing as one: its bytes, and the lines made of them.
  std::size_t rest_ = 0;
  std::int64_t rest_lines_ = 0;
  std::int64_t matched_before_ = 0;  // lines, before the parser of an earlier import took over
  bool left_to_follower_ = false;    // the content is a followed file's: its follower reads the rest
  bool took_over_ = false;           // goes on where an earlier import of the same log ended
  bool done_ = false;
  std::int64_t uncommitted_ = 0;
  std::int64_t kept_ = 0;  // the offset that the history has of the row
  RowAccount account_;
  service::ImportReport report_;
  std::vector<bool> runs_;  // by ordinal, whether it gave any: of a million runs no more than these bits
};

LogImport::LogImport(const service::ImportRequest& request, ImportOptions options, SharedWriter& writer,
                     std::function<void()> committed, ImportTwins twins)
    : request_(request),
      options_(std::move(options)),
      writer_(writer),
      committed_(std::move(committed)),
      twins_(std::move(twins)),
      identity_(twins_.contents()),
      parser_(log_options()),
      lines_(options_.line_limit,
             [this](std::string_view line, std::optional<Instant> time) { feed_line(line, time); }) {
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
          &shapes_,
          /*saves_told=*/true};
}

Result<void> LogImport::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    // In steps that end where a known content ends, so that it can be compared there.
    const std::string_view step = bytes.substr(0, identity_.until_next(bytes.size()));
    bytes.remove_prefix(step.size());
    const std::ptrdiff_t twin = identity_.pass(step, unread());
    if (left_to_follower_)
      rest_ = rest_behind(step);
    else
      lines_.feed(step);
    uncommitted_ += left_to_follower_ ? 0 : static_cast<std::int64_t>(step.size());
    if (twin >= 0 && !left_to_follower_) {
      const SourceRow* const same = twins_.meet(static_cast<std::size_t>(twin));
      if (auto met = same ? meet(*same) : Result<void>(); !met) return met;
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
  if (const auto from = records_.withdrawn)
    runs_.resize(std::min(runs_.size(), static_cast<std::size_t>(*from)));
  for (const Run& run : records_.runs) {
    const auto at = static_cast<std::size_t>(run.ordinal);
    if (at >= runs_.size()) runs_.resize(at + 1);
    runs_[at] = true;
  }
}

// How many of the bytes that its follower reads make no line yet; no more of them than a line may have.
std::size_t LogImport::rest_behind(std::string_view step) const {
  const auto newline = step.rfind('\n');
  const std::size_t rest =
      newline == std::string_view::npos ? rest_ + step.size() : step.size() - newline - 1;
  return std::min(rest, options_.line_limit);
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
  if (auto gone = abandon(); !gone) return gone;
  lines_.clear();
  lines_.take_losses();
  records_.clear();
  count_nothing();
  if (twin.kind != "import") {
    left_to_follower_ = true;
    return {};
  }
  auto whole = writer_.with([&](Writer& writer) { return writer.source(twin.id); });
  if (!whole) return tl::unexpected(whole.error());
  if (!*whole) return ImportTwins::was_forgotten();
  recall((*whole)->state, request_);
  auto parser = LogParser::restore(log_options(), (*whole)->state);
  if (!parser) {
    // How its runs stood can't be known any more; better nothing than something twice.
    left_to_follower_ = true;
    return {};
  }
  matched_before_ += parser_.matched();
  parser_ = std::move(*parser);
  account_ = {};
  if ((*whole)->kind != "import" || (*whole)->offset != twin.offset) return ImportTwins::another_was_first();
  row_ = twin;
  kept_ = twin.offset;
  row_.path = request_.name;
  took_over_ = true;
  return {};
}

// Under the history's lock. An import that goes on with an earlier one is the only one that does.
Result<void> LogImport::write(Writer& history, std::vector<SourceCommit>& commits) {
  if (took_over_) {
    const auto now = history.source(row_.id);
    if (!now) return tl::unexpected(now.error());
    if (!*now) return ImportTwins::was_forgotten();
    if ((*now)->kind != "import" || (*now)->offset != kept_) return ImportTwins::another_was_first();
    const auto came = twins_.came_in_meanwhile(history, so_far());
    if (!came || *came) return came ? ImportTwins::another_was_first() : tl::unexpected(came.error());
  }
  if (auto kept = history.commit(commits, options_.now()); !kept) return kept;
  kept_ = row_.offset;
  return {};
}

Result<void> LogImport::commit() {
  account_.close(parser_, records_, row_, options_.now());
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
  if (took_over_) return writer_.with([&](Writer& history) { return close_taken_over(history); });
  if (row_.id == 0) return {};
  const auto dropped = writer_.with([&](Writer& writer) { return writer.drop_source(row_.id); });
  row_.id = 0;
  return dropped;
}

// An earlier import that we went on with keeps what was committed: each commit was whole. The run in which the last one
// ended is closed, as at an import's end: nobody may ever go on with it.
Result<void> LogImport::close_taken_over(Writer& history) {
  auto row = history.source(row_.id);
  if (!row) return tl::unexpected(row.error());
  if (!*row || (*row)->kind != "import" || (*row)->offset != kept_)
    return {};  // somebody has gone on with it
  auto parser = LogParser::restore(log_options(), (*row)->state);
  if (!parser) return tl::unexpected(parser.error());
  if (!parser->running()) return {};
  std::vector<SourceCommit> commits(1);
  parser->close(commits[0].records);
  parser->flush(commits[0].records);
  (*row)->state = parser->save();
  commits[0].source = std::move(**row);
  return history.commit(commits, options_.now());
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
  if (!left_to_follower_) {
    end_lines();
    if (auto checked = twins_.check_replaced(); !checked) return tl::unexpected(checked.error());
  }
  const std::string content = identity_.finished(unread());
  const auto was_finished = writer_.with([&](Writer& history) -> Result<bool> {
    return took_over_ ? false : twins_.was_finished(history, so_far());
  });
  if (!was_finished) return tl::unexpected(was_finished.error());
  if (*was_finished) {
    count_nothing();
    return leave();
  }
  if (left_to_follower_) {
    const auto checked = writer_.with([&](Writer& history) { return twins_.check_rest(history, so_far()); });
    if (!checked) return tl::unexpected(checked.error());
  }
  if (left_to_follower_ || parser_.format().empty()) return leave();
  twins_.note_end(so_far());
  if (took_over_) {  // its commits show at once
    const auto came =
        writer_.with([&](Writer& history) { return twins_.came_in_meanwhile(history, so_far()); });
    if (!came) return tl::unexpected(came.error());
    if (*came) {
      count_nothing();
      return leave();
    }
  }
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
    const auto came = took_over_ ? Result<bool>(false) : twins_.came_in_meanwhile(history, so_far());
    if (!came || *came) return came;
    if (auto checked = twins_.check_undecided(history, identity_); !checked)
      return tl::unexpected(checked.error());
    if (auto checked = twins_.check_rest(history, so_far()); !checked) return tl::unexpected(checked.error());
    if (auto kept = write(history, commits); !kept) return tl::unexpected(kept.error());
    const auto adopted = twins_.replaces() > 0 ? history.replace_source(twins_.replaces(), row_.id)
                                               : history.adopt_source(row_.id);
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
  out.matched = matched_before_ + parser_.matched();
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
  for (const auto& [name, value] : request.labels) {
    if (auto right = check_source_label(name, value); !right) return right;
    if (auto unknown = unknown_source_label(name); unknown && name != "columns")
      return tl::unexpected(std::move(*unknown));
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

}  // namespace

Result<std::unique_ptr<service::ImportSession>> begin_log_import(const service::ImportRequest& request,
                                                                 ImportOptions options, SharedWriter& writer,
                                                                 std::function<void()> committed) {
  service::ImportRequest said = request;
  if (request.replaces > 0) {
    const auto old = writer.with([&](Writer& history) { return history.source(request.replaces); });
    if (!old) return tl::unexpected(old.error());
    if (*old) recall((*old)->state, said);
  }
  if (auto checked = check_request(said, options); !checked) return tl::unexpected(checked.error());
  auto twins = ImportTwins::of_now(request, options.files, writer);
  if (!twins) return tl::unexpected(twins.error());
  return std::make_unique<LogImport>(said, std::move(options), writer, std::move(committed),
                                     std::move(*twins));
}

}  // namespace etad
