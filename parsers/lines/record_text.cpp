#include "parsers/lines/record_text.h"

#include <array>
#include <cstdio>

namespace etad {

std::string plain(std::string_view text, bool one_word) {
  std::string out(text);
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    if (one_word && c == ' ') c = '_';
  }
  return out;
}

std::string quoted(std::string_view text) {
  std::string out = plain(text);
  for (char& c : out)
    if (c == '"' || c == '\\') c = '\'';
  return '"' + out + '"';
}

std::string stamp(double seconds) {
  if (!(seconds > 0 && seconds < 1e11)) return {};
  std::array<char, 40> out{};
  std::snprintf(out.data(), out.size(), "%.6f", seconds);
  return out.data();
}

}  // namespace etad
