#include "daemon/follow/contents.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "daemon/follow/rotation.h"

namespace etad::follow {
namespace {

constexpr std::size_t kMostWaiting = 8;          // descriptors and windows held between turns
constexpr std::size_t kMostKnown = 4096;         // compressed files of which something is kept
constexpr std::size_t kListed = 256;             // bytes are read in the time that listing an entry takes
constexpr std::uint64_t kForgottenAfter = 4096;  // turns: nobody asks any more

}  // namespace

void Contents::begin_turn(std::size_t share, Instant wall) {
  wall_ = wall;
  inflating_.left = share_ = share;
  listed_ = 0;
  ++turn_;
}

void Contents::note_listed(std::size_t entries) {
  listed_ += entries * kListed;
}

std::size_t Contents::listed() const {
  return listed_ / kListed;
}

OsResult<std::string> Contents::find(const std::string& directory, const FileKey& key) {
  const bool is_gone = inodes_.lack(files_, directory, key.inode, wall_);
  note_listed(inodes_.take_listed());
  if (is_gone) return tl::unexpected(ENOENT);
  std::size_t listed = 0;
  auto found = find_key(files_, directory, key, listed);
  note_listed(listed);
  return found;
}

OsResult<std::vector<FolderBelow>> Contents::folders_below(const SplitPath& place) {
  std::size_t listed = 0;
  auto out = follow::folders_below(files_, place, listed);
  note_listed(listed);
  return out;
}

// Nothing for a plain file, of which all is found out at once.
Contents::Known* Contents::entry_of(const Opened& file) {
  if (!file.content->compressed()) return nullptr;
  if (known_.size() > kMostKnown) forget_who_has_most();
  Known& known = known_[key_of(file.status)];
  if (known.size != file.status.size || known.modified != file.status.modified)
    known = {file.status.size, file.status.modified, nullptr, turn_, file.status.owner};
  known.used = turn_;
  return &known;
}

// What is known of that owner's files: with all others' they would have theirs inflated again for his.
void Contents::forget_who_has_most() {
  std::map<std::optional<std::int64_t>, std::size_t> many;
  for (const auto& [key, each] : known_) ++many[each.owner];
  const auto most = std::ranges::max_element(many, {}, [](const auto& each) { return each.second; })->first;
  std::erase_if(known_, [&](const auto& each) { return each.second.owner == most && !each.second.waiting; });
}

OsResult<Contents::Opened> Contents::open(const std::string& path) {
  const auto handle = files_.open(path);
  if (!handle) return tl::unexpected(handle.error());
  auto content = content_of(files_, *handle, inflating_);
  if (!content) return tl::unexpected(content.error());
  const auto status = (*content)->status();
  if (!status) return tl::unexpected(status.error());
  Opened out{std::move(*content), *status};
  if (Known* const before = entry_of(out); before && before->waiting) {
    out.content = std::move(before->waiting);
    out.goes_on = true;
  }
  return out;
}

OsResult<Contents::Opened> Contents::open_key(const std::string& path, const FileKey& key) {
  auto file = open(path);
  if (file && key_of(file->status) != key) return tl::unexpected(EAGAIN);
  return file;
}

// Whether one more may be kept of this owner's. Where there are as many as may be, one of the owner's gives way who has
// most: one user's files that take long would else have another's begin anew in each turn, and come to no end.
bool Contents::has_room_for(const std::optional<std::int64_t>& owner) {
  const auto many = [this] {
    return static_cast<std::size_t>(
        std::ranges::count_if(known_, [](const auto& each) { return each.second.waiting != nullptr; }));
  };
  if (many() < kMostWaiting) return true;
  for (auto& [key, each] : known_)
    if (turn_ - each.used > kForgottenAfter) each.waiting.reset();
  if (many() < kMostWaiting) return true;
  std::map<std::optional<std::int64_t>, std::vector<Known*>> waiting;
  for (auto& [key, each] : known_)
    if (each.waiting) waiting[each.owner].push_back(&each);
  const std::size_t theirs = waiting[owner].size();
  const auto& most =
      std::ranges::max_element(waiting, {}, [](const auto& each) { return each.second.size(); })->second;
  if (most.size() <= theirs + 1) return false;
  (*std::ranges::min_element(most, {}, &Known::used))->waiting.reset();
  return true;
}

// For the next question about it, which goes on where this one left off.
void Contents::keep(Opened& file) {
  Known* const mine = entry_of(file);
  if (!mine) return;
  if (has_room_for(mine->owner)) mine->waiting = std::move(file.content);
}

void Contents::put_back(Opened& file) {
  Known* const mine = entry_of(file);
  if (file.goes_on && mine && !mine->identity) keep(file);
  file.content.reset();
}

OsResult<bool> Contents::match(Opened& file, const ReadPart& part) {
  Known* const mine = entry_of(file);
  if (!mine) return follow::matches(*file.content, part);
  if (mine->matched && mine->matched->first == part) return mine->matched->second;
  const auto answer = follow::matches(*file.content, part);
  if (answer) mine->matched = {part, *answer};
  if (!answer && answer.error() == EAGAIN) keep(file);
  return answer;
}

OsResult<Fingerprint> Contents::head_of(Opened& file, Known& mine) {
  if (mine.head) return *mine.head;
  const auto head = follow::head_of(*file.content);
  if (head) mine.head = *head;
  if (!head && head.error() == EAGAIN) keep(file);
  return head;
}

OsResult<Fingerprint> Contents::head(const std::string& path, const FileKey& key) {
  auto file = open_key(path, key);
  if (!file) return tl::unexpected(file.error());
  Known* const mine = entry_of(*file);
  if (!mine) return follow::head_of(*file->content);
  const auto answer = head_of(*file, *mine);
  if (answer) put_back(*file);
  return answer;
}

bool Contents::is_compressed(const FileStatus& status) const {
  const auto found = known_.find(key_of(status));
  return found != known_.end() && found->second.size == status.size &&
         found->second.modified == status.modified;
}

OsResult<Contents::Opened> Contents::open_if(const std::string& path, const ReadPart& part) {
  auto file = open(path);
  if (!file) return file;
  const auto same = match(*file, part);
  if (!same) return tl::unexpected(same.error());
  if (!*same) put_back(*file);
  return file;
}

OsResult<bool> Contents::matches(const std::string& path, const FileKey& key, const ReadPart& part) {
  auto file = open_key(path, key);
  if (!file) return tl::unexpected(file.error());
  const auto answer = match(*file, part);
  if (answer && *answer)
    keep(*file);
  else if (answer)
    put_back(*file);
  return answer;
}

OsResult<std::optional<std::string>> Contents::identity(const std::string& path, const FileKey& key,
                                                        const Begins& begins) {
  auto file = open_key(path, key);
  if (!file) return tl::unexpected(file.error());
  Known* const mine = entry_of(*file);
  if (mine && mine->identity) {
    if (file->goes_on) keep(*file);  // amid a comparison
    if (!*mine->identity) return tl::unexpected(mine->identity->error());
    return **mine->identity;
  }
  if (mine) {
    const auto head = head_of(*file, *mine);
    if (!head) return tl::unexpected(head.error());
    if (!begins(*head)) {
      put_back(*file);
      return std::nullopt;
    }
  }
  const auto answer = file->content->finished_identity();
  if (mine && (answer || answer.error() == EFBIG)) mine->identity = answer;
  if (!answer && answer.error() == EAGAIN) keep(*file);
  if (!answer) return tl::unexpected(answer.error());
  return *answer;
}

}  // namespace etad::follow
