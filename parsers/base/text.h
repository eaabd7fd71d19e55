// Text out of a log: trimmed, taken apart, without its case, and fit to be kept.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace etad {

// Without the blanks and tabs at its ends, or without those bytes.
constexpr std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}
std::string_view trim(std::string_view text, std::string_view blanks);

// Without the mark that some write before UTF-8.
constexpr std::string_view without_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  const bool marked = text.size() >= kMark.size() && text.front() == kMark.front() && text.starts_with(kMark);
  return marked ? text.substr(kMark.size()) : text;
}

// ASCII only, as with all letters and digits here.
constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// How many of them stand there.
constexpr std::size_t digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}
constexpr std::size_t letters_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_letter(text[end])) ++end;
  return end - at;
}

// What is no capital letter stays as it is.
char lower_case(char c);
std::string lower_case(std::string_view text);

// The text before the first `separator`, or all of it where there is none; `text` goes on behind that.
std::string_view take_until(std::string_view& text, char separator);

// At most `limit` bytes of `text`, cut between characters. A log is bytes: one that is no UTF-8 is taken for
// Latin-1, byte by byte, so that nothing is lost and the result may stand in JSON.
std::string kept_text(std::string_view text, std::size_t limit);

}  // namespace etad
