#include "parsers/log/held_lines.h"

#include <algorithm>
#include <utility>

#include "parsers/base/alike.h"

namespace etad {
namespace {

constexpr std::size_t kFirstBytes = 32 * 1024;
constexpr std::size_t kLastBytes = 64 * 1024;
constexpr std::size_t kLongest = 16 * 1024;  // so that no line takes all others' room

std::size_t bytes_of(const HeldLine& line) {
  return line.text.size() + 1;
}

}  // namespace

std::int64_t HeldLines::add(HeldLine line) {
  if (line.text.size() > kLongest) line.text.resize(kLongest);
  const std::size_t bytes = bytes_of(line);
  if (last_.empty() && !first_are_all_ && first_bytes_ + bytes <= kFirstBytes) {
    first_bytes_ += bytes;
    first_.push_back(std::move(line));
    return 0;
  }
  first_are_all_ = true;
  last_bytes_ += bytes;
  last_.push_back(std::move(line));
  std::int64_t forgotten = 0;
  for (; last_bytes_ > kLastBytes; ++forgotten) {
    last_bytes_ -= bytes_of(last_.front());
    last_.pop_front();
  }
  forgotten_ += forgotten;
  return forgotten;
}

bool HeldLines::has_like(std::string_view line) const {
  constexpr std::size_t kFew = 8;
  const auto is_like = [line](const HeldLine& held) {
    return std::equal(line.begin(), line.end(), held.text.begin(), held.text.end(),
                      [](char a, char b) { return digit_as_zero(a) == digit_as_zero(b); });
  };
  const auto last_of = [&](const auto& lines, std::size_t few) {
    return std::any_of(lines.rbegin(), lines.rbegin() + static_cast<std::ptrdiff_t>(few), is_like);
  };
  const std::size_t last = std::min(last_.size(), kFew);
  return last_of(last_, last) || last_of(first_, std::min(first_.size(), kFew - last));
}

void HeldLines::clear() {
  *this = {};
}

void HeldLines::restore(std::vector<HeldLine> all, std::int64_t first, std::int64_t forgotten) {
  *this = {};
  for (HeldLine& line : all) {
    if (first-- == 0) first_are_all_ = true;
    add(std::move(line));
  }
  forgotten_ = forgotten;
}

std::vector<HeldLine> HeldLines::all() const {
  std::vector<HeldLine> out;
  for_each([&](const HeldLine& line) { out.push_back(line); });
  return out;
}

}  // namespace etad
