#include "daemon/reread.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "daemon/content_places.h"
#include "daemon/follow/discovery.h"
#include "daemon/follow/identity.h"
#include "daemon/follow/position.h"
#include "daemon/own_files.h"
#include "daemon/system.h"
#include "parsers/log/log_parser.h"
#include "parsers/traces/trace.h"

namespace etad {
namespace {

constexpr std::chrono::milliseconds kPause{20};  // while a file that others hold is waited for

// The pattern that finds this path and no other. A folder or name is a pattern only where it has a wildcard in it, and
// a backslash is one of its own only there: in brackets it is, and each is a pattern.
std::string literal(const std::string& path) {
  std::string out;
  for (const char c : path) {
    if (c == '\\')
      out += "[\\\\]";
    else if (c == '*' || c == '?' || c == '[')
      out += {'[', c, ']'};
    else
      out += c;
  }
  return out;
}

std::optional<follow::ReadPart> part_of(const SourceRow& row) {
  return follow::part_of_finished(follow::finished_identity(row.head, row.offset, row.marker));
}

Error counts_twice(const std::string& what, std::int64_t source_id) {
  return {"", what + ", and would count twice",
          "`etactl forget --source " + std::to_string(source_id) + "` first", ErrorKind::conflict};
}

Error changed() {
  return {"", "the file was rotated or replaced while it was read again: all is as it was",
          "`etactl reread` again", ErrorKind::conflict};
}

}  // namespace

Result<SourceRow> rereadable_source(Writer& history, std::int64_t source_id) {
  const auto row = history.source(source_id);
  if (!row) return tl::unexpected(row.error());
  if (!*row) return fail(ErrorKind::not_found, "there is no source " + std::to_string(source_id));
  if ((*row)->kind == "import")
    return fail(ErrorKind::conflict, "it was imported, not followed: its content is needed",
                "etactl reread sends it");
  if ((*row)->kind == "journal") return fail(ErrorKind::conflict, "a journal is read forward only");
  if (is_trace_format((*row)->format))
    return fail(ErrorKind::conflict, "samples of a trace can't be told from those of another one any more");
  if ((*row)->gone)
    return fail(ErrorKind::conflict, "the file is no longer there",
                "etactl forget takes away what came of it");
  const auto finished = history.finished_files();
  if (!finished) return tl::unexpected(finished.error());
  const bool rotated = std::any_of(finished->begin(), finished->end(),
                                   [&](const FinishedFile& file) { return file.source_id == source_id; });
  if (rotated)
    return fail(ErrorKind::conflict, "parts of it were rotated away, and what they said can't be read again");
  return std::move(**row);
}

Result<std::unique_ptr<Reread>> Reread::of(std::int64_t source_id, const IngestSetup& setup,
                                           SharedWriter& writer) {
  auto row = writer.with([&](Writer& history) { return rereadable_source(history, source_id); });
  if (!row) return tl::unexpected(row.error());
  follow::Discovery patterns;
  patterns.set_watches(setup.watches);
  const auto watch = patterns.watch_of(row->path);
  if (!watch)
    return fail(ErrorKind::conflict, "no pattern of the configuration finds it any more",
                "etactl forget takes away what came of it");
  std::unique_ptr<Reread> out(new Reread(std::move(*row), writer));
  out->files_ = without_database(follow::posix_filesystem(), setup.database, Accounts::of_machine());
  out->follower_ = std::make_unique<follow::Follower>(
      *out->files_, nullptr,
      std::vector<follow::Watch>{{literal(out->old_.path), patterns.watch(*watch).tag, false}}, setup.follow);
  IngestOptions options = ingest_options(setup);
  options.files = out->files_.get();
  options.pending = true;
  out->ingest_ = std::make_unique<Ingest>(std::move(options), writer, *out->follower_);
  return out;
}

Reread::~Reread() {
  const auto id = ingest_ ? ingest_->source_id(old_.path) : 0;
  if (id == 0) return;
  // Where it took the old one's place it is no longer pending, and stays.
  (void)writer_.with([&](Writer& history) -> Result<void> {
    const auto row = history.source(id);
    if (!row || !*row || !(*row)->pending) return {};
    return history.drop_source(id);
  });
}

Result<void> Reread::read(const std::atomic<bool>& stop) {
  for (const follow::Status& stream : follower_->statuses()) follower_->rewind(stream.stream);  // look now
  while (!stop) {
    const auto now = follow::SteadyTime::clock::now();
    const auto done = ingest_->tick(now, system::now());
    if (!done) return tl::unexpected(done.error());
    const auto streams = follower_->statuses();
    if (streams.empty()) return tl::unexpected(changed());
    const follow::Status& stream = streams.front();
    if (stream.state != follow::State::following) return fail(stream.text, "", old_.path);
    if (stream.caught_up && !*done) return {};
    if (!*done)
      std::this_thread::sleep_for(std::clamp<follow::SteadyTime::duration>(
          ingest_->next_due(now) - now, std::chrono::milliseconds{1}, kPause));
  }
  return fail(ErrorKind::unavailable, "the daemon is stopping");
}

Result<void> Reread::replace() {
  const std::int64_t id = ingest_->source_id(old_.path);
  return writer_.with([&](Writer& history) -> Result<void> {
    // The old one has moved on meanwhile; it must still be of the same file.
    const auto old = rereadable_source(history, old_.id);
    if (!old) return tl::unexpected(old.error());
    const auto fresh = id == 0 ? Result<std::optional<SourceRow>>() : history.source(id);
    if (!fresh) return tl::unexpected(fresh.error());
    if (!*fresh || (*fresh)->offset < old->offset || !lies_there(*old) || !lies_there(**fresh))
      return tl::unexpected(changed());
    if (auto checked = check_imports(history, **fresh); !checked) return checked;
    if (auto checked = check_others(history, **fresh); !checked) return checked;
    return history.replace_source(old_.id, id);
  });
}

// Whether the file under the path begins with what that source has read. Logs may have changed names.
bool Reread::lies_there(const SourceRow& read) const {
  const auto part = part_of(read);
  return !part || part->offset == 0 || ContentPlaces(files_.get()).lies_at(old_.path, *part);
}

// What was forgotten may have been imported since. That another user has imported as much says nothing of a source that
// was read itself.
Result<void> Reread::check_imports(Writer& history, const SourceRow& fresh) const {
  const auto imports = history.imports(fresh.head);
  if (!imports) return tl::unexpected(imports.error());
  const auto without_runs = history.sources_without_runs();
  if (!without_runs) return tl::unexpected(without_runs.error());
  const bool was_read = !std::ranges::binary_search(*without_runs, old_.id);
  for (const SourceRow& import : *imports) {
    if (was_read && !follow::may_be_of(import.owner, old_.owner)) continue;
    if (!part_of(import) || !lies_there(import)) continue;
    return tl::unexpected(counts_twice("it was imported as " + import.path, import.id));
  }
  return {};
}

// What a source was begun behind, since another had read the file until there under another name.
Result<void> Reread::check_others(Writer& history, const SourceRow& fresh) const {
  const auto identity = follow::Identity::parse(fresh.identity);
  if (!identity) return {};
  const auto rows = history.sources();
  if (!rows) return tl::unexpected(rows.error());
  for (const SourceRow& row : *rows) {
    const auto other = follow::Identity::parse(row.identity);
    if (row.id == old_.id || row.id == fresh.id || !other || !(other->key == identity->key)) continue;
    if (row.offset > 0 && lies_there(row))
      return tl::unexpected(counts_twice("its beginning was read as " + row.path, row.id));
  }
  const auto finished = history.finished_files();
  if (!finished) return tl::unexpected(finished.error());
  for (const FinishedFile& file : *finished) {
    const auto holder = follow::holder_of_finished(file.identity);
    const auto part = follow::part_of_finished(follow::content_of_finished(file.identity));
    if (!holder || !part || !(holder->key == identity->key)) continue;
    if (ContentPlaces(files_.get()).lies_at(old_.path, *part))
      return tl::unexpected(counts_twice("its beginning was read as " + file.path, file.source_id));
  }
  return {};
}

std::vector<Error> reread_outdated(const IngestSetup& setup, SharedWriter& writer,
                                   const std::atomic<bool>& stop) {
  std::vector<Error> errors;
  const auto running = writer.with([](Writer& history) { return history.sources_with_running_runs(); });
  if (!running) return {running.error()};
  for (const std::int64_t id : *running) {
    const auto row = writer.with([&](Writer& history) { return history.source(id); });
    if (!row) return {row.error()};
    if (!*row || (*row)->kind != "file" || (*row)->gone) continue;
    LogOptions options;
    options.formats = setup.formats.get();
    const auto state = LogParser::restore(std::move(options), (*row)->state);
    if (state || state.error().kind != ErrorKind::corrupt) continue;
    const auto done = [&]() -> Result<void> {
      const auto reread = Reread::of(id, setup, writer);
      if (!reread) return tl::unexpected(reread.error());
      if (auto read = (*reread)->read(stop); !read) return read;
      return (*reread)->replace();
    }();
    if (done) continue;
    errors.push_back({(*row)->path, "its runs so far can't be gone on with: " + done.error().message,
                      done.error().hint, done.error().kind});
  }
  return errors;
}

}  // namespace etad
