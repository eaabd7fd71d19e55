#include "daemon/import_twins.h"

#include <algorithm>
#include <utility>

#include "daemon/follow/position.h"
#include "parsers/log/log_parser.h"

namespace etad {
namespace {

// All of the content that has come.
std::optional<follow::ReadPart> all_of(const ContentIdentity& content) {
  return follow::part_of_finished(content.finished());
}

}  // namespace

tl::unexpected<Error> ImportTwins::another_was_first() {
  return fail(ErrorKind::conflict,
              "the same log, or one that begins alike, came into the history while this import ran",
              "import it again: what is there already is not read twice");
}

tl::unexpected<Error> ImportTwins::was_forgotten() {
  return fail(ErrorKind::conflict, "what the history had of this log was forgotten while this import ran",
              "import it again");
}

ImportTwins::ImportTwins(const service::ImportRequest& request, follow::FileSystem* files)
    : places_(files),
      name_(request.name),
      owner_(request.owner),
      named_owner_(places_.owner_at(name_)),
      replaces_(request.replaces) {}

Result<ImportTwins> ImportTwins::of_now(const service::ImportRequest& request, follow::FileSystem* files,
                                        SharedWriter& writer) {
  auto sources = writer.with([](Writer& history) { return history.sources(); });
  if (!sources) return tl::unexpected(sources.error());
  auto finished = writer.with([](Writer& history) { return history.finished_files(); });
  if (!finished) return tl::unexpected(finished.error());
  auto without_runs = writer.with([](Writer& history) { return history.sources_without_runs(); });
  if (!without_runs) return tl::unexpected(without_runs.error());
  ImportTwins out(request, files);
  out.sources_ = std::move(*sources);
  if (auto checked = out.find_replaced(); !checked) return tl::unexpected(checked.error());
  // Imports under way in other sessions are not the history's yet. What takes another's place is not held
  // against it, and what nothing was made of is held against nobody: it may be read again.
  std::set<std::int64_t> left_out{request.replaces}, followed;
  std::erase_if(out.sources_, [&](SourceRow& row) {
    const bool made_nothing = row.offset > 0 &&
                              std::binary_search(without_runs->begin(), without_runs->end(), row.id) &&
                              (row.format.empty() || (row.kind == "import" && !is_trace_format(row.format)));
    if (row.pending || row.id == request.replaces) return true;
    if (made_nothing) out.fruitless_.push_back(row);
    if (made_nothing || out.is_anothers(row)) left_out.insert(row.id);
    if (row.kind != "import") followed.insert(row.id);
    return out.is_anothers(row) || (made_nothing && row.kind == "import") || row.offset <= 0;
  });
  for (const FinishedFile& file : *finished) {
    if (left_out.contains(file.source_id)) continue;
    const std::string content(follow::content_of_finished(file.identity));
    const auto part = follow::part_of_finished(content);
    if (part && part->is_telling() && followed.contains(file.source_id))
      out.parts_.push_back({file.source_id, part->head.text(), part->offset, part->marker.text()});
    out.finished_.insert(content);
  }
  out.without_runs_ = std::move(*without_runs);
  return out;
}

Result<void> ImportTwins::find_replaced() {
  if (replaces_ == 0) return {};
  for (const SourceRow& row : sources_) {
    if (row.id != replaces_ || row.pending) continue;
    if (row.kind != "import")
      return fail(ErrorKind::conflict, "source " + std::to_string(replaces_) + " is followed",
                  "etactl reread");
    if (is_trace_format(row.format))
      return fail(ErrorKind::conflict, "samples of a trace can't be told from those of another one any more");
    if (row.offset > 0) replaced_ = {row.id, row.head, row.offset, row.marker};
    return {};
  }
  return fail(ErrorKind::not_found, "there is no source " + std::to_string(replaces_),
              "it was forgotten, or read again under another id");
}

std::vector<KnownContent> ImportTwins::contents() const {
  std::vector<KnownContent> out;
  if (replaced_) out.push_back(*replaced_);
  for (const SourceRow& row : sources_) out.push_back({row.id, row.head, row.offset, row.marker});
  out.insert(out.end(), parts_.begin(), parts_.end());
  return out;
}

const SourceRow* ImportTwins::meet(std::size_t content) {
  if (replaced_ && content-- == 0) {
    met_.insert(replaced_->source_id);
    return nullptr;
  }
  if (content >= sources_.size()) {
    begun_ = parts_[content - sources_.size()];
    return nullptr;
  }
  const SourceRow& twin = sources_[content];
  if (is_fruitless(twin)) {
    met_.insert(twin.id);
    return nullptr;
  }
  begun_.reset();
  if (twin.kind != "import") begun_ = {twin.id, twin.head, twin.offset, twin.marker};
  return &twin;
}

// Many a trainer writes its log anew under the name of the last one. The runs of that one are nowhere else.
Result<void> ImportTwins::check_replaced() const {
  if (!replaced_ || met_.contains(replaced_->source_id)) return {};
  const std::string id = std::to_string(replaced_->source_id);
  return fail(ErrorKind::conflict, "it is another log by now than the one that source " + id + " was read of",
              "`etactl import` adds it; `etactl forget --source " + id + "` takes the old one away");
}

// As the list said when this import began, and the history still does.
Result<bool> ImportTwins::was_finished(Writer& history, const SoFar& import) const {
  if (!finished_.contains(import.content.finished(import.unread)) &&
      !finished_.contains(import.content.finished()))
    return false;
  const auto now = ended(history, import);
  if (!now) return tl::unexpected(now.error());
  for (const auto& [id, source] : *now) {
    const auto lost = source.with_this ? has_lost_its_runs(history, id) : Result<bool>(true);
    if (!lost) return lost;
    if (!*lost) return true;
  }
  return was_forgotten();
}

// Since this import began: they were forgotten, and the source, where it is followed, goes on without them.
Result<bool> ImportTwins::has_lost_its_runs(Writer& history, std::int64_t source) const {
  const auto now = history.sources_without_runs();
  if (!now) return tl::unexpected(now.error());
  return std::ranges::binary_search(*now, source) && !std::ranges::binary_search(without_runs_, source);
}

void ImportTwins::note_end(const SoFar& import) {
  const std::int64_t end = import.content.size() - static_cast<std::int64_t>(import.unread);
  for (const SourceRow& row : fruitless_)
    if (row.kind == "import" && row.offset == end && row.marker == import.content.marker(import.unread))
      replaces_ = row.id;
}

// Who has a followed file that begins as this log, or is a copy of it, keeps nobody else from importing it. An
// administrator imports a user's log, rotated away perhaps: that file is the user's as the followed one is.
bool ImportTwins::is_anothers(const SourceRow& twin) const {
  return twin.kind != "import" && twin.path != name_ && twin.owner && *twin.owner != 0 &&
         twin.owner != owner_ && twin.owner != named_owner_;
}

// Nor has anything been made of it since.
bool ImportTwins::is_fruitless(const SourceRow& row) const {
  const auto same = [&](const SourceRow& then) { return then.id == row.id && then.format == row.format; };
  return std::any_of(fruitless_.begin(), fruitless_.end(), same);
}

// A log that is followed while too little of it is read to say what it is: its follower is going to make the same runs
// of what it has read. One that is no longer than what was read in vain is not held against anybody.
Result<void> ImportTwins::check_undecided(Writer& history, const ContentIdentity& content) const {
  const auto part = all_of(content);
  for (const SourceRow& then : fruitless_) {
    if (then.kind == "import") continue;
    const auto row = history.source(then.id);
    if (!row) return tl::unexpected(row.error());
    const bool is_left = !*row || (*row)->gone || (*row)->offset == content.size() || is_anothers(**row);
    if (is_left || !content.begins_as((*row)->head)) continue;
    if (!met_.contains(then.id) && !(part && places_.lies_at(then.path, *part))) continue;
    return fail(
        ErrorKind::conflict, "it is followed as " + then.path + ", and not yet known what it is",
        "what is there counts once it is known; where it stays unknown, `format` in its [[source]] says it: "
        "`etactl reread " +
            std::to_string(then.id) + "`");
  }
  return {};
}

// Its follower has the rest by now, or comes to it where it lies. In no other file will anybody look for it.
Result<void> ImportTwins::check_rest(Writer& history, const SoFar& import) const {
  if (!begun_) return {};
  const auto found = history.source(begun_->source_id);
  if (!found) return tl::unexpected(found.error());
  const auto lost = has_lost_its_runs(history, begun_->source_id);
  if (!lost) return tl::unexpected(lost.error());
  if (!*found || *lost) return was_forgotten();
  const auto& [content, unread, own] = import;
  const SourceRow& row = **found;
  const bool is_read =
      row.offset + static_cast<std::int64_t>(unread) >= content.size() && content.begins_as(row.head);
  const auto part = all_of(content);
  if (is_read || (part && places_.lies_in_log(row.path, *part))) return {};
  const std::string id = std::to_string(row.id), bytes = std::to_string(begun_->offset);
  return fail(ErrorKind::conflict,
              "its first " + bytes + " bytes were read as " + row.path + ", where the rest does not lie",
              row.gone ? "`etactl forget --source " + id + "` takes back what was read; then import it again"
                       : "where it comes to lie there it is read; or import it alone: `tail -c +" +
                             std::to_string(begun_->offset + 1) + " LOG | etactl import -`");
}

// By source.
Result<std::map<std::int64_t, ImportTwins::Ended>> ImportTwins::ended(Writer& history,
                                                                      const SoFar& import) const {
  const auto files = history.finished_files();
  if (!files) return tl::unexpected(files.error());
  const std::string all = import.content.finished(), lines = import.content.finished(import.unread);
  const std::string head = import.content.head();
  const std::int64_t end = import.content.size() - static_cast<std::int64_t>(import.unread);
  std::map<std::int64_t, Ended> out;
  for (const FinishedFile& file : *files) {
    const std::string content(follow::content_of_finished(file.identity));
    const bool is_this = content == all || content == lines;
    const auto part = is_this ? std::nullopt : follow::part_of_finished(content);
    const bool goes_on = part && part->is_telling() && part->offset > end && part->head.text() == head;
    if (!is_this && !goes_on) continue;
    Ended& source = out[file.source_id];
    source.with_this = source.with_this || is_this;
    source.since_begun = source.since_begun || !finished_.contains(content);
  }
  return out;
}

Result<bool> ImportTwins::came_in_meanwhile(Writer& history, const SoFar& import) const {
  const auto& [content, unread, own] = import;
  const auto rows = history.sources();
  if (!rows) return tl::unexpected(rows.error());
  const auto ended_files = ended(history, import);
  if (!ended_files) return tl::unexpected(ended_files.error());
  const auto part = all_of(content);
  for (const SourceRow& row : *rows) {
    const bool is_held_against = !row.pending && row.id != own.id && row.id != replaces_;
    if (!is_held_against || is_fruitless(row) || is_anothers(row)) continue;
    if (const auto had = ended_files->find(row.id); had != ended_files->end() && row.kind != "import") {
      if (had->second.with_this || (part && places_.lies_in_log(row.path, *part))) return true;
      if (had->second.since_begun) return another_was_first();
    }
    const bool begun = row.offset > 0;
    if (begun && !content.begins_as(row.head)) {
      // Its follower comes to this file next, and of so little would not know that it was imported.
      const bool is_unknowable = part && !part->is_telling() && row.path == name_ && row.kind == "file";
      if (is_unknowable && !row.gone && places_.lies_at(row.path, *part)) return true;
      continue;
    }
    const auto known = std::find_if(sources_.begin(), sources_.end(),
                                    [&](const SourceRow& then) { return then.id == row.id; });
    // Where it stood in another file then, that says nothing of this one.
    const bool was_known = known != sources_.end() && content.begins_as(known->head);
    // It was compared where it stood when this import began, and is another log that has gone on since.
    const bool was_another = was_known && !met_.contains(row.id);
    if (was_another && known->offset <= std::min(content.size(), row.offset)) continue;
    if (row.offset == own.offset) {
      if (row.marker == own.marker) return true;
      continue;
    }
    if (begun && row.offset > own.offset) {  // this is the log as it was once
      const auto earlier = history.is_beginning(own.id, row.id);
      if (!earlier || *earlier) return earlier;
    }
    // A follower reads on: what counts is that it is going to come to where ours ends, or has passed there.
    if (row.kind != "import" && part &&
        (begun ? places_.lies_in_log(row.path, *part) : places_.lies_at(row.path, *part)))
      return true;
    const bool may_be =
        begun ? !was_known : row.kind != "import" && places_.begins_at(row.path, content.head());
    if (may_be) return another_was_first();
  }
  return false;
}

}  // namespace etad
