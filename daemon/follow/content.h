// What a file holds: its bytes, decompressed where it is a gzip file. Plain files are read where one likes.
// Compressed ones are inflated from the front, in turns: a turn ends with EAGAIN where its share is spent,
// and the same call goes on from there in the next one. A step back of more than the kept window begins
// again.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "daemon/follow/filesystem.h"
#include "daemon/follow/identity.h"

namespace etad::follow {

// How much may be inflated: in this turn, whoever asks, and of one file at all.
struct Inflating {
  std::size_t left = 0;              // bytes of this turn, read or made
  std::int64_t largest = 4LL << 30;  // of one file, decompressed; EFBIG beyond
};

class Content {
 public:
  virtual ~Content() = default;
  virtual OsResult<FileStatus> status() = 0;  // of the file itself: its size is the compressed one
  // Fills `into` as far as there are bytes: fewer means the end. EBADMSG: not a valid gzip stream, or not
  // yet.
  virtual OsResult<std::size_t> read(std::int64_t offset, std::span<char> into) = 0;
  virtual std::int64_t next_data(std::int64_t offset) = 0;
  virtual bool compressed() const = 0;
  // The finished identity of all of it, without the file's key; an empty text if it changes under us. EBADMSG
  // as above. Plain: two small reads. Compressed: inflates what is left of it.
  virtual OsResult<std::string> finished_identity() = 0;
};

// The content of an open file, whose handle it takes over; compressed or not is seen by its first bytes.
OsResult<std::unique_ptr<Content>> content_of(FileSystem& files, FileSystem::Handle handle,
                                              Inflating& inflating);

// Whether the content begins with the part's head and has its marker before its offset.
OsResult<bool> matches(Content& content, const ReadPart& part);

// The head of the content, as far as there is one.
OsResult<Fingerprint> head_of(Content& content);

}  // namespace etad::follow
