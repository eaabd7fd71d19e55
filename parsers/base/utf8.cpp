#include "parsers/base/utf8.h"

#include "parsers/base/printable.h"

namespace etad {

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = first_character(text.substr(i)).bytes;
    out += length > 0 ? text.substr(i, length) : std::string_view("\xEF\xBF\xBD");
    i += length > 0 ? length : 1;
  }
  return out;
}

}  // namespace etad
