#include "daemon/content_identity.h"

#include <algorithm>

#include "daemon/follow/identity.h"
#include "daemon/follow/position.h"

namespace etad {

ContentIdentity::ContentIdentity(std::vector<KnownContent> known) : known_(std::move(known)) {
  for (std::size_t i = 0; i < known_.size(); ++i) to_come_.push_back(i);
}

std::size_t ContentIdentity::until_next(std::size_t bytes) const {
  std::int64_t step = static_cast<std::int64_t>(bytes);
  for (const std::size_t i : to_come_)
    if (known_[i].offset > size_) step = std::min(step, known_[i].offset - size_);
  return static_cast<std::size_t>(step);
}

std::ptrdiff_t ContentIdentity::pass(std::string_view bytes, std::size_t held) {
  const bool had_head = head_.size() == follow::kHeadBytes;
  if (!had_head) head_.append(bytes.substr(0, follow::kHeadBytes - head_.size()));
  tail_.erase(0, tail_.size() - std::min(tail_.size(), follow::kMarkerBytes + held));
  tail_.append(bytes);
  size_ += static_cast<std::int64_t>(bytes.size());
  // Of the many that the history knows few begin as this one.
  if (!had_head && head_.size() == follow::kHeadBytes)
    std::erase_if(to_come_, [&](std::size_t i) { return !begins_as(known_[i].head); });
  for (const std::size_t i : to_come_) {
    const KnownContent& known = known_[i];
    if (known.offset == size_ && begins_as(known.head) && follow::matches_marker(tail_, known.marker))
      return static_cast<std::ptrdiff_t>(i);
  }
  return -1;
}

bool ContentIdentity::begins_as(std::string_view head) const {
  return follow::matches_head(head_, head);
}

std::string ContentIdentity::head(std::size_t held) const {
  const std::size_t left = static_cast<std::size_t>(size_) - std::min(held, static_cast<std::size_t>(size_));
  return follow::head_of(std::string_view(head_).substr(0, left));
}
std::string ContentIdentity::marker(std::size_t held) const {
  const auto passed = std::string_view(tail_).substr(0, tail_.size() - std::min(held, tail_.size()));
  return follow::marker_of(passed, follow::holds_records(head_));
}
std::string ContentIdentity::finished(std::size_t held) const {
  return follow::finished_identity(head(held), size_ - static_cast<std::int64_t>(held), marker(held));
}

}  // namespace etad
