// Where the file of a stream lies by now, and what other files are to it: its copies, and what may be it, written anew.
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "daemon/follow/follower_impl.h"

namespace etad::follow {
namespace {

constexpr std::size_t kMostLeftAlone = 10'000;  // copies of one owner that are remembered

}  // namespace

// So that another file, which lies at `path`, may be it by now.
OsResult<bool> Follower::Impl::has_lost_its_file(const Followed& followed, const std::string& path,
                                                 const FileStatus& status) {
  if (!followed.key) return !followed.reads();
  const auto here = files.status(followed.path);
  if (!here && leaves_open(here.error())) return tl::unexpected(here.error());
  if (here && key_of(*here) == *followed.key) {  // unless it was cut, behind its copy
    const auto same = still_holds(followed.path, *followed.key, followed.part());
    return same ? OsResult<bool>(!*same) : same;
  }
  const auto lies = lies_elsewhere(followed);
  if (!lies) return tl::unexpected(lies.error());
  const auto& found = *lies;
  if (!found) return true;
  const auto holds = still_holds(*found, *followed.key, followed.part());
  if (!holds || !*holds) return holds ? OsResult<bool>(true) : holds;
  const SplitPath place = split_path(*found);
  const auto name = rotated_name(place.name);
  if (!name) return false;
  // It was renamed, and put aside under the name that it had since: a backup's, or one that it was given after the other
  // file was made.
  if (!here) {
    if (path != place.directory + "/" + name->base) return false;
    const auto aside = files.status(*found);
    return name->backup || (!name->number && name->date.empty() && status.born != Instant{} && aside &&
                            aside->changed >= status.born);
  }
  // Put aside under a backup's name; and under its own lies another stream's file or what begins otherwise, so that what
  // was written anew there has been moved.
  if (!name->backup) return false;
  if (by_key.contains(key_of(*here))) return true;
  const auto same = still_holds(followed.path, key_of(*here), followed.part());
  return same ? OsResult<bool>(!*same) : same;
}

// Of another stream's file, as it lies there.
OsResult<bool> Follower::Impl::still_holds(const std::string& path, const FileKey& key,
                                           const ReadPart& part) {
  const auto same = contents.matches(path, key, part);
  if (same || leaves_open(same.error())) return same;
  return is_absent(same.error()) ? OsResult<bool>(tl::unexpected(EAGAIN)) : false;
}

// A copy that was given its original's time and has not changed since (`cp -a`, `rsync -a`, a backup), of a followed log
// that still lies there: all that it holds is read there, and stays read, whatever becomes of the original. Two runs that
// wrote the same have not done so at the same time. EBUSY: perhaps one is being made, which gets that time last.
OsResult<bool> Follower::Impl::is_copy_of_followed(const std::string& path, const FileStatus& status) {
  const bool made = is_copy(status);
  if ((!made && !is_being_put_there(status)) || by_head.empty()) return false;
  if (!made && status.size == 0) return tl::unexpected(EBUSY);
  if (status.size < static_cast<std::int64_t>(kHeadBytes)) return false;
  // Of a compressed file this is nothing, and it is not inflated for it.
  const FileKey key = key_of(status);
  const auto identity = contents.identity(path, key, [](const Fingerprint&) { return false; });
  if (!identity) return tl::unexpected(identity.error());
  const auto whole = *identity ? part_of_finished(**identity) : std::nullopt;
  if (!whole || (made && whole->offset != status.size)) return false;
  const auto of_same_owner = [&](const Followed& followed) { return may_be_of(followed.owner, status); };
  const auto candidates = newest_alike(whole->head.hash, of_same_owner);
  if (made && !candidates.empty() && finished.knows(key, **identity)) return true;
  int asked = 0;
  for (Followed* const followed : candidates) {
    if (!contents.may_find(++asked)) return tl::unexpected(EAGAIN);
    const auto place = place_of(*followed);
    if (!place) return tl::unexpected(of_another(place.error()));
    const auto there = files.status(*place);
    if (!there && leaves_open(there.error())) return tl::unexpected(of_another(there.error()));
    if (!there || there->type != FileType::regular || there->size < whole->offset) continue;
    const bool has_grown = there->size > status.size && there->modified > status.modified;
    if (made && !has_grown && !(there->size == status.size && there->modified == status.modified)) continue;
    const auto same = still_holds(*place, key_of(*there), *whole);
    if (!same) return tl::unexpected(of_another(same.error()));
    if (!*same) continue;
    if (!made) return tl::unexpected(EBUSY);
    // Before that the copy may have to tell what the original has lost.
    if (followed->part().offset >= whole->offset) note_left_alone(*followed, **identity, {key, status.owner});
    return true;
  }
  return false;
}

// What a file holds was read by a stream that does not read it: it is left alone from now on.
void Follower::Impl::note_left_alone(Followed& reader, const std::string& content, const Holder& holder) {
  if (left_alone_of[holder.owner] >= kMostLeftAlone) return;  // beyond that it is asked each time
  std::string identity = with_holder(content, holder);
  if (!finished.add(identity)) return;
  ++left_alone_of[holder.owner];
  reader.awake().note_finished(std::move(identity));
  schedule.now(reader.id, polled);
}

// Where the file of a stream lies: under its path, or where it was moved to.
OsResult<std::string> Follower::Impl::place_of(const Followed& followed) {
  const auto here = files.status(followed.path);
  if (!followed.key || (here && key_of(*here) == *followed.key)) return followed.path;
  const auto found = lies_elsewhere(followed);
  if (!found) return tl::unexpected(found.error());
  return found->value_or(followed.path);
}

// Where a file lies that is not under its stream's path: beside that, or where rotated files are. Nothing: not there.
OsResult<std::optional<std::string>> Follower::Impl::lies_beside(const Followed& followed) {
  auto found = contents.find(split_path(followed.path).directory, *followed.key);
  for (const std::string& folder : folders_of(followed.path))
    if (!found && found.error() == ENOENT) found = contents.find(folder, *followed.key);
  if (found) return std::optional(std::move(*found));
  if (found.error() != ENOENT) return tl::unexpected(found.error());
  return std::optional<std::string>();
}

// Likewise; or where it was found last, under any name in that folder; or wherever the scan that is under way has seen it.
// EAGAIN: it has been moved from there since, and the next scan tells where to.
OsResult<std::optional<std::string>> Follower::Impl::lies_elsewhere(const Followed& followed) {
  const FileKey& key = *followed.key;
  const std::string last = followed.status().file;
  std::vector<std::string> seen;  // in this scan
  if (listing != nullptr) {
    const auto [first, end] = listing->others.equal_range(key.inode);
    for (auto each = first; each != end; ++each) seen.push_back(*each->second);
    const auto [first_path, end_path] = listing->followed.equal_range(key.inode);
    for (auto each = first_path; each != end_path; ++each)
      if (const auto stream = streams.find(each->second); stream != streams.end())
        seen.push_back(stream->second.path);
  }
  bool was_moved = false;
  for (std::string& name : seen) {
    const auto there = files.status(name);
    if (!there && leaves_open(there.error())) return tl::unexpected(there.error());
    if (there && key_of(*there) == key) return std::optional(std::move(name));
    was_moved |= !there || there->inode != key.inode;
  }
  if (!last.empty()) {
    const auto there = files.status(last);
    if (!there && leaves_open(there.error())) return tl::unexpected(there.error());
    if (there && key_of(*there) == key) return std::optional(last);
  }
  if (!last.empty()) {
    auto found = contents.find(split_path(last).directory, key);
    if (found) return std::optional(std::move(*found));
    if (found.error() != ENOENT) return tl::unexpected(found.error());
  }
  auto beside = lies_beside(followed);
  if (was_moved && beside && !*beside) return tl::unexpected(EAGAIN);
  return beside;
}

// Whether it lies anywhere but under its stream's path.
OsResult<bool> Follower::Impl::lies_aside(const Followed& followed) {
  const auto here = files.status(followed.path);
  if (!here && leaves_open(here.error())) return tl::unexpected(here.error());
  if (here && key_of(*here) == *followed.key) return false;
  const auto found = lies_elsewhere(followed);
  return found ? OsResult<bool>(found->has_value()) : tl::unexpected(found.error());
}

// Whether the file of a stream, which lies at `path` by now, was moved there while that one did not look.
bool Follower::Impl::was_moved(const Followed& followed, const std::string& path, const FileStatus& status) {
  const std::string last = followed.status().file;
  if (followed.is_open() || last == path) return false;
  const FileKey key = key_of(status);
  for (const std::string& name : {followed.path, last}) {  // then `path` is a second name
    const auto here = name.empty() ? tl::unexpected(ENOENT) : files.status(name);
    if (here ? key_of(*here) == key : leaves_open(here.error())) return false;
  }
  const auto same = key.born != 0 ? OsResult<bool>(true) : contents.matches(path, key, followed.part());
  if (!same || !*same) return false;
  const auto beside = lies_beside(followed);
  return beside && !*beside;
}

}  // namespace etad::follow
