#include "parsers/base/text.h"

#include <algorithm>
#include <array>

#include "parsers/base/printable.h"

namespace etad {

std::string_view trim(std::string_view text, std::string_view blanks) {
  while (!text.empty() && blanks.find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  while (!text.empty() && blanks.find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  return text;
}

std::string_view take_until(std::string_view& text, char separator) {
  const std::size_t at = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return part;
}

char lower_case(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = lower_case(c);
  return out;
}

std::string kept_text(std::string_view text, std::size_t limit) {
  std::string out;
  out.reserve(std::min(text.size(), limit));
  while (!text.empty()) {
    const std::size_t length = first_character(text).bytes;
    if (out.size() + (length > 0 ? length : 2) > limit) break;
    if (length > 0) {
      out.append(text.substr(0, length));
    } else {
      std::array<char, 4> latin{};
      out.append(latin.data(), put_utf8(static_cast<unsigned char>(text[0]), latin.data()));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

}  // namespace etad
