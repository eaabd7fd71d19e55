#include "daemon/follow/inflate.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace etad::follow {
namespace {

constexpr std::size_t kInput = 16 * 1024, kPiece = 32 * 1024;
// Of what was read: a line of which the first 64 KiB count, a block of the reader's (kCompressedBlock in reader.cpp), in
// which it may have stopped, and what it fingerprints.
constexpr std::int64_t kKept = 200 * 1024;
constexpr std::int64_t kMovedFor = 2 * kPiece;  // more than that of it is moved over
constexpr std::size_t kMemberCost = 256;        // of the turn's share, so that empty members are not free

class GzipContent final : public Content {
 public:
  GzipContent(std::unique_ptr<Content> raw, Inflating& inflating)
      : raw_(std::move(raw)), inflating_(inflating) {}
  ~GzipContent() override { end(); }
  GzipContent(const GzipContent&) = delete;
  GzipContent& operator=(const GzipContent&) = delete;

  OsResult<FileStatus> status() override { return raw_->status(); }
  OsResult<std::size_t> read(std::int64_t offset, std::span<char> into) override;
  std::int64_t next_data(std::int64_t offset) override { return offset; }
  bool compressed() const override { return true; }
  OsResult<std::string> finished_identity() override;

 private:
  Errno begin();
  void end();
  void forget_before(std::int64_t offset, std::int64_t at_least);
  Errno produce();
  Errno refill();
  Errno next_member();
  void spend(std::size_t bytes) { inflating_.left -= std::min(inflating_.left, bytes); }

  std::unique_ptr<Content> raw_;
  Inflating& inflating_;
  z_stream stream_{};
  bool running_ = false;
  bool between_ = false;  // members: whether another one follows is not known yet
  bool ended_ = false;    // of all members
  std::int64_t raw_offset_ = 0;
  std::vector<unsigned char> input_;
  std::string head_;  // the first bytes, which are asked for again and again
  std::vector<char>
      window_;  // the last decompressed bytes, up to `produced_`; a string would take twice what it reserves
  std::int64_t produced_ = 0;
};

Errno GzipContent::begin() {
  end();
  stream_ = z_stream{};
  if (inflateInit2(&stream_, 15 + 16) != Z_OK) return ENOMEM;  // 16: a gzip header, not a zlib one
  running_ = true;
  between_ = ended_ = false;
  raw_offset_ = 0;
  head_.clear();
  window_.clear();
  produced_ = 0;
  return 0;
}

void GzipContent::end() {
  if (running_) inflateEnd(&stream_);
  running_ = false;
}

Errno GzipContent::refill() {
  input_.resize(kInput);
  const auto got = raw_->read(raw_offset_, {reinterpret_cast<char*>(input_.data()), input_.size()});
  if (!got) return got.error();
  raw_offset_ += static_cast<std::int64_t>(*got);
  stream_.next_in = input_.data();
  stream_.avail_in = static_cast<uInt>(*got);
  spend(*got);
  return 0;
}

// Nobody reads farther back than kKept before that.
void GzipContent::forget_before(std::int64_t offset, std::int64_t at_least) {
  const std::int64_t first = produced_ - static_cast<std::int64_t>(window_.size());
  const std::int64_t many = std::min(offset, produced_) - kKept - first;
  if (many > at_least) window_.erase(window_.begin(), window_.begin() + many);
}

// One more piece of output at the end of the window.
Errno GzipContent::produce() {
  if (inflating_.left == 0) return EAGAIN;
  if (between_) return next_member();
  if (produced_ >= inflating_.largest) return EFBIG;
  if (stream_.avail_in == 0) {
    if (const Errno error = refill(); error != 0) return error;
    if (stream_.avail_in == 0) return ENODATA;  // the file ends before the stream does
  }
  const std::size_t before = window_.size();
  window_.resize(before + kPiece);
  stream_.next_out = reinterpret_cast<unsigned char*>(window_.data() + before);
  stream_.avail_out = static_cast<uInt>(kPiece);
  const int result = inflate(&stream_, Z_NO_FLUSH);
  const std::size_t made = result == Z_MEM_ERROR ? 0 : kPiece - stream_.avail_out;
  window_.resize(before + made);
  if (result == Z_MEM_ERROR) {  // the stream can't go on: the next read begins it anew
    end();
    return ENOMEM;
  }
  if (head_.size() < kHeadBytes)
    head_.append(window_.data() + before, std::min(made, kHeadBytes - head_.size()));
  produced_ += static_cast<std::int64_t>(made);
  spend(made + kMemberCost);
  if (result == Z_STREAM_END) {
    between_ = true;
    return next_member();
  }
  return result == Z_OK || result == Z_BUF_ERROR ? 0 : EBADMSG;
}

// gzip files may be concatenated: behind one member another may follow.
Errno GzipContent::next_member() {
  if (stream_.avail_in == 0)
    if (const Errno error = refill(); error != 0) return error;
  between_ = false;
  if (stream_.avail_in == 0 || stream_.next_in[0] != 0x1f) {
    ended_ = true;
    inflateEnd(&stream_);
    input_ = {};
  } else if (inflateReset(&stream_) != Z_OK) {
    return EBADMSG;
  }
  return 0;
}

OsResult<std::size_t> GzipContent::read(std::int64_t offset, std::span<char> into) {
  const std::int64_t until = offset + static_cast<std::int64_t>(into.size());
  if (running_ && until <= static_cast<std::int64_t>(head_.size())) {
    std::memcpy(into.data(), head_.data() + offset, into.size());
    return into.size();
  }
  const std::int64_t kept_from = produced_ - static_cast<std::int64_t>(window_.size());
  if (!running_ || offset < kept_from)
    if (const Errno error = begin(); error != 0) return tl::unexpected(error);
  if (produced_ < until && !ended_)  // as much as it may come to, and not twice that
    window_.reserve(static_cast<std::size_t>(kKept + kMovedFor) + kPiece + into.size());
  while (produced_ < until && !ended_) {
    forget_before(offset, kMovedFor);
    const Errno error = produce();
    const bool is_cut = error == EBADMSG || error == ENODATA;  // what came before counts
    if (is_cut && produced_ > offset) break;
    if (error != 0) return tl::unexpected(error);
  }
  if (ended_ && produced_ < until) {  // most files that are held open have been read to their end
    forget_before(offset, 0);
    window_.shrink_to_fit();
  }
  if (offset >= produced_) return std::size_t{0};
  const std::int64_t first = produced_ - static_cast<std::int64_t>(window_.size());
  const auto at = static_cast<std::size_t>(offset - first);
  const std::size_t length = std::min(into.size(), window_.size() - at);
  std::memcpy(into.data(), window_.data() + at, length);
  return length;
}

OsResult<std::string> GzipContent::finished_identity() {
  if (!running_)
    if (const Errno error = begin(); error != 0) return tl::unexpected(error);
  while (!ended_) {
    forget_before(produced_, kMovedFor);
    if (const Errno error = produce(); error != 0) return tl::unexpected(error);
  }
  return follow::finished_identity(head_of(head_), produced_,
                                   marker_of({window_.data(), window_.size()}, holds_records(head_)));
}

}  // namespace

std::unique_ptr<Content> inflated(std::unique_ptr<Content> raw, Inflating& inflating) {
  return std::make_unique<GzipContent>(std::move(raw), inflating);
}

}  // namespace etad::follow
