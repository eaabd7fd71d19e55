#include "daemon/ingest.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <span>
#include <utility>

#include "daemon/follow/beside.h"
#include "daemon/follow/filesystem.h"
#include "daemon/follow/identity.h"
#include "daemon/follow/journal.h"
#include "parsers/rules/shape_memory.h"

namespace etad {
namespace {

constexpr std::chrono::milliseconds kFirstRetry{500};
constexpr std::chrono::milliseconds kLongestRetry{30'000};
// A commit's: rows of samples by series and hour, each of which makes three in the history. More go with the next one, for
// whoever writes waits for it, others' lines with them: a trace that shows one sample an hour fills a commit by its names.
constexpr std::int64_t kMostSampleRows = 8'192;
constexpr std::chrono::microseconds kCommitOfEach{15};  // of these rows, as measured
constexpr int kMostAsked =
    64;  // sources of as many bytes, whose rows are read to find what a file was read as

// The first lines of a log that somebody has just begun, and not of one that was copied here: they came now.
bool was_just_begun(const follow::Batch& batch, Instant wall) {
  constexpr std::chrono::seconds kJust{2};
  constexpr std::int64_t kFewBytes = 16 * 1024;
  return batch.born <= wall && wall - batch.born <= kJust && batch.modified >= batch.born &&
         batch.size <= kFewBytes;
}

std::string content_of(const SourceRow& row) {
  return follow::finished_identity(row.head, row.offset, row.marker);
}

// Whether what the history has of `source` is in `import`, too.
Result<bool> is_beginning_of(Writer& writer, std::int64_t source, std::int64_t import) {
  const auto finished = writer.finished_files();
  if (!finished) return tl::unexpected(finished.error());
  const auto is_of_it = [&](const FinishedFile& file) { return file.source_id == source; };
  if (std::ranges::any_of(*finished, is_of_it)) return false;
  const auto without_runs = writer.sources_without_runs();
  if (!without_runs) return tl::unexpected(without_runs.error());
  if (std::ranges::binary_search(*without_runs, source)) return true;
  return writer.is_beginning(source, import);
}

}  // namespace

Ingest::Ingest(IngestOptions options, SharedWriter& writer, follow::Follower& follower)
    : options_(std::move(options)),
      writer_(writer),
      follower_(follower),
      rules_look_(writer, options_.formats.get()),
      shapes_(std::make_unique<ShapeMemory>()) {}

Ingest::~Ingest() = default;

Result<void> Ingest::restore(Instant wall) {
  if (auto noted = rules_look_.begin(); !noted) return noted;
  auto rows = writer_.with([](Writer& writer) { return writer.sources(); });
  if (!rows) return tl::unexpected(rows.error());
  auto running = writer_.with([](Writer& writer) { return writer.sources_with_running_runs(); });
  if (!running) return tl::unexpected(running.error());
  auto finished = writer_.with([](Writer& writer) { return writer.finished_files(); });
  if (!finished) return tl::unexpected(finished.error());
  std::sort(running->begin(), running->end());
  std::stable_partition(rows->begin(), rows->end(), [](const SourceRow& row) { return row.gone; });
  std::vector<follow::Position> positions;
  for (const SourceRow& row : *rows) {
    last_read_ = std::max(last_read_, row.read_at.value_or(Instant{}));
    if (row.kind == "import" || row.pending) continue;
    const bool runs = std::binary_search(running->begin(), running->end(), row.id);
    if (row.gone && !runs && wall - row.read_at.value_or(Instant{}) > options_.forget_after) continue;
    IngestedSource& source = remember(row);
    source.running = runs;
    source.unwatched = !follower_.is_watched(row.path);
    if (!row.gone && source.unwatched) unwatched_.push_back(row.path);
    positions.push_back(position_of(row));
  }
  std::vector<std::string> identities;
  for (FinishedFile& file : *finished) identities.push_back(std::move(file.identity));
  follower_.restore(
      std::move(positions), std::move(identities), [this](const std::string& path) { return recall(path); },
      options_.pending
          ? follow::Imports{}
          : follow::Imports{[this](const std::string& head) { return imports(head); },
                            [this](const std::string& path, const std::string& identity,
                                   std::optional<std::int64_t> owner, const std::string& imported) {
                              return go_on(path, identity, owner, imported);
                            }});
  return {};
}

// A source as the history has it. Of several rows of one path the last counts.
IngestedSource& Ingest::remember(const SourceRow& row) {
  const auto known = sources_.find(row.path);
  auto made = known == sources_.end() ? std::make_unique<IngestedSource>() : nullptr;
  IngestedSource& source = made ? *made : *known->second;
  if (source.awake) return source;  // it knows better
  source.path = row.path;
  source.id = row.id;
  source.offset = row.offset;
  source.used = now_;
  source.modified = row.read_at.value_or(Instant{});
  source.running = source.plan_done = true;  // nobody knows: waking it will tell
  source.gone = row.gone;
  source.has_error = can_not_be_read(row);
  if (made) sources_.emplace(source.path, std::move(made));
  return source;
}

// Where a file that the follower takes up (again) was left.
tl::expected<std::optional<follow::Position>, int> Ingest::recall(const std::string& path) {
  const auto row = writer_.with([&](Writer& writer) { return writer.followed_source(path); });
  if (!row) return tl::unexpected(EIO);
  if (!*row) return std::nullopt;
  remember(**row);
  return position_of(**row);
}

tl::expected<std::vector<std::string>, int> Ingest::imports(const std::string& head) {
  const auto rows = writer_.with([&](Writer& writer) { return writer.imports(head); });
  if (!rows) return tl::unexpected(EIO);
  std::vector<std::string> out;
  for (const SourceRow& row : *rows) out.push_back(content_of(row));
  return out;
}

// An import that a file has grown beyond: its source is the file's from now on, so that no other import goes on with it,
// too.
tl::expected<bool, int> Ingest::go_on(const std::string& path, const std::string& identity,
                                      std::optional<std::int64_t> owner, const std::string& imported) {
  const auto known = sources_.find(path);
  const bool is_kept = known != sources_.end() && known->second->id != 0;
  if (is_kept && !wake(*known->second)) return tl::unexpected(EIO);
  const auto taken = writer_.with([&](Writer& writer) {
    return take_import(writer, is_kept ? known->second.get() : nullptr, path, identity, owner, imported);
  });
  if (taken && !*taken) return false;
  if (!taken && taken.error().kind == ErrorKind::conflict) return tl::unexpected(EPERM);
  if (known != sources_.end()) {  // where something failed, the history knows how much of it was done
    std::erase(awake_, known->second.get());
    sources_.erase(known);
  }
  if (!taken) return tl::unexpected(EIO);
  remember(**taken);
  return true;
}

// `before`: what the path had so far. If that is no more than the file's beginning, which is in the import, it goes. If it
// is of files that lay there before, it ends. Who copies another's log goes on with nobody's runs: the import's file is
// known by the path that it was told, or by whose both are.
Result<std::optional<SourceRow>> Ingest::take_import(Writer& writer, IngestedSource* before,
                                                     const std::string& path, const std::string& identity,
                                                     std::optional<std::int64_t> owner,
                                                     const std::string& imported) const {
  const auto part = follow::part_of_finished(imported);
  if (!part) return std::nullopt;
  const auto rows = writer.imports(part->head.text());
  if (!rows) return tl::unexpected(rows.error());
  const auto found = std::ranges::find(*rows, imported, content_of);
  if (found == rows->end()) return std::nullopt;
  auto row = writer.source(found->id);
  if (!row || !*row) return row;
  if ((*row)->path != path && !follow::may_be_of((*row)->owner, owner))
    return fail(ErrorKind::conflict, "the import is of another user's log");
  (*row)->kind = "file";
  (*row)->path = path;
  (*row)->identity = identity;
  std::vector<SourceCommit> commits;
  if (before != nullptr) {
    const auto begun = is_beginning_of(writer, before->id, found->id);
    if (!begun) return tl::unexpected(begun.error());
    if (*begun) {
      if (auto gone = writer.drop_source(before->id); !gone) return tl::unexpected(gone.error());
    } else {
      before->awake->parser.close(before->awake->records);
      before->awake->row.gone = true;
      commits.push_back(before->awake->commit(wall_));
    }
  }
  commits.push_back({**row, {}, {}});
  if (auto kept = writer.commit(commits, wall_); !kept) return tl::unexpected(kept.error());
  return row;
}

Result<IngestedSource*> Ingest::source_of(const follow::Batch& batch) {
  if (const auto known = sources_.find(batch.path); known != sources_.end()) return known->second.get();
  SourceRow begun;
  begun.path = batch.path;
  if (options_.pending) return &remember(begun);
  const auto row = writer_.with([&](Writer& writer) { return writer.followed_source(batch.path); });
  if (!row) return tl::unexpected(row.error());
  return &remember(*row ? **row : begun);
}

LogOptions Ingest::log_options(const IngestedSource& source) const {
  LogOptions out;
  if (options_.files != nullptr)
    out.beside = [files = options_.files, path = source.path](const std::string& name) {
      return follow::text_beside(*files, path, name);
    };
  out.formats = options_.formats.get();
  out.host = options_.host;
  out.zone = options_.zone;
  out.shapes = shapes_.get();
  if (source.tag >= options_.sources.size()) return out;
  const SourceRule& rule = options_.sources[source.tag];
  out.format = rule.format;
  out.labels = rule.path_pattern.labels(source.path);
  for (const auto& [name, value] : rule.labels) out.labels[name] = value;
  out.columns = rule.columns;
  return out;
}

void Ingest::prepare(SourceRow& row, const std::string& path) const {
  row.path = path;
  row.kind = follow::is_journal(path) ? "journal" : "file";
  row.pending = options_.pending;
}

// Another user's file lies where the source's lay: that has ended, and this one is a source of its own. Else its lines
// would count to a run of somebody else's.
Result<void> Ingest::part_from_others(IngestedSource& source, const follow::Batch& batch) {
  if (!batch.restarted) return {};
  const auto awake = wake(source);
  if (!awake) return tl::unexpected(awake.error());
  if (follow::may_be_of((*awake)->row.owner, batch.owner)) return {};
  (*awake)->parser.close((*awake)->records);
  (*awake)->row.gone = true;
  ended_.emplace_back(&source, std::move(source.awake));
  SourceRow row;
  prepare(row, source.path);
  source.id = 0;
  source.open_run = source.told_run = -1;
  source.awake = std::make_unique<AwakeSource>(std::move(row), LogParser(log_options(source)));
  return {};
}

// Of the source that has read what the batch's file was taken up behind. None: it has gone on since, or is no more.
Result<std::optional<std::string>> Ingest::state_behind(const IngestedSource& source,
                                                        const follow::Batch& batch) {
  const auto part = follow::part_of_finished(batch.read_elsewhere);
  if (!part) return std::nullopt;
  if (!by_offset_) {
    by_offset_.emplace();
    for (const auto& [path, each] : sources_)
      by_offset_->emplace(each->awake ? each->awake->row.offset : each->offset, path);
  }
  const auto [first, last] = by_offset_->equal_range(part->offset);
  int asked = 0;
  for (auto each = first; each != last && asked < kMostAsked; ++each) {
    const auto known = sources_.find(each->second);
    if (known == sources_.end() || known->second.get() == &source) continue;
    const IngestedSource& other = *known->second;
    ++asked;
    auto kept = other.awake || other.id == 0
                    ? Result<std::optional<SourceRow>>(std::nullopt)
                    : writer_.with([&](Writer& writer) { return writer.source(other.id); });
    if (!kept) return tl::unexpected(kept.error());
    const SourceRow* const row = other.awake ? &other.awake->row : *kept ? &**kept : nullptr;
    if (row == nullptr || row->lines == 0 || content_of(*row) != batch.read_elsewhere) continue;
    if (follow::may_be_of(row->owner, batch.owner))
      return other.awake ? other.awake->parser.save() : row->state;
  }
  return std::nullopt;
}

// A file that was taken up behind what was read of it under another path lacks the lines that say what it holds: a table's
// header. So they are known as they were there; the run that went on there is that source's.
Result<void> Ingest::understand_as_before(IngestedSource& source, const follow::Batch& batch) {
  if (batch.read_elsewhere.empty() || options_.pending) return {};
  const auto awake = wake(source);
  if (!awake) return tl::unexpected(awake.error());
  if ((*awake)->row.lines > 0) return {};
  const auto state = state_behind(source, batch);
  if (!state) return tl::unexpected(state.error());
  auto parser = *state ? LogParser::restore(log_options(source), **state)
                       : Result<LogParser>(LogParser(log_options(source)));
  if (!*state || !parser) return {};
  Records of_the_other;
  parser->close(of_the_other);
  (*awake)->parser = std::move(*parser);
  return {};
}

Result<void> Ingest::parse(const follow::Batch& batch, Instant wall) {
  const auto found = source_of(batch);
  if (!found) return tl::unexpected(found.error());
  IngestedSource& source = **found;
  source.stream = batch.stream;
  source.tag = static_cast<std::uint32_t>(batch.tag);
  if (auto parted = part_from_others(source, batch); !parted) return parted;
  if (auto known = understand_as_before(source, batch); !known) return known;
  if (source.is_news(batch)) {
    const auto awake = wake(source);
    if (!awake) return tl::unexpected(awake.error());
    // A line has its time of arrival only when it was seen coming: not while old content is caught up with.
    const bool seen_coming = source.caught_up || was_just_begun(batch, wall);
    sample_rows_ +=
        (*awake)->take(batch, log_options(source), seen_coming ? std::optional(wall) : std::nullopt, wall,
                       [this] { static_cast<void>(spent()); });
    source.grows = source.caught_up;
    touch(source);
  }
  note_activity(source, batch.modified, wall);
  catching_up_ = catching_up_ || !source.caught_up || !batch.caught_up;
  source.caught_up = batch.caught_up;
  return {};
}

void Ingest::touch(IngestedSource& source) {
  if (!std::exchange(source.moved, true)) moved_.push_back(&source);
}

Result<bool> Ingest::tick(follow::SteadyTime now, Instant wall) {
  const bool is_first = now_ == follow::SteadyTime{};
  now_ = now;
  wall_ = wall;
  if (is_first) {
    for (const auto& [path, source] : sources_) {
      source->used = now;
      if (source->unwatched) note_activity(*source, source->modified, wall);
    }
  }
  catching_up_ = false;
  if (now < retry_at_) return false;
  if (!options_.pending)
    follower_.add_finished(writer_.with([](Writer& writer) { return writer.take_adopted(); }));
  std::vector<follow::Batch> batches;
  const auto was_read = read_what_is_due(batches);
  const auto done = was_read ? commit(batches) : tl::unexpected(was_read.error());
  if (!done) {
    ++counters_.failed_commits;
    give_back(batches);
    retry_pause_ = std::clamp(retry_pause_ * 2, kFirstRetry, kLongestRetry);
    retry_at_ = now + retry_pause_;
    return done;
  }
  retry_pause_ = {};
  put_to_rest();
  return done;
}

// Lines may be of any kind: some take a thousand times as long as others of their length. What has been read for long is
// committed, and others' files have their turn.
Result<void> Ingest::read_what_is_due(std::vector<follow::Batch>& taken) {
  const auto begun = spent();
  sample_rows_ = 0;
  by_offset_.reset();
  Result<void> done;
  follower_.poll(now_, wall_, options_.budget, [&](std::vector<follow::Batch> batches) {
    done = parse(batches);
    std::ranges::move(batches, std::back_inserter(taken));
    return done && sample_rows_ < kMostSampleRows && spent() - begun < options_.most_spent;
  });
  return done;
}

// The lines go as soon as they are understood: a line of one byte takes forty until then.
Result<void> Ingest::parse(std::vector<follow::Batch>& batches) {
  // First what is kept of each: among what parsing takes and gives back, it would hold that memory's pages.
  for (const follow::Batch& batch : batches)
    if (const auto source = source_of(batch); !source) return tl::unexpected(source.error());
  for (follow::Batch& batch : batches) {
    const auto before = spent();
    const std::int64_t rows_before = sample_rows_;
    if (auto taken = parse(batch, wall_); !taken) return taken;
    const auto to_commit = (sample_rows_ - rows_before) * kCommitOfEach;
    if (options_.spent) follower_.pace(batch.stream, spent() - before + to_commit, options_.most_spent);
    static_cast<TakenLines&>(batch) = {};
    batch.bytes.reset();
  }
  return {};
}

Result<bool> Ingest::commit(std::span<const follow::Batch> batches) {
  if (const auto closed = close_still_runs(); !closed) return tl::unexpected(closed.error());
  std::vector<SourceCommit> commits;
  for (IngestedSource* source : moved_) commits.push_back(source->awake->commit(wall_));
  for (const auto& [source, awake] : ended_) commits.push_back(awake->commit(wall_));
  if (!commits.empty()) {
    const auto any = [&](auto is) { return std::any_of(moved_.begin(), moved_.end(), is); };
    const bool begins = any([](IngestedSource* each) { return each->id == 0; });
    const bool reads_first = begins || any([](IngestedSource* each) { return each->offset == 0; }) ||
                             std::ranges::any_of(batches, &follow::Batch::restarted);
    std::vector<std::string> imported;
    const auto done = writer_.with([&](Writer& writer) {
      if (reads_first && !options_.pending) imported = writer.take_adopted();
      if (!imported.empty()) return Result<void>();
      auto committed = writer.commit(commits, wall_);
      // What was seen for the first time is known to have been: of a name that a power cut makes new again, the files
      // rotated away from it meanwhile would be left out. Where it can't be synced now, the next checkpoint does.
      if (committed && begins && !options_.pending) static_cast<void>(writer.sync());
      return committed;
    });
    if (!done) return tl::unexpected(done.error());
    if (!imported.empty()) {  // since the poll: perhaps what we have just begun to read
      follower_.add_finished(std::move(imported));
      give_back(batches);
      return true;
    }
    last_commit_ = wall_;
    accept(commits);
  }
  for (const follow::Batch& batch : batches) {
    follower_.committed(batch);
    if (!options_.tell_begun_runs) continue;
    if (const auto source = sources_.find(batch.path); source != sources_.end()) note_begun(*source->second);
  }
  return !commits.empty();
}

// Of a file that is still being caught up with, an open run may long be over.
void Ingest::note_begun(IngestedSource& source) {
  constexpr std::size_t kMostBegun = 1024;
  const bool lives = source.caught_up && source.running;
  if (!lives || source.open_run <= source.told_run || begun_.size() >= kMostBegun) return;
  source.told_run = source.open_run;
  begun_.push_back({source.path, source.id, source.open_run});
}

// The history has it.
void Ingest::accept(const std::vector<SourceCommit>& commits) {
  ++counters_.commits;
  for (const SourceCommit& commit : commits) {
    counters_.bytes += commit.bytes;
    counters_.segments += static_cast<std::int64_t>(commit.records.segments.size());
    counters_.samples += static_cast<std::int64_t>(commit.records.samples());
  }
  for (const auto& [source, awake] : ended_) awake->add_to(counters_);
  ended_.clear();
  auto done = commits.begin();
  for (IngestedSource* source : moved_) {
    const SourceCommit& commit = *done++;
    AwakeSource& awake = *source->awake;
    awake.add_to(counters_);
    awake.note_committed();
    awake.row.id = source->id = commit.source.id;
    source->offset = awake.row.offset;
    source->running = awake.parser.running();
    source->plan_done = awake.parser.plan_done();
    source->gone = awake.row.gone;
    source->has_error = can_not_be_read(awake.row);
    source->moved = false;
    if (const auto from = commit.records.withdrawn)
      source->open_run = source->told_run = std::min(source->told_run, *from - 1);
    for (const Run& run : commit.records.runs) source->open_run = std::max(source->open_run, run.ordinal);
  }
  moved_.clear();
}

// The history does not have it: what moved is woken anew from what it does have, and read again.
void Ingest::give_back(std::span<const follow::Batch> batches) {
  for (IngestedSource* source : moved_) {
    source->awake.reset();
    source->moved = source->caught_up = false;
    follower_.rewind(source->stream);
  }
  for (auto ended = ended_.rbegin(); ended != ended_.rend(); ++ended)
    ended->first->id = ended->second->row.id;
  ended_.clear();
  moved_.clear();
  std::erase_if(awake_, [](const IngestedSource* source) { return !source->awake; });
  for (const follow::Batch& batch : batches) follower_.rewind(batch.stream);
}

std::int64_t Ingest::source_id(const std::string& path) const {
  const auto known = sources_.find(path);
  return known == sources_.end() ? 0 : known->second->id;
}

follow::SteadyTime Ingest::next_due(follow::SteadyTime now) const {
  return std::max(follower_.next_due(now), retry_at_);
}

}  // namespace etad
