// Rotated files: which names they go by, and in which order they were written.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "daemon/follow/filesystem.h"
#include "daemon/follow/identity.h"

namespace etad::follow {

// What of a name says that gzip made the file: ".gz", and what else `gzip -S` and logrotate's `compressext` are told; or
// nothing.
std::string_view compressed_ending(std::string_view name);

// "train.log.2.gz" is the second rotated file of "train.log"; "train.log-20260711" and "train-20260711.log" are those of
// a day; "train.log~" is what an editor put aside; "@4000000065f0c2a11dcd6500.s" is one of multilog's "current".
struct RotatedName {
  std::string base;
  std::optional<std::int64_t> number;  // the higher, the older
  std::string date;     // the higher, the newer: a date's digits, seconds since 1970, or TAI64N
  bool backup = false;  // a name that a program gives to what it is about to write anew
  bool within = false;  // the number stands before the ending: it may as well be a log of its own
};
std::optional<RotatedName> rotated_name(std::string_view name);

// "train.1.log" is what spdlog, and logrotate with `extension .log`, rotate "train.log" to.
std::optional<RotatedName> numbered_within(std::string_view name);
std::string with_number_within(const std::string& path, std::int64_t number);

struct RotatedFile {
  std::string path;
  RotatedName name;
  FileStatus status;
};

// Whether `a` was written before `b`: by number, by date, or else by when they were last written to.
bool older(const RotatedFile& a, const RotatedFile& b);

// "/a/b" -> "/a" and "b"; "b" -> "." and "b".
struct SplitPath {
  std::string directory;
  std::string name;
};
SplitPath split_path(std::string_view path);

// Entries of folders, 65 ms of a core: who has more listed in one look rests for it, and in it nothing is listed again.
constexpr std::size_t kManyListed = 131'072;

// What lies under a path and beside it at one moment. Names move while they are listed and asked about: what
// is believed was the same before and after.
struct Surrounding {
  OsResult<FileStatus> under_path = tl::unexpected(ENOENT);
  std::vector<RotatedFile> rotated;  // oldest first
  std::size_t listed = 0;            // entries of directories, whatever their names
  Errno error = 0;  // why it can't be relied on: a passing one, or EAGAIN where names keep moving
};
// `places`: the path, and what it leads to if it is a link.
Surrounding look_around(FileSystem& files, const std::string& path, const std::vector<SplitPath>& places);

// What listings have told of the directories that were asked about last, each for as long as it does not change. Files come
// many to a directory, and listing it for each of them costs as much as the square of them. `What` is a container, of all
// directories together no longer than `most`.
template <class What>
class ToldOfFolders {
 public:
  explicit ToldOfFolders(std::size_t most) : most_(most) {}

  // `list(what)` lists the directory; false: what is asked can't be told. nullptr: likewise, or it could not be told for
  // long, since the directory has only just changed. An error: that of its status.
  template <class List>
  OsResult<const What*> of(FileSystem& files, const std::string& directory, Instant wall, const List& list) {
    const auto before = files.status(directory);
    if (!before) return tl::unexpected(before.error());
    if (wall - before->modified < kSettled) return nullptr;
    const auto known = told_.find(directory);
    if (known != told_.end() && known->second.is_of(*before)) return &known->second.what;
    Told now{key_of(*before), before->modified, {}};
    const bool told = list(now.what);
    const auto after = files.status(directory);
    if (!told || !after || !now.is_of(*after)) return nullptr;
    std::size_t size = now.what.size();
    for (const auto& [path, each] : told_) size += each.what.size();
    if (told_.size() >= kMostDirectories || size > most_) told_.clear();
    return &told_.insert_or_assign(directory, std::move(now)).first->second.what;
  }

 private:
  static constexpr std::size_t kMostDirectories = 8;
  static constexpr std::chrono::seconds kSettled{2};  // more than any file system's times are apart
  struct Told {
    FileKey key;
    Instant modified{};
    What what;
    bool is_of(const FileStatus& now) const { return key == key_of(now) && modified == now.modified; }
  };

  std::size_t most_;
  std::map<std::string, Told> told_;  // by path
};

// Of which names rotated forms lie in a directory.
class RotatedBeside {
 public:
  // Whether no rotated form of the path's name lies beside it, or in one of `folders`. False also where a listing could
  // not say for long: a directory has only just changed, or the path is a link, whose target has its own neighbours.
  bool has_none(FileSystem& files, const std::string& path, const std::vector<std::string>& folders,
                Instant wall);

  std::size_t take_listed() { return std::exchange(listed_, 0); }  // entries, since the last call

 private:
  bool has_none_in(FileSystem& files, const SplitPath& place, Instant wall);

  static constexpr std::size_t kMostBases = 262'144;
  ToldOfFolders<std::unordered_set<std::string>> bases_{kMostBases};
  std::size_t listed_ = 0;
};

// Which inodes lie in a directory, whose files may be gone by the thousand.
class ListedInodes {
 public:
  // Whether none of the directory's names bears the inode. False also where a listing could not say for long: it has only
  // just changed, or its file system lists no inodes.
  bool lack(FileSystem& files, const std::string& directory, std::uint64_t inode, Instant wall);

  std::size_t take_listed() { return std::exchange(listed_, 0); }  // entries, since the last call

 private:
  ToldOfFolders<std::vector<std::uint64_t>> inodes_{FileSystem::kMostNames};  // sorted
  std::size_t listed_ = 0;
};

// The file in `directory` with this key, under whatever name; not itself a link. ENOENT: there is none. The entries
// listed are added to `listed`.
OsResult<std::string> find_key(FileSystem& files, const std::string& directory, const FileKey& key,
                               std::size_t& listed);

// A folder beside a log into which its files may have been rotated.
struct FolderBelow {
  std::string path;
  bool has_rotated = false;  // names rotated away from the log's, and none that is the log's own
};
// Those of `place.directory`: on its file system, of its owner or of root, no links. None where there are too many to
// be asked.
OsResult<std::vector<FolderBelow>> folders_below(FileSystem& files, const SplitPath& place,
                                                 std::size_t& listed);

}  // namespace etad::follow
