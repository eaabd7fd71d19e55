// Who a file is and how far it has been read: what the history keeps of a stream between two starts of the
// daemon, and the free functions an import uses to see that a file has been read before.
//
// A file is its device, its inode *and* its content. The content is known by two hashes: the head (the first
// bytes, up to 1 KiB; it grows with what has been read, so that a file of ten bytes is known at once) and the
// marker (the bytes just before the offset, up to 256). Inodes are reused and headers are alike; that a file
// has our inode, our head *and* our marker without being ours does not happen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace etad::follow {

inline constexpr std::size_t kHeadBytes = 1024;
inline constexpr std::size_t kMarkerBytes = 256;

// Where a stream stands. The texts are written and read by this room and opaque to everybody else; they go
// into the columns of the same names in the history (storage/rows.h, SourceRow).
struct Position {
  std::string path;      // the stream's: as the configuration found it
  std::string identity;  // "device:inode:modified:born" of the file being read (identity.h); empty: none yet
  std::int64_t offset = 0;  // bytes of that file behind us: the end of the last line taken
  std::string marker;       // marker_of(the bytes before the offset)
  std::string head;         // head_of(the bytes before the offset)
  std::int64_t size = 0;    // of the file when last looked at: what is behind a truncation is lost
  std::string
      carried{};  // parts of a line, as the runtime of a container wrapped them, whose end is in the next file
  std::optional<std::int64_t> owner{};  // uid of the file's, when it was last read; none: not known
  bool operator==(const Position&) const = default;
};

// The hash of the first min(1024, size) bytes, with their number: "1024:9f86d081884c7d65".
std::string head_of(std::string_view content);

// Whether `content` (all of a file, or its first 1024 bytes) begins with the bytes that gave `head`.
// An empty or unreadable `head` matches nothing.
bool matches_head(std::string_view content, std::string_view head);

// The hash of the last min(256, size) bytes of what has been read, with their number. `records`: of a content that holds
// such (holds_records, identity.h).
std::string marker_of(std::string_view content, bool records = false);

// Whether the bytes before the offset are those that gave `marker`. `before_offset` ends at the offset.
bool matches_marker(std::string_view before_offset, std::string_view marker);

// What the list of finished files holds of one: head, length and marker at the end, without device and inode,
// so that a compressed or copied file is still known. `content_size` counts decompressed bytes.
std::string finished_identity(std::string_view head, std::int64_t content_size, std::string_view marker);

// The same, out of an entry of the list, which may also name the file that was read.
std::string_view content_of_finished(std::string_view identity);

}  // namespace etad::follow
