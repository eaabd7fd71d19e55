#include "daemon/follow/chain.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>

namespace etad::follow {
namespace {

// What packs or copies a file may give it the time of its original in whole seconds (pigz, tar): then it tells no more
// of the last write than the second, and looks older than what it was made of.
Instant as_told_by(const FileStatus& file, Instant last) {
  const auto second = std::chrono::floor<std::chrono::seconds>(last);
  return std::chrono::floor<std::chrono::seconds>(file.modified) == file.modified ? Instant(second) : last;
}

}  // namespace

Chain::Chain(FileSystem& files, Contents& contents, const std::string& path,
             const std::vector<std::string>& folders, const FinishedFiles& finished, const Link& current)
    : contents_(contents), path_(path), places_{split_path(path)} {
  if (const auto resolved = files.resolve(path)) {
    SplitPath target = split_path(*resolved);
    const auto here = files.resolve(places_[0].directory);
    if (target.name != places_[0].name || !here || *here != target.directory)
      places_.push_back(std::move(target));
  }
  add(files, folders);
  around_ = look_around(files, path, places_);
  if (around_.error != 0) error_ = around_.error;
  contents_.note_listed(around_.listed);
  std::erase_if(around_.rotated,
                [&](const RotatedFile& file) { return !may_be_of(current.owner, file.status); });
  shifts_within_ = std::any_of(around_.rotated.begin(), around_.rotated.end(), [&](const RotatedFile& file) {
    const FileKey key = key_of(file.status);
    return file.name.within && (key == current.key || finished.knows(key));
  });
}

// Each folder once, whatever it is called: of a file that is listed twice nobody would know which comes first.
void Chain::add(FileSystem& files, const std::vector<std::string>& folders) {
  const std::vector<SplitPath> own = places_;
  std::vector<FileKey> directories;
  if (!folders.empty())
    for (const SplitPath& place : own)
      if (const auto status = files.status(place.directory)) directories.push_back(key_of(*status));
  for (const std::string& folder : folders) {
    const auto status = files.status(folder);
    if (!status && is_passing(status.error())) note(status.error());
    if (!status || std::find(directories.begin(), directories.end(), key_of(*status)) != directories.end())
      continue;
    directories.push_back(key_of(*status));
    for (const SplitPath& place : own)
      if (&place == &own.front() || place.name != own.front().name) places_.push_back({folder, place.name});
  }
}

std::vector<RotatedFile> Chain::newer_than(const Link& last) {
  const auto mine = std::find_if(around_.rotated.begin(), around_.rotated.end(),
                                 [&](const RotatedFile& s) { return key_of(s.status) == last.key; });
  std::vector<RotatedFile> out;
  for (const RotatedFile& file : around_.rotated) {
    if (key_of(file.status) == last.key || (file.name.within && !shifts_within_)) continue;
    if (around_.under_path && key_of(file.status) == key_of(*around_.under_path)) continue;
    const bool by_name =
        mine != around_.rotated.end() &&
        ((mine->name.number && file.name.number) || (!mine->name.date.empty() && !file.name.date.empty()));
    if (by_name ? older(*mine, file) : file.status.modified >= as_told_by(file.status, last.modified))
      out.push_back(file);
  }
  return out;
}

Chain::Newer Chain::newer(const Link& last, const FinishedFiles& finished) {
  Newer out = Newer::none;
  for (const RotatedFile& file : newer_than(last)) {
    // Compressing keeps the time of the last write: this may be the file itself, or one that was rotated at that time.
    const bool may_be_itself = !compressed_ending(file.path).empty() &&
                               file.status.modified == as_told_by(file.status, last.modified);
    if (may_be_itself && is_read(file, last, finished)) continue;
    if (copied_of(file, last)) continue;
    if (file.status.size > 0) return Newer::yes;
    out = Newer::empty;
  }
  return out;
}

std::optional<NextFile> Chain::next(const Link& last, const FinishedFiles& finished, const Others& others) {
  std::optional<NextFile> empty;
  for (RotatedFile& file : newer_than(last)) {
    if (known_or(others.read(file.path, key_of(file.status)), true)) continue;
    NextFile candidate{file.path, file.status, {}};
    if (const auto part = copied_of(file, last)) {
      candidate.read = *part;
      if (part->offset < file.status.size) return candidate;
      continue;
    }
    if (candidate.status.size == 0) {
      if (!empty) empty = std::move(candidate);
      continue;
    }
    if (finished.knows(key_of(file.status)))
      candidate.read = known_or(read_before(contents_, file.path, file.status, finished), ReadPart{});
    if (candidate.read.offset > 0) {
      if (candidate.read.offset < file.status.size) return candidate;  // it has grown since
      continue;
    }
    if (is_read(file, last, finished) || is_copied_beginning(candidate, false)) continue;
    if (!known_or(others.lost(file.path, file.status), false)) return candidate;
  }
  const auto& here = around_.under_path;
  const bool is_file = here && here->type == FileType::regular;
  // Renamed while it was empty: until the path's file has bytes, the writer may still have this one open.
  if (empty && !(is_file && here->size > 0)) return empty;
  if (!is_file || known_or(others.read(path_, key_of(*here)), true)) return std::nullopt;
  NextFile under_path{path_, *here, {}};
  // What is compressed was something else before; a name such as "train.2.log.gz" has another file at each rotation.
  if (finished.knows(key_of(*here)) || !compressed_ending(path_).empty())
    under_path.read = known_or(follow::read_before(contents_, path_, *here, finished), ReadPart{});
  if (under_path.read.offset == 0 && known_or(others.lost(path_, *here), false)) return std::nullopt;
  return under_path;
}

// Whether this file lies there too, as another of the chain. Two runs may have written the same; but a copy
// of another name ("train.log.old"), or what was compressed beside its original, is that one again.
bool Chain::is_another(const FileKey& key, const ReadPart& part, const RotatedName& than) {
  return std::any_of(around_.rotated.begin(), around_.rotated.end(), [&](const RotatedFile& file) {
    const RotatedName& name = file.name;
    return key_of(file.status) == key &&
           ((name.number && than.number && *name.number != *than.number) ||
            (!name.date.empty() && !than.date.empty() && name.date != than.date)) &&
           still_holds(file.path, key, part);
  });
}

// Where nobody knows when a file was made, another one may have its inode by now: its content tells.
bool Chain::still_holds(const std::string& file, const FileKey& key, const ReadPart& part) {
  return key.born != 0 || known_or(contents_.matches(file, key, part), true);
}

bool Chain::is_put_aside(const FileKey& key) const {
  return std::any_of(around_.rotated.begin(), around_.rotated.end(),
                     [&](const RotatedFile& file) { return file.name.backup && key_of(file.status) == key; });
}

bool Chain::is_name_of_ours(const std::string& file) const {
  return file == path_ || std::any_of(around_.rotated.begin(), around_.rotated.end(),
                                      [&](const RotatedFile& each) { return each.path == file; });
}

// Whether a file that was read still lies there as another log's: under any name but ours, or, as `rotated`, under one
// that its rotated files have.
bool Chain::is_another_logs(const FileKey& key, const ReadPart& part, bool rotated) {
  const auto found = find(key);
  if (!found || is_name_of_ours(*found)) return false;
  const auto name = rotated ? rotated_name(split_path(*found).name) : std::nullopt;
  return (!rotated || (name && !name->backup)) && still_holds(*found, key, part);
}

// Whether it is a finished file, or the one just read, under another name or compressed.
bool Chain::is_read(const RotatedFile& candidate, const Link& last, const FinishedFiles& finished) {
  const FileKey key = key_of(candidate.status);
  const auto begins = [&](const Fingerprint& head) {
    return finished.begins(head) || (last.part.offset > 0 && head == last.part.head);
  };
  const auto identity =
      known_or(contents_.identity(candidate.path, key, begins), std::optional<std::string>(std::string()));
  if (!identity) return false;
  if (identity->empty()) return true;  // not all of it is there yet
  // What was written in its place and has the bytes of another log's file is no copy of that one; but what compresses
  // may have renamed it before (logback).
  const bool may_be_copy = is_copy(candidate.status) || candidate.status.born == Instant{} ||
                           !compressed_ending(candidate.path).empty();
  const ReadPart part = part_of_finished(*identity).value_or(ReadPart{});
  const auto is_other = [&](const FileKey& other) {
    return is_another(other, part, candidate.name) ||
           (other != key && is_another_logs(other, part, may_be_copy));
  };
  return (*identity == last.finished() && !is_other(last.key)) ||
         finished.may_be(*identity, candidate.status, is_other);
}

// A copy that copytruncate has just made, of a file not truncated yet: all of it will be read there. Of ours, which was
// written anew since, it may be an older one, too (`cp train.log train.log.bak`, then an editor).
bool Chain::is_copied_beginning(const NextFile& candidate, bool of_ours) {
  const auto& here = around_.under_path;
  if (!here || candidate.status.size > here->size) return false;
  const bool is_older = candidate.status.born != Instant{} && candidate.status.born < here->born;
  if (is_older && !of_ours) return false;
  auto copy = contents_.open(candidate.path);
  if (!copy || key_of(copy->status) != key_of(candidate.status)) {
    note(copy ? EAGAIN : copy.error());
    return false;
  }
  if (copy->content->compressed()) return false;
  const auto identity = known_or(copy->content->finished_identity(), std::string());
  const auto part = part_of_finished(identity);
  if (is_older && part && part->marker.length < kMarkerBytes)
    return false;  // so little many files begin with
  return part && known_or(contents_.matches(path_, key_of(*here), *part), false);
}

// What copies a log away renames it first, and removes it last (logrotate's `renamecopy`): until then it lies under a name
// that no rotated file has, and its copy, or so far the beginning of that, under one. How much of the copy was read.
std::optional<ReadPart> Chain::copied_of(const RotatedFile& candidate, const Link& last) {
  const FileKey key = key_of(candidate.status);
  if (last.part.offset == 0 || is_another(last.key, last.part, candidate.name)) return std::nullopt;
  const auto original = find(last.key);
  if (!original || is_name_of_ours(*original)) return std::nullopt;
  if (candidate.status.size == 0) return ReadPart{};
  const bool may_be_whole = candidate.status.size == last.part.offset ||
                            (candidate.status.size > last.part.offset && last.part.is_telling());
  if (may_be_whole)
    return known_or(contents_.matches(candidate.path, key, last.part), false) ? std::optional(last.part)
                                                                              : std::nullopt;
  if (candidate.status.size > last.part.offset) return std::nullopt;
  const auto identity =
      known_or(contents_.identity(candidate.path, key, [](const Fingerprint&) { return false; }),
               std::optional<std::string>());
  const auto part = identity ? part_of_finished(*identity) : std::nullopt;
  return part && known_or(contents_.matches(*original, last.key, *part), false) ? part : std::nullopt;
}

std::optional<RotatedFile> Chain::holds(const Link& last, const FinishedFiles& finished,
                                        const Others& others) {
  if (last.part.marker.length == 0) return std::nullopt;  // nothing read yet: every file would do
  // The oldest first, also where one is compressed: of a few bytes a later file may begin with the same. While a file is
  // being compressed both lie there, and the compressed one, cut short, has the later time.
  for (const RotatedFile& file : around_.rotated) {
    const FileKey key = key_of(file.status);
    if (key == last.key) continue;  // itself
    if (file.name.within && !shifts_within_ && !last.part.is_telling()) continue;
    if (file.status.modified < as_told_by(file.status, last.modified) || file.status.size == 0) continue;
    if (known_or(others.read(file.path, key), true)) continue;
    const bool may_hold = !compressed_ending(file.path).empty() || file.status.size >= last.part.offset;
    if (!may_hold || !known_or(contents_.matches(file.path, key, last.part), false)) {
      // What was written since is to be read first; what is behind it only begins as ours did.
      if (!last.part.is_telling() && !finished.knows(key) && !is_read(file, last, finished)) break;
      continue;
    }
    // Files that begin alike: this one has been read already, so it is not the one being read. That a file
    // with the same bytes was read as another log's, or put aside, does not count: this one is a copy of ours.
    const auto identity =
        known_or(contents_.identity(file.path, key, [](const Fingerprint&) { return true; }),
                 std::optional<std::string>(std::string()));
    const ReadPart part = part_of_finished(*identity).value_or(ReadPart{});
    const auto is_other = [&](const FileKey& other) {
      return is_another(other, part, file.name) ||
             (other != key && (is_put_aside(other) || is_another_logs(other, part)));
    };
    // Nor that ours was whole before it was replaced by the copy that we were reading.
    const bool is_read_now = *identity == last.finished();
    if (identity->empty()) continue;
    if (is_read_now ? finished.knows(key, *identity) : finished.may_be(*identity, file.status, is_other))
      continue;
    if (!is_copied_beginning({file.path, file.status, {}}, true)) return file;
  }
  return std::nullopt;
}

std::optional<RotatedFile> Chain::finished_one(const FinishedFiles& finished) {
  for (const RotatedFile& file : around_.rotated) {
    const FileKey key = key_of(file.status);
    if (finished.knows(key)) return file;
    if (compressed_ending(file.path).empty()) continue;
    const auto begins = [&](const Fingerprint& head) { return finished.begins(head); };
    const auto identity = known_or(contents_.identity(file.path, key, begins), std::optional<std::string>());
    if (identity && finished.may_be(*identity, file.status, [](const FileKey&) { return false; }))
      return file;
  }
  return std::nullopt;
}

// What may be there and can't be read makes the answer unsure; what is not there, or not for us, does not. A
// name that was there a moment ago is another's by now: then everything is looked at again.
void Chain::note(Errno error) {
  if (error == ENOENT) error = EAGAIN;
  if (is_passing(error)) error_ = error;
}

template <class T>
T Chain::known_or(const OsResult<T>& answer, T otherwise) {
  if (answer) return *answer;
  note(answer.error());
  return otherwise;
}

std::optional<std::string> Chain::find(const FileKey& key) {
  if (found_ && found_->first == key) return found_->second;
  found_.emplace(key, std::nullopt);
  // Of thousands of files the others are asked about in a later look.
  if (!contents_.may_find(++finds_)) {
    note(EAGAIN);
    return std::nullopt;
  }
  for (const SplitPath& place : places_) {
    auto found = contents_.find(place.directory, key);
    if (found) return found_->second = std::move(*found);
    if (found.error() != ENOENT) note(found.error());
  }
  return std::nullopt;
}

OsResult<ReadPart> read_before(Contents& contents, const std::string& path, const FileStatus& status,
                               const FinishedFiles& finished) {
  if (finished.empty() || status.size == 0) return ReadPart{};
  const FileKey key = key_of(status);
  for (const ReadPart& part : finished.of(key)) {
    const auto same = contents.matches(path, key, part);
    if (!same) return tl::unexpected(same.error());
    if (*same) return part;
  }
  const auto identity =
      contents.identity(path, key, [&](const Fingerprint& head) { return finished.begins(head); });
  if (!identity) return tl::unexpected(identity.error());
  if (!*identity) return ReadPart{};
  const ReadPart part = part_of_finished(**identity).value_or(ReadPart{});
  // A copy that keeps its original's time is one, and what is compressed was something else before. Otherwise a file of
  // the same content is another run's.
  const bool may_be_any = is_copy(status) || status.born == Instant{} ||
                          (part.marker.length >= kMarkerBytes && contents.is_compressed(status));
  const auto is_other = [&](const FileKey&) { return !may_be_any; };
  return finished.may_be(**identity, status, is_other) ? part : ReadPart{};
}

}  // namespace etad::follow
