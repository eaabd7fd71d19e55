// A path that is followed: its stream, or, where that is at rest, only where it stands. Of ten thousand files most have
// long been read to their ends, and most of what a stream knows is about what is under way.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "daemon/follow/filesystem.h"
#include "daemon/follow/follower.h"
#include "daemon/follow/identity.h"
#include "daemon/follow/stream.h"

namespace etad::follow {

struct Followed {
  StreamId id = 0;
  std::size_t tag = 0;
  std::string path;
  bool read_rotated = false;
  bool literal = false;

  // As the follower's indices have them:
  std::optional<FileKey> key;
  std::optional<std::int64_t> owner;  // of its file, where that is known
  std::string target;                 // where its path leads, if that is a link
  std::optional<std::uint64_t> head;  // the hash of its file's first bytes, if all are read

  // For a path that has no stream yet. A file was found there: until the first look all of it counts as unread.
  void expect(const FileStatus& found);
  // Likewise: where the history has it. Until the first look nobody knows whether the file is still that one.
  void restore(const Position& position);

  Stream& awake();
  // Keeps no more than where the stream stands, if a stream that goes on from there would do as this one.
  void rest();
  // At rest, and the file as it was left.
  bool rests_still(FileSystem& files) const;

  bool is_open() const { return stream_ && stream_->is_open(); }
  std::optional<SteadyTime> gone_since() const { return stream_ ? stream_->gone_since() : std::nullopt; }
  ReadPart part() const { return stream_ ? stream_->part() : standing_.part; }
  std::optional<FileKey> reads() const;
  Status status() const;
  bool is_at_rest() const { return kept_ == Kept::at_rest; }
  void set_tag(std::size_t tag);
  void pace(std::chrono::nanoseconds took, std::chrono::nanoseconds most, const Options& options);
  std::size_t lines_at_once(const Options& options) const {
    return most_lines_ > 0 ? most_lines_ : options.first_lines;
  }

 private:
  enum class Kept : std::uint8_t { nothing, unread_file, restored, at_rest };

  Status kept_status() const;

  std::unique_ptr<Stream> stream_;
  Kept kept_ = Kept::nothing;   // while there is no stream
  Standing standing_;           // likewise
  std::size_t most_lines_ = 0;  // at once, by their cost; 0: that is not known yet
};

}  // namespace etad::follow
