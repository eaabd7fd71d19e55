// Rotated files: which names they go by, and in which order they were written.
#pragma once

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
// Files that are looked for in one look however many names lie around them.
constexpr int kMostFinds = 8;

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

// What is known of the directories that were asked about last: of which names rotated forms lie there. Files come many
// to a directory, and listing it for each of them costs as much as the square of them.
class RotatedBeside {
 public:
  // Whether no rotated form of the path's name lies beside it, or in one of `folders`. False also where a listing could
  // not say for long: a directory has only just changed, or the path is a link, whose target has its own neighbours.
  bool has_none(FileSystem& files, const std::string& path, const std::vector<std::string>& folders,
                Instant wall);

  std::size_t take_listed() { return std::exchange(listed_, 0); }  // entries, since the last call

 private:
  struct Directory {
    FileKey key;
    Instant modified{};
    std::unordered_set<std::string> bases;
  };
  bool has_none_in(FileSystem& files, const SplitPath& place, Instant wall);

  std::map<std::string, Directory> known_;  // by path
  std::size_t listed_ = 0;
};

// Which inodes lie in the directories that were asked about last. Where thousands of files are gone from a folder, asking
// after each by listing it costs as much as the square of them.
class ListedInodes {
 public:
  // Whether none of the directory's names bears the inode. False also where a listing could not say for long: it has only
  // just changed, or its file system lists no inodes.
  bool lack(FileSystem& files, const std::string& directory, std::uint64_t inode, Instant wall);

  std::size_t take_listed() { return std::exchange(listed_, 0); }  // entries, since the last call

 private:
  struct Directory {
    FileKey key;
    Instant modified{};
    std::vector<std::uint64_t> inodes;  // sorted
  };
  std::map<std::string, Directory> known_;  // by path
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
