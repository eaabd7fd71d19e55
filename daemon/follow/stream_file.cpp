// Where the file is that a stream is reading, after others have renamed, copied, truncated or replaced it.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "daemon/follow/stream.h"

namespace etad::follow {
namespace {

// For so long a program is waited for that may be writing our file anew.
constexpr std::chrono::seconds kWrittenAnewWithin{1};

OsResult<std::optional<std::string>> nothing() {
  return std::optional<std::string>();
}

}  // namespace

// Nobody knows yet: it is looked at again.
Stream::Attached Stream::later(Errno error) {
  fail(error);
  return Attached::later;
}

// Of a file of which nothing has been read here an import may have read all that is there. So it may of one of which less
// than a kilobyte was read: as it was begun, too little was there to know it by. The import's source then becomes the
// path's; what was handed out before, of the file that lay there before, still belongs to the source that the path had.
Stream::Attached Stream::go_on_from_import(Look& look) {
  const std::int64_t offset = current_->reader.part().offset;
  const bool has_read =
      offset >= static_cast<std::int64_t>(kHeadBytes) && offset != current_->read_elsewhere.offset;
  if (has_read || look.around.finished.empty()) return Attached::yes;
  const auto status = current_->content->status();
  if (!status) return later(status.error());
  if (status->size == 0) return Attached::yes;
  const auto file = lies_now(look);
  if (file && file->empty()) return Attached::yes;
  const auto read =
      file ? look.around.imported(path_, *file, *status, offset, !committed_) : tl::unexpected(file.error());
  if (!read && is_passing(read.error())) return later(read.error());
  if (!read || read->part.offset == 0 || (!read->goes_on && read->part.offset <= offset))
    return Attached::yes;
  start_at({*file, *status, read->part});
  carried_.clear();
  if (!read->goes_on) return Attached::lost;
  restarted_ = announce_ = false;  // the history has it
  position_ = {true, Identity{current_->key, status->modified}, read->part, status->size, {}, status->owner};
  return Attached::lost;
}

// When a path was first seen its file could not be read: whether it has been, under another name, is asked now.
Stream::Attached Stream::know_again(Look& look) {
  if (!may_be_read_before_) return Attached::yes;
  const auto status = current_->content->status();
  if (!status) return later(status.error());
  const bool is_unread = current_->reader.part().offset == 0;
  if (is_unread && status->size == 0) return Attached::yes;
  const auto file = is_unread ? lies_now(look) : OsResult<std::string>(std::string());
  const auto read = !file           ? tl::unexpected(file.error())
                    : file->empty() ? OsResult<ReadPart>(ReadPart{})
                                    : read_before(look.around.contents, *file, *status, look.around.finished);
  if (!read && is_passing(read.error())) return later(read.error());
  may_be_read_before_ = false;
  if (!read || read->offset == 0) return Attached::yes;
  start_at({*file, *status, *read});
  return Attached::lost;
}

// Where the file that is open lies now; under no name that can be found: empty.
OsResult<std::string> Stream::lies_now(Look& look) const {
  if (is_here(look.target)) return path_;
  const std::string& last = current_->elsewhere;
  const auto there = last.empty() ? tl::unexpected(ENOENT) : look.around.files.status(last);
  if (there && key_of(*there) == current_->key) return last;
  Chain& chain = chain_of(look);
  auto found = chain.find(current_->key);
  if (!found && chain.error() != 0) return tl::unexpected(chain.error());
  return std::move(found).value_or("");
}

// Of the file nothing has been read yet, and it has changed since it was last seen. Another content may have
// come and gone in between, under this very inode; then it lies among the rotated files, and goes first.
Stream::Attached Stream::go_back_to_unseen(Look& look) {
  if (current_->reader.part().offset > 0) return Attached::yes;
  const auto status = current_->content->status();
  if (!status) return later(status.error());
  current_->found_size = status->size;
  if (status->modified == current_->seen.modified) return Attached::yes;
  // Else each of ten thousand new files would have ten thousand names listed for its first line.
  auto& beside = look.around.beside;
  const auto folders = look.around.folders(path_);
  const bool alone = beside.has_none(look.around.files, path_, folders, look.around.wall);
  look.around.contents.note_listed(beside.take_listed());
  if (alone) {
    current_->seen.modified = status->modified;
    return Attached::yes;
  }
  Link last = last_link();
  Chain chain(look.around.files, look.around.contents, path_, folders, look.around.finished, last);
  last.key = FileKey{};
  const auto next = chain.next(last, look.around.finished, others(look));
  if (chain.error() != 0) return later(chain.error());
  current_->seen.modified = status->modified;
  if (!next || next->path == path_ || key_of(next->status) == current_->key) return Attached::yes;
  start_at(*next);
  return Attached::lost;
}

// Nothing that was read before tells whether what was read now, for the first time, is one content, and all there was: it
// may have been copied and truncated meanwhile, and what was written next was read.
Stream::Attached Stream::is_first(Look& look, const std::string& carried) {
  CurrentFile& current = *current_;
  if (current.compressed) return Attached::yes;
  FileReader read = std::exchange(current.reader, FileReader(ReadPart{}));
  std::string carries_on = std::exchange(carried_, carried);
  const auto status = current.content->status();
  if (!status) return later(status.error());
  if (status->modified != current.seen.modified || status->size < current.found_size) {
    const auto same = matches(*current.content, read.part());
    if (!same) return later(same.error());
    if (!*same) return Attached::lost;
    if (const Attached there = go_back_to_unseen(look); there != Attached::yes) return there;
  }
  current.reader = std::move(read);
  carried_ = std::move(carries_on);
  return Attached::yes;
}

// A file that was opened while it was empty may be a compressed one by now.
Stream::Attached Stream::see_its_kind(const Look& look) {
  CurrentFile& current = *current_;
  if (current.reader.part().offset > 0 || current.content->compressed()) return Attached::yes;
  if (const Errno error = look.around.contents.see_kind(current.content); error != 0) return later(error);
  if (current.content->compressed()) current.reader = FileReader(ReadPart{});
  current.compressed = current.content->compressed();
  return Attached::yes;
}

// What was inflated to its end, or to where it is damaged, has changed since: it has another member, or was written anew.
bool Stream::is_inflated_anew(const FileStatus& now) const {
  const CurrentFile& current = *current_;
  const bool was_at_end = current.cut == EBADMSG || (current.at_end && current.cut == 0);
  return was_at_end && (now.size != current.seen.size || now.modified != current.seen.modified);
}

// Where the file is that we are reading: open; under the path; elsewhere by its key; or its content, in a file
// that took its place, or among the rotated ones.
Stream::Attached Stream::attach(Look& look) {
  CurrentFile& current = *current_;
  if (current.content) {
    const auto status = current.content->status();
    if (!status && status.error() != ESTALE) return later(status.error());
    const bool compressed = current.content->compressed();
    const bool whole =
        status && (compressed ? !is_inflated_anew(*status) : status->size >= current.reader.part().offset);
    if (whole) return see_its_kind(look);
    close_file();
    if (status && !compressed) return find_copy(look);
  }
  if (is_here(look.target)) {
    const Attached attached = attach_at(look, path_, current.key);
    return attached == Attached::lost ? find_copy(look) : attached;
  }
  if (const Attached attached = attach_to_replacement(look, Evidence::certain); attached != Attached::lost)
    return attached;
  FileSystem& files = look.around.files;
  const auto remembered =
      current.elsewhere.empty() ? tl::unexpected(ENOENT) : files.status(current.elsewhere);
  std::optional<std::string> found;
  if (remembered && key_of(*remembered) == current.key) {
    found = current.elsewhere;
  } else if (current.reader.part().offset > 0 || current.seen.size > 0) {  // else nothing to know it by
    Chain& chain = chain_of(look);
    found = chain.find(current.key);
    if (!found && chain.error() != 0) return later(chain.error());
    // Of which nothing was read, and which may have another file's inode by now: its name tells.
    const bool may_be_any = current.reader.part().offset == 0 && current.key.born == 0;
    if (found && may_be_any && !chain.is_name_of_ours(*found)) found.reset();
    if (!found) {
      auto below = find_below(look);
      if (!below) return later(below.error());
      found = std::move(*below);
    }
  }
  if (found) {
    const Attached attached = attach_at(look, *found, current.key);
    if (attached != Attached::lost) return attached;
  }
  const Attached attached = find_copy(look);
  return attached == Attached::lost ? attach_to_replacement(look, Evidence::content) : attached;
}

// Ours is neither where it lay nor beside it: perhaps it was rotated, or moved, into a folder below (logrotate's `olddir`).
// Asked only then, and of a name that was not seen deleted. Where it was, what was written next is looked for from now on.
OsResult<std::optional<std::string>> Stream::find_below(Look& look) {
  if (removed_ || std::exchange(look.asked_below, true)) return nothing();
  Contents& contents = look.around.contents;
  const SplitPath place = split_path(path_);
  const auto below = contents.folders_below(place);
  if (!below) return is_passing(below.error()) ? tl::unexpected(below.error()) : nothing();
  std::vector<std::string> folders;  // of rotated files
  const auto note = [&](const std::string& file) {
    const std::string folder = split_path(file).directory;
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) return;
    look.around.note_folder(path_, folder);
    look.chain.reset();
  };
  for (const FolderBelow& folder : *below)
    if (folder.has_rotated) folders.push_back(folder.path);
  for (const FolderBelow& folder : *below) {
    auto found = contents.find(folder.path, current_->key);
    if (!found && is_passing(found.error())) return tl::unexpected(found.error());
    if (!found) continue;
    const auto name = rotated_name(split_path(*found).name);
    if (name && name->base == place.name) note(*found);
    // Of which nothing was read, and which may have another file's inode by now: it is for the chain to say.
    if (current_->reader.part().offset == 0 && current_->key.born == 0) return nothing();
    return std::optional(std::move(*found));
  }
  if (folders.empty()) return nothing();
  Chain chain(look.around.files, contents, path_, folders, look.around.finished, last_link());
  auto witness = chain.holds(last_link(), look.around.finished, others(look));
  if (!witness) witness = chain.finished_one(look.around.finished);
  // Nothing there was read before: what was written since is believed to be ours where only one folder can hold it.
  const auto next = !witness && folders.size() == 1
                        ? chain.next(last_link(), look.around.finished, others(look))
                        : std::nullopt;
  if (chain.error() != 0) return tl::unexpected(chain.error());
  if (witness || next) note(witness ? witness->path : next->path);
  return nothing();
}

// Opens what lies at `file` and sees whether it is what we have been reading. `expected`: what lay there a moment ago;
// if it does no more, names have moved in between, and all is looked at again.
Stream::Attached Stream::attach_at(Look& look, const std::string& file, const FileKey& expected) {
  auto opened = look.around.contents.open_if(file, current_->reader.part());
  const bool absent = !opened && (is_absent(opened.error()) || opened.error() == EINVAL);
  const bool moved = absent || (opened && key_of(opened->status) != expected);
  if (!opened || moved) return later(moved ? EAGAIN : opened.error());
  if (!opened->content) return Attached::lost;
  const FileStatus& status = opened->status;
  const FileKey key = key_of(status);
  if (key != current_->key) {
    const auto taken = look.around.taken(file, key, id_);
    if (!taken) return later(taken.error());
    if (*taken) return Attached::lost;
  }
  if (current_->reader.part().offset == 0 && status.size < current_->seen.size) return Attached::lost;
  if (key != current_->key) go_on_in(file, status);
  current_->content = std::move(opened->content);
  current_->compressed = current_->content->compressed();
  current_->key = key;
  lies_at(file);
  if (file == path_) {
    removed_ = false;
    short_since_.reset();
  }
  return Attached::yes;
}

// Another file lies under the path: is it ours, written anew by rsync, an editor or `sed -i`, or on a file system
// that goes by another number now? Certain are the inode with its time of birth, or a copy that was given its
// original's time. Else the content decides, unless our file is still there and was not put aside for this one. Where
// its name was seen deleted, or this one has its inode and was made later, ours is gone: of a header's few bytes this is
// taken for a new job's, of a kilobyte for ours, taken away and put back.
Stream::Attached Stream::attach_to_replacement(Look& look, Evidence evidence) {
  if (!look.target.file) return Attached::lost;
  const FileStatus& now = *look.target.file;
  const FileKey key = key_of(now);
  const ReadPart& part = current_->reader.part();
  if (key == current_->key || part.marker.length == 0 || !may_be_of(last_link().owner, now))
    return Attached::lost;
  const auto anothers = is_anothers(look, now);
  if (!anothers) return later(anothers.error());
  if (*anothers) return Attached::lost;
  const bool certain = is_copy(now) || same_but_for_device(key, current_->key);
  const bool was_deleted = evidence == Evidence::content && (removed_ || is_successor(key, current_->key));
  const bool may_be_new = was_deleted && !part.is_telling();
  if (!certain && (evidence == Evidence::certain || may_be_new)) return Attached::lost;
  const Link before = last_link();
  const Attached attached = attach_at(look, path_, key);
  if (attached == Attached::yes && !same_but_for_device(key, before.key)) remember_original(look, before);
  return attached;
}

// Whether a program has given our file the name of a backup, to write it anew under its own. Either that name tells
// it, or that the new file was made while the old one still had its name. A name with a number or a date is that of
// a rotation. Where it has none that we can find (overlayfs copies what lies in a lower layer when it is first written
// to), its content tells, if a kilobyte of it is known.
OsResult<bool> Stream::was_put_aside(Look& look) {
  Chain& chain = chain_of(look);
  const auto found = chain.find(current_->key);
  if (chain.error() != 0) return tl::unexpected(chain.error());
  if (!found) {  // moved away; or deleted since it was looked at
    const auto status = current_->content->status();
    if (!status || status->links == 0) return tl::unexpected(status ? EAGAIN : status.error());
    const auto below = find_below(look);  // what was written next lies there, too
    return below ? OsResult<bool>(!*below && current_->reader.part().is_telling())
                 : tl::unexpected(below.error());
  }
  if (!chain.is_name_of_ours(*found)) {  // a second name of what was rotated into a folder
    const auto below = find_below(look);
    if (!below) return tl::unexpected(below.error());
    if (*below) return false;
  }
  const auto rotated = rotated_name(split_path(*found).name);
  if (rotated && rotated->backup) return true;
  if (rotated && (rotated->number || !rotated->date.empty())) return false;
  const Instant made = look.target.file ? look.target.file->born : Instant{};
  return made != Instant{} && current_->seen.changed >= made;
}

// What was to be ours, written anew, was copied and truncated after its copy had been looked for.
bool Stream::was_cut_meanwhile(const Look& look) const {
  if (!look.target.file) return false;
  const auto now = look.around.files.status(path_);
  return now && key_of(*now) == key_of(*look.target.file) && now->size < look.target.file->size;
}

// What lies under the path holds less than was read of ours: it was emptied where it lies, or made in its place, by a
// new job, or by a program that writes all of it (pandas' to_csv, cp, mv from another disk, an editor). As long as what
// it holds begins as what we have read, nobody can tell which.
OsResult<bool> Stream::may_be_written_again(Look& look) {
  const auto [key, modified, part, owner] = last_link();
  if (!look.target.file || look.target.file->size >= part.offset) return false;
  const FileStatus& now = *look.target.file;
  if (!may_be_of(owner, now)) return false;
  const bool was_emptied = current_ && is_here(look.target);
  if (!was_emptied && now.born != Instant{} && look.around.wall - now.born >= kWrittenAnewWithin)
    return false;
  const auto anothers = is_anothers(look, now);
  if (!anothers || *anothers) return anothers ? OsResult<bool>(false) : tl::unexpected(anothers.error());
  if (!short_since_) short_since_ = look.now;
  if (look.now - *short_since_ >= kWrittenAnewWithin) return false;
  const auto file = look.around.contents.open(path_);
  if (!file) return tl::unexpected(file.error());
  if (key_of(file->status) != key_of(now)) return tl::unexpected(EAGAIN);
  const auto head = head_of(*file->content);
  if (!head) return tl::unexpected(head.error());
  return head->length < part.head.length || *head == part.head;
}

// Whether it is waited for. Or nobody knows yet: then it is asked again.
bool Stream::waits_for_the_rest(Look& look) {
  const auto again = may_be_written_again(look);
  if (!again) fail(moved_or(again.error()));
  const bool waits = !again || *again;
  moved_ = moved_ || waits;  // looked at again soon
  return waits;
}

// It may go on under another name, and is then read from where we left it for its copy.
void Stream::remember_original(Look& look, const Link& original) {
  Chain& chain = chain_of(look);
  if (!chain.find(original.key) && chain.error() == 0) return;
  Batch batch = new_batch();
  batch.finished = with_holder(original.finished(), {original.key, original.owner});
  if (!look.around.finished.add(batch.finished)) return;
  uncommitted_finished_.push_back(batch.finished);
  emit(std::move(batch), look.out);
}

// Our content is not where it was: truncated, and copied before that; or compressed.
Stream::Attached Stream::find_copy(Look& look) {
  const auto held = [&] { return chain_of(look).holds(last_link(), look.around.finished, others(look)); };
  auto copy = held();
  if (!copy && chain_of(look).error() == 0) {
    if (const auto below = find_below(look); !below) return later(below.error());
    if (!look.chain) copy = held();
  }
  if (const Errno error = chain_of(look).error(); error != 0) return later(error);
  return copy ? attach_at(look, copy->path, key_of(copy->status)) : Attached::lost;
}

// The files as they lie in this step: what is asked about them is asked of one list.
Chain& Stream::chain_of(Look& look) const {
  if (!look.chain)
    look.chain.emplace(look.around.files, look.around.contents, path_, look.around.folders(path_),
                       look.around.finished, last_link());
  return *look.chain;
}

// The next file may be the last one again: away for a while, with its file system, or put back; or what was written in its
// place, which had changed names with another log's. Then what was read of it is not read again. False: nobody knows yet.
bool Stream::skip_what_came_back(Look& look, NextFile& next) {
  const bool is_expanded = current_ && current_->compressed && next.path == path_ &&
                           compressed_ending(path_).empty();  // by gunzip, perhaps
  const bool may_be_back = next.read.offset == 0 && last_.part.marker.length > 0 &&
                           may_be_of(last_.owner, next.status) &&
                           (is_copy(next.status) || same_but_for_device(key_of(next.status), ended_key_) ||
                            ((gone_ || is_expanded) && last_.part.is_telling()));
  if (!may_be_back) return true;
  const auto same = look.around.contents.matches(next.path, key_of(next.status), last_.part);
  if (!same) {
    fail(moved_or(same.error()));
    return false;
  }
  if (*same) {
    next.read = last_.part;
    return true;
  }
  const auto now = look.around.files.status(next.path);
  if (!now || key_of(*now) != key_of(next.status) || now->size < next.status.size) {  // cut in between
    fail(now ? EAGAIN : moved_or(now.error()));
    return false;
  }
  // What is expanded comes in pieces of more than that; a new log may begin with less.
  const bool is_begun =
      is_expanded && (next.status.size == 0 || next.status.size >= static_cast<std::int64_t>(kHeadBytes));
  return (current_ && !is_begun) || next.path != path_ || !waits_for_the_rest(look);
}

Chain::Others Stream::others(const Look& look) const {
  const auto& around = look.around;
  return {[&around, id = id_](const std::string& path, const FileKey& key) {
            return around.taken(path, key, id);
          },
          [&around, id = id_](const std::string& path, const FileStatus& status) {
            return around.lost(path, status, id);
          }};
}

// What lies under the path is read by its own name, or as what it was when it had another.
OsResult<bool> Stream::is_anothers(const Look& look, const FileStatus& under_path) const {
  if (look.target.leads_away) return true;
  return look.around.taken(path_, key_of(under_path), id_);
}

// Or nobody knows yet: then it is asked again.
bool Stream::may_be_anothers(const Look& look, const FileStatus& under_path) {
  const auto anothers = is_anothers(look, under_path);
  if (!anothers) fail(anothers.error());
  return !anothers || *anothers;
}

// Or nobody knows yet: then it is asked again.
bool Stream::hand_to_who_lost_it(const Look& look, const FileStatus& under_path) {
  const auto lost = look.around.lost(path_, under_path, id_);
  if (lost) return *lost;
  const bool passes = is_passing(lost.error()) || is_absent(lost.error());
  if (passes) fail(moved_or(lost.error()));
  return passes;
}

// Once before a file is given up: names may have changed places while nobody looked, so that what became of it lies under
// another stream's path, and that one finds it there. Likewise what lies under this path may be what another has lost.
bool Stream::lets_others_look(Look& look) {
  if (std::exchange(others_looked_, true) || !current_->reader.part().is_telling()) return false;
  if (look.target.file && !may_be_anothers(look, *look.target.file))
    static_cast<void>(hand_to_who_lost_it(look, *look.target.file));
  fail(EAGAIN);
  return true;
}

void Stream::lies_at(const std::string& file) {
  current_->elsewhere = file == path_ ? std::string() : file;
  others_looked_ = false;
}

// What was read of our file lies there now.
void Stream::go_on_in(const std::string& file, const FileStatus& status) {
  close_file();
  if (!current_) current_.emplace().reader = FileReader(last_.part);
  current_->key = key_of(status);
  note_owner(status);
  lies_at(file);
  current_->measured.reset();
  current_->drained_finally = false;
  announce_ = refound_ = true;
}

}  // namespace etad::follow
