// The parts of a position as values, and their texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/follow/filesystem.h"
#include "daemon/follow/position.h"

namespace etad::follow {

// A file as long as it exists. Reused by the next one as soon as it does not.
struct FileKey {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  auto operator<=>(const FileKey&) const = default;
};
inline FileKey key_of(const FileStatus& status) {
  return {status.device, status.inode};
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

Fingerprint head_fingerprint(std::string_view content);
Fingerprint marker_fingerprint(std::string_view content);

// What Position::identity holds.
struct Identity {
  FileKey key;
  Instant modified{};  // when last read: rotated files older than this are behind us

  static std::optional<Identity> parse(std::string_view text);
  std::string text() const;
};

// What is known of a content read so far, wherever it lies now: under its name, another, or compressed.
struct Trace {
  std::int64_t offset = 0;
  Fingerprint head;    // of the first min(offset, 1024) bytes
  Fingerprint marker;  // of the last min(offset, 256) bytes before the offset
};

// The trace of a whole content, out of its finished identity.
std::optional<Trace> trace_of_finished(std::string_view identity);

}  // namespace etad::follow
