// Words in small letters with one blank between them: what a number is called, or its unit. Of bounded size: where a
// sentence is longer than any name, its end may be one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "parsers/base/text.h"

namespace etad {

class Words {
 public:
  Words() = default;
  explicit Words(std::string_view word) { append(word); }

  void clear() { size_ = count_ = 0; }

  void append(std::string_view word) {
    if (count_ == kMost || size_ + word.size() + 1 > kBytes) clear();
    if (word.size() + 1 > kBytes) return;
    if (count_ > 0) text_[size_++] = ' ';
    begins_[count_++] = static_cast<std::uint16_t>(size_);
    for (const char c : word) text_[size_++] = lower_case(c);
  }

  void drop_last() {
    if (count_ == 0) return;
    --count_;
    size_ = count_ == 0 ? 0U : begins_[count_] - 1U;
  }

  std::size_t count() const { return count_; }
  bool empty() const { return count_ == 0; }
  std::string_view text() const { return text(0, count_); }
  // Those from `begin` on, up to `end`.
  std::string_view text(std::size_t begin, std::size_t end) const {
    if (begin >= end) return {};
    const std::size_t stop = end == count_ ? size_ : begins_[end] - 1U;
    return {text_.data() + begins_[begin], stop - begins_[begin]};
  }
  std::string_view last() const { return empty() ? std::string_view{} : text(count_ - 1, count_); }

 private:
  static constexpr std::size_t kMost = 16, kBytes = 192;

  std::array<char, kBytes> text_;
  std::array<std::uint16_t, kMost> begins_;
  std::size_t size_ = 0, count_ = 0;
};

}  // namespace etad
