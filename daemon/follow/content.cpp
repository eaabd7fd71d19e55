#include "daemon/follow/content.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace etad::follow {
namespace {

// Owns the handle.
class PlainContent final : public Content {
 public:
  PlainContent(FileSystem& files, FileSystem::Handle handle) : files_(files), handle_(handle) {}
  ~PlainContent() override { files_.close(handle_); }
  PlainContent(const PlainContent&) = delete;
  PlainContent& operator=(const PlainContent&) = delete;

  OsResult<FileStatus> status() override { return files_.status(handle_); }
  OsResult<std::size_t> read(std::int64_t offset, std::span<char> into) override {
    std::size_t done = 0;
    while (done < into.size()) {  // a short read is the end only when the next one is empty
      const auto got = files_.read(handle_, offset + static_cast<std::int64_t>(done), into.subspan(done));
      if (!got) return got;
      if (*got == 0) break;
      done += *got;
    }
    return done;
  }
  std::int64_t next_data(std::int64_t offset) override { return files_.next_data(handle_, offset); }
  bool compressed() const override { return false; }

 private:
  FileSystem& files_;
  FileSystem::Handle handle_;
};

class GzipContent final : public Content {
 public:
  explicit GzipContent(std::unique_ptr<Content> raw) : raw_(std::move(raw)) {}
  ~GzipContent() override { end(); }
  GzipContent(const GzipContent&) = delete;
  GzipContent& operator=(const GzipContent&) = delete;

  OsResult<FileStatus> status() override { return raw_->status(); }
  OsResult<std::size_t> read(std::int64_t offset, std::span<char> into) override;
  std::int64_t next_data(std::int64_t offset) override { return offset; }
  bool compressed() const override { return true; }

 private:
  Errno begin();
  void end();
  Errno produce();
  Errno refill();

  std::unique_ptr<Content> raw_;
  z_stream stream_{};
  bool running_ = false;
  bool ended_ = false;  // of all members
  std::int64_t raw_offset_ = 0;
  std::vector<unsigned char> input_;
  std::string window_;  // the last decompressed bytes, up to `produced_`
  std::int64_t produced_ = 0;
};

constexpr std::size_t kPiece = 64 * 1024;

Errno GzipContent::begin() {
  end();
  stream_ = z_stream{};
  if (inflateInit2(&stream_, 15 + 16) != Z_OK) return ENOMEM;  // 16: a gzip header, not a zlib one
  running_ = true;
  ended_ = false;
  raw_offset_ = 0;
  window_.clear();
  produced_ = 0;
  return 0;
}

void GzipContent::end() {
  if (running_) inflateEnd(&stream_);
  running_ = false;
}

Errno GzipContent::refill() {
  input_.resize(kPiece);
  const auto got = raw_->read(raw_offset_, {reinterpret_cast<char*>(input_.data()), input_.size()});
  if (!got) return got.error();
  raw_offset_ += static_cast<std::int64_t>(*got);
  stream_.next_in = input_.data();
  stream_.avail_in = static_cast<uInt>(*got);
  return 0;
}

// One more piece of output at the end of the window.
Errno GzipContent::produce() {
  if (stream_.avail_in == 0) {
    if (const Errno error = refill(); error != 0) return error;
    if (stream_.avail_in == 0) return EBADMSG;  // the file ends before the stream does
  }
  const std::size_t before = window_.size();
  window_.resize(before + kPiece);
  stream_.next_out = reinterpret_cast<unsigned char*>(window_.data()) + before;
  stream_.avail_out = static_cast<uInt>(kPiece);
  const int result = inflate(&stream_, Z_NO_FLUSH);
  const std::size_t made = kPiece - stream_.avail_out;
  window_.resize(before + made);
  produced_ += static_cast<std::int64_t>(made);
  if (result == Z_STREAM_END) {  // gzip files may be concatenated: another member may follow
    if (stream_.avail_in == 0)
      if (const Errno error = refill(); error != 0) return error;
    if (stream_.avail_in == 0 || stream_.next_in[0] != 0x1f)
      ended_ = true;
    else if (inflateReset(&stream_) != Z_OK)
      return EBADMSG;
    return 0;
  }
  return result == Z_OK || result == Z_BUF_ERROR ? 0 : EBADMSG;
}

OsResult<std::size_t> GzipContent::read(std::int64_t offset, std::span<char> into) {
  const std::int64_t kept_from = produced_ - static_cast<std::int64_t>(window_.size());
  if (!running_ || offset < kept_from)
    if (const Errno error = begin(); error != 0) return tl::unexpected(error);
  const std::int64_t until = offset + static_cast<std::int64_t>(into.size());
  const std::size_t keep = 2 * into.size() + 2 * kPiece;
  while (produced_ < until && !ended_) {
    if (window_.size() > 2 * keep) window_.erase(0, window_.size() - keep);
    if (const Errno error = produce(); error != 0) return tl::unexpected(error);
  }
  const std::int64_t first = produced_ - static_cast<std::int64_t>(window_.size());
  if (offset >= produced_) return std::size_t{0};
  const auto at = static_cast<std::size_t>(offset - first);
  const std::size_t length = std::min(into.size(), window_.size() - at);
  std::memcpy(into.data(), window_.data() + at, length);
  return length;
}

}  // namespace

OsResult<std::unique_ptr<Content>> open_content(FileSystem& files, const std::string& path) {
  const auto handle = files.open(path);
  if (!handle) return tl::unexpected(handle.error());
  std::unique_ptr<Content> content = std::make_unique<PlainContent>(files, *handle);
  std::array<char, 3> magic{};
  const auto got = content->read(0, magic);
  if (!got) return tl::unexpected(got.error());
  if (*got == magic.size() && magic == std::array<char, 3>{'\x1f', '\x8b', '\x08'})
    content = std::make_unique<GzipContent>(std::move(content));
  return content;
}

OsResult<bool> matches(Content& content, const Trace& trace) {
  std::array<char, kHeadBytes> bytes{};
  const auto matches_at = [&](std::int64_t offset, const Fingerprint& expected) -> OsResult<bool> {
    if (expected.length > bytes.size()) return false;
    const auto got = content.read(offset, std::span(bytes).first(expected.length));
    if (!got) return tl::unexpected(got.error());
    return Fingerprint::of({bytes.data(), *got}) == expected;
  };
  const auto head = trace.head.length == 0 ? OsResult<bool>(true) : matches_at(0, trace.head);
  if (!head || !*head || trace.marker.length == 0) return head;
  return matches_at(trace.offset - trace.marker.length, trace.marker);
}

OsResult<std::string> finished_identity(Content& content) {
  std::string head(kHeadBytes, '\0');
  const auto got = content.read(0, head);
  if (!got) return tl::unexpected(got.error());
  head.resize(*got);
  std::int64_t size = 0;
  std::string tail;
  if (!content.compressed()) {
    const auto status = content.status();
    if (!status) return tl::unexpected(status.error());
    size = status->size;
    tail.resize(static_cast<std::size_t>(std::min<std::int64_t>(size, kMarkerBytes)));
    const auto read = content.read(size - static_cast<std::int64_t>(tail.size()), tail);
    if (!read) return tl::unexpected(read.error());
    if (*read != tail.size()) return std::string();
  } else {
    std::string piece(kPiece, '\0');
    for (;;) {
      const auto read = content.read(size, piece);
      if (!read) return tl::unexpected(read.error());
      tail.append(piece, 0, *read);
      if (tail.size() > kMarkerBytes) tail.erase(0, tail.size() - kMarkerBytes);
      size += static_cast<std::int64_t>(*read);
      if (*read < piece.size()) break;
    }
  }
  return finished_identity(head_of(head), size, marker_of(tail));
}

}  // namespace etad::follow
