#include "parsers/base/deep_key.h"

#include <cctype>
#include <cstddef>

namespace etad {

bool has_deep_key(std::string_view toml) {
  constexpr std::size_t kMaxKeyParts = 16;
  std::size_t parts = 1;
  char previous = '\0';  // the last character that was no blank
  bool blank = false;    // a blank stands between it and this one
  for (const char c : toml) {
    if (c == ' ' || c == '\t') {
      blank = true;
      continue;
    }
    const bool in_key =
        std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '"' || c == '\'';
    if (c == '.' && previous != '.' && previous != '\0') {
      if (++parts > kMaxKeyParts) return true;
    } else if (c != '.' && (!in_key || (blank && previous != '.'))) {
      parts = 1;
    }
    previous = in_key || c == '.' ? c : '\0';
    blank = false;
  }
  return false;
}

}  // namespace etad
