// What a file holds: its bytes, decompressed where it is a gzip file. Plain files are read where one likes;
// compressed ones are inflated from the front, and a step back of more than the kept window begins again.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "daemon/follow/filesystem.h"
#include "daemon/follow/identity.h"

namespace etad::follow {

class Content {
 public:
  virtual ~Content() = default;
  virtual OsResult<FileStatus> status() = 0;  // of the file itself: its size is the compressed one
  // Fills `into` as far as there are bytes: fewer means the end. EBADMSG: not a valid gzip stream.
  virtual OsResult<std::size_t> read(std::int64_t offset, std::span<char> into) = 0;
  virtual std::int64_t next_data(std::int64_t offset) = 0;
  virtual bool compressed() const = 0;
};

// Opens what lies at `path`; compressed or not is seen by its first bytes.
OsResult<std::unique_ptr<Content>> open_content(FileSystem& files, const std::string& path);

// Whether the content begins with the trace's head and has its marker before its offset.
OsResult<bool> matches(Content& content, const Trace& trace);

// The finished identity of the whole content; empty text if it changes under us. EBADMSG: a gzip file that is
// still being written. Plain: two small reads. Compressed: reads all of it.
OsResult<std::string> finished_identity(Content& content);

}  // namespace etad::follow
