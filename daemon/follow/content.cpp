#include "daemon/follow/content.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "daemon/follow/inflate.h"

namespace etad::follow {
namespace {

// Owns the handle.
class PlainContent final : public Content {
 public:
  PlainContent(FileSystem& files, FileSystem::Handle handle) : files_(files), handle_(handle) {}
  ~PlainContent() override { files_.close(handle_); }
  PlainContent(const PlainContent&) = delete;
  PlainContent& operator=(const PlainContent&) = delete;

  // ESTALE where another file is told of: a file system in user space may ask for it by its name, which is another's by
  // now.
  OsResult<FileStatus> status() override {
    const auto now = files_.status(handle_);
    if (!now) return now;
    if (!key_) key_ = key_of(*now);
    return *key_ == key_of(*now) ? now : tl::unexpected(ESTALE);
  }
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
  OsResult<std::string> finished_identity() override;

 private:
  FileSystem& files_;
  FileSystem::Handle handle_;
  std::optional<FileKey> key_;  // as it was first told
};

OsResult<std::string> PlainContent::finished_identity() {
  std::array<char, kHeadBytes> head{};
  const auto first = read(0, head);
  const auto now = first ? status() : tl::unexpected(first.error());
  if (!now) return tl::unexpected(now.error());
  std::array<char, kMarkerBytes> tail{};
  const auto length = static_cast<std::size_t>(std::min<std::int64_t>(now->size, kMarkerBytes));
  const auto last = read(now->size - static_cast<std::int64_t>(length), std::span(tail).first(length));
  if (!last) return tl::unexpected(last.error());
  if (*last != length) return std::string();
  const std::string_view begins(head.data(), *first);
  return follow::finished_identity(head_of(begins), now->size,
                                   marker_of(std::string_view(tail.data(), length), holds_records(begins)));
}

// By xz, zstd or bzip2.
bool is_packed(std::string_view magic) {
  const bool is_bzip2 = magic.starts_with("BZh") && magic.size() > 4 && magic[3] >= '1' && magic[3] <= '9' &&
                        (magic[4] == '1' || magic[4] == '\x17');
  return is_bzip2 || magic.starts_with("\xfd\x37zXZ") || magic.starts_with("\x28\xb5\x2f\xfd");
}

}  // namespace

OsResult<std::unique_ptr<Content>> content_of(FileSystem& files, FileSystem::Handle handle,
                                              Inflating& inflating) {
  std::unique_ptr<Content> content = std::make_unique<PlainContent>(files, handle);
  if (const Errno error = see_kind(content, inflating); error != 0) return tl::unexpected(error);
  return content;
}

Errno see_kind(std::unique_ptr<Content>& content, Inflating& inflating) {
  std::array<char, 6> bytes{};
  const auto got = content->read(0, bytes);
  if (!got) return got.error();
  const std::string_view magic(bytes.data(), *got);
  if (magic.starts_with("\x1f\x8b\x08")) content = inflated(std::move(content), inflating);
  return is_packed(magic) ? ENOTSUP : 0;
}

OsResult<bool> matches(Content& content, const ReadPart& part) {
  std::array<char, kHeadBytes> bytes{};
  const auto matches_at = [&](std::int64_t offset, const Fingerprint& expected) -> OsResult<bool> {
    if (expected.length > bytes.size() || offset < 0) return false;
    const auto got = content.read(offset, std::span(bytes).first(expected.length));
    if (!got) return tl::unexpected(got.error());
    return Fingerprint::of({bytes.data(), *got}) == expected;
  };
  const auto head = part.head.length == 0 ? OsResult<bool>(true) : matches_at(0, part.head);
  if (!head || !*head || part.marker.length == 0) return head;
  return matches_at(part.offset - part.marker.length, part.marker);
}

OsResult<Fingerprint> head_of(Content& content) {
  std::array<char, kHeadBytes> bytes{};
  const auto got = content.read(0, bytes);
  if (!got) return tl::unexpected(got.error());
  return head_fingerprint({bytes.data(), *got});
}

}  // namespace etad::follow
