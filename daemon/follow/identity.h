// The parts of a position as values, and their texts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/follow/filesystem.h"
#include "daemon/follow/position.h"

namespace etad::follow {

// A file as long as it exists. The inode is the next one's as soon as it does not; with the time when it was
// made it is nobody else's, but not every file system knows that.
struct FileKey {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t born = 0;  // microseconds since 1970; 0: not known
  auto operator<=>(const FileKey&) const = default;
};
struct HashOfKey {  // inodes count up, and of one device most often
  std::size_t operator()(const FileKey& key) const {
    return std::hash<std::uint64_t>{}(key.inode ^ key.device << 40 ^
                                      static_cast<std::uint64_t>(key.born) << 20);
  }
};
inline FileKey key_of(const FileStatus& status) {
  return {status.device, status.inode, status.born.time_since_epoch().count()};
}

// The same file although its file system goes by another device number now: after a reboot, or moved whole.
inline bool same_but_for_device(const FileKey& a, const FileKey& b) {
  return a.inode == b.inode && a.born == b.born;
}
// One inode, two files: the first was deleted before the second was made.
inline bool is_successor(const FileKey& now, const FileKey& before) {
  return now.device == before.device && now.inode == before.inode && now.born != 0 && before.born != 0 &&
         now.born != before.born;
}

// A hash of bytes, with their number: two of the same number are comparable.
struct Fingerprint {
  std::uint32_t length = 0;
  std::uint64_t hash = 0;
  bool operator==(const Fingerprint&) const = default;

  static Fingerprint of(std::string_view bytes);
  static std::optional<Fingerprint> parse(std::string_view text);
  std::string text() const;  // "" for no bytes
};

// Where, at or behind `from`, bytes may come late: the first NUL. The NULs of UTF-16 are no hole, unless three are side
// by side. npos: there is none.
std::size_t first_hole(std::string_view content, std::size_t from);

// Whether a content that begins so holds records (record_file.h). They have checksums, and any bytes within: a NUL is no
// hole, and head and marker are of all bytes.
bool holds_records(std::string_view beginning);

Fingerprint head_fingerprint(std::string_view content);
Fingerprint marker_fingerprint(std::string_view content, bool records);

// What Position::identity holds: "device:inode:modified:born", the times in microseconds since 1970. Histories of older
// versions lack "born".
struct Identity {
  FileKey key;
  Instant modified{};  // when last read: rotated files older than this are behind us

  static std::optional<Identity> parse(std::string_view text);
  std::string text() const;
};

// The part of a content that was read, by which the content is known again, wherever it lies now: under its
// name, another, or compressed.
struct ReadPart {
  std::int64_t offset = 0;
  Fingerprint head;    // of the first min(offset, 1024) bytes
  Fingerprint marker;  // of the last min(offset, 256) bytes before the offset
  bool operator==(const ReadPart&) const = default;
  // Whether it tells one file from another: a banner's few lines many begin with.
  bool is_telling() const { return head.length >= kHeadBytes; }
};

// Where a stream stands, as values: a position without the path. Of the ten thousand files that are followed most are at
// rest, and a position's texts take three times as much memory.
struct Standing {
  bool told = false;                 // it has been handed out, or comes from the history
  std::optional<Identity> identity;  // of the file being read; none yet
  ReadPart part;
  std::int64_t size = 0;
  std::string carried;
  std::optional<std::int64_t> owner{};  // of the file, when it was last read

  static Standing of(const Position& position);
  Position at(const std::string& path) const;
};

// The file that held a finished content, and whose log it was.
struct Holder {
  FileKey key;
  std::optional<std::int64_t> owner;
};

// A finished identity is of a content ("head/length/marker"), and of the file that held it where that is
// known ("head/length/marker/device:inode:born:owner"; some lack the owner). Two files of one content are two.
std::string with_holder(const std::string& content, const Holder& holder);
std::optional<Holder> holder_of_finished(std::string_view identity);

// The part of a whole content, out of its finished identity, and back.
std::optional<ReadPart> part_of_finished(std::string_view identity);
std::string finished_identity(const ReadPart& part);

}  // namespace etad::follow
