#include "daemon/follow/followed.h"

#include <algorithm>
#include <utility>

namespace etad::follow {

void Followed::expect(const FileStatus& found) {
  kept_ = Kept::unread_file;
  standing_.size = found.size;
}

void Followed::restore(const Position& position) {
  kept_ = Kept::restored;
  standing_ = Standing::of(position);
}

Stream& Followed::awake() {
  if (stream_) return *stream_;
  stream_ = std::make_unique<Stream>(id, tag, path, read_rotated);
  const Standing standing = std::exchange(standing_, {});
  const Kept kept = std::exchange(kept_, Kept::nothing);
  if (kept == Kept::restored) stream_->restore(standing);
  if (kept == Kept::at_rest) stream_->resume(standing);
  return *stream_;
}

void Followed::rest() {
  const Standing* const standing = stream_ ? stream_->at_rest() : nullptr;
  if (standing == nullptr) return;
  kept_ = Kept::at_rest;
  standing_ = *standing;
  stream_.reset();
}

bool Followed::rests_still(FileSystem& files) const {
  if (kept_ != Kept::at_rest) return false;
  const auto now = files.status(path);
  return now && now->type == FileType::regular && key_of(*now) == standing_.identity->key &&
         now->size == standing_.size && now->modified == standing_.identity->modified;
}

std::optional<FileKey> Followed::reads() const {
  if (stream_) return stream_->key();
  return standing_.identity ? std::optional(standing_.identity->key) : std::nullopt;
}

Status Followed::status() const {
  Status out = stream_ ? stream_->status() : kept_status();
  out.stream = id;
  out.tag = tag;
  out.path = path;
  return out;
}

Status Followed::kept_status() const {
  Status out;
  out.state = kept_ == Kept::nothing ? State::gone : State::following;
  out.text = kept_ == Kept::nothing ? kNoFileYet : "following";
  out.offset = standing_.part.offset;
  out.size = std::max(standing_.size, out.offset);
  out.caught_up = kept_ == Kept::at_rest;
  return out;
}

void Followed::pace(std::chrono::nanoseconds took, std::chrono::nanoseconds most, const Options& options) {
  constexpr std::size_t kFewest = 128;  // so that the parts of a container's line are not given out apart
  const std::size_t before = lines_at_once(options);
  if (took < most / 8) most_lines_ = std::min(before * 4, options.most_lines);
  if (took > most) most_lines_ = std::max(before / 4, kFewest);
}

void Followed::set_tag(std::size_t new_tag) {
  tag = new_tag;
  if (stream_) stream_->set_tag(new_tag);
}

}  // namespace etad::follow
