// What a file holds: its bytes, decompressed where it is a gzip file. A plain file can be read at any offset. A compressed
// one is inflated from its front, a share a turn: a call that has used up the turn's share gives EAGAIN, and goes on where
// it stood when it is made again in the next turn. To read farther back than the bytes kept (inflate.h), it begins again.
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
  // Fills `into` as far as there are bytes: fewer means the end, or that what is behind them can't be read: then so
  // does a read from there. EBADMSG: it is no valid gzip stream; ENODATA: not yet, the file ends before it does.
  virtual OsResult<std::size_t> read(std::int64_t offset, std::span<char> into) = 0;
  virtual std::int64_t next_data(std::int64_t offset) = 0;
  virtual bool compressed() const = 0;
  // The finished identity (identity.h) of all of it, without the file's key; empty if it changes meanwhile. Errors as
  // above. Of a plain file two small reads; of a compressed one all that is left is inflated.
  virtual OsResult<std::string> finished_identity() = 0;
};

// The content of an open file, whose handle it takes over; compressed or not is seen by its first bytes. ENOTSUP: it is
// packed as nothing here unpacks.
OsResult<std::unique_ptr<Content>> content_of(FileSystem& files, FileSystem::Handle handle,
                                              Inflating& inflating);
// Looks anew whether a content that is read as it stands is compressed: a file that was empty may be by now. ENOTSUP: it
// is packed as nothing here unpacks.
Errno see_kind(std::unique_ptr<Content>& content, Inflating& inflating);

// Whether the content begins with the part's head and has its marker before its offset.
OsResult<bool> matches(Content& content, const ReadPart& part);

// The head of the content, as far as there is one.
OsResult<Fingerprint> head_of(Content& content);

}  // namespace etad::follow
