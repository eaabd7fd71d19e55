#include "parsers/base/printable.h"

#include <algorithm>
#include <array>

namespace etad {
namespace {

struct Range {
  char32_t first, last;
};

constexpr std::array<Range, 10> kSteering = {{
    {0x00, 0x1F},        // C0
    {0x7F, 0x9F},        // DEL and C1
    {0x061C, 0x061C},    // Arabic letter mark
    {0x180E, 0x180E},    // a separator without width
    {0x200B, 0x200F},    // zero widths, direction marks
    {0x2028, 0x202E},    // separators of lines and paragraphs, embeddings and overrides
    {0x2060, 0x206F},    // isolates, joiners, deprecated format characters
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFF9, 0xFFFB},    // interlinear annotations
    {0xE0000, 0xE007F},  // tags
}};

void append_hex(std::string& out, char letter, char32_t code, unsigned digits) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '\\';
  out += letter;
  for (unsigned i = digits; i-- > 0;) out += kHex[(code >> (4 * i)) & 0xFU];
}

void append_escaped(std::string& out, char32_t code) {
  if (code <= 0xFF) return append_hex(out, 'x', code, 2);
  code <= 0xFFFF ? append_hex(out, 'u', code, 4) : append_hex(out, 'U', code, 8);
}

}  // namespace

Character first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xC2 || lead > 0xF4) return {};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (text.size() < length) return {};
  char32_t code = lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80) return {};
    code = (code << 6U) | (byte & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) return {};
  return {code, length};
}

std::size_t put_utf8(char32_t code, char* out) {
  constexpr std::array<char32_t, 5> kLead = {0, 0, 0xC0, 0xE0, 0xF0};  // by the number of bytes
  const std::size_t size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (std::size_t i = size; i-- > 1; code >>= 6U) out[i] = static_cast<char>(0x80U | (code & 0x3FU));
  out[0] = static_cast<char>(kLead[size] | code);
  return size;
}

bool steers(char32_t code) {
  return std::any_of(kSteering.begin(), kSteering.end(),
                     [code](const Range& each) { return code >= each.first && code <= each.last; });
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character next = first_character(text);
    if (next.bytes == 0) {
      append_hex(out, 'x', static_cast<unsigned char>(text[0]), 2);
    } else if (steers(next.code)) {
      append_escaped(out, next.code);
    } else {
      out += text.substr(0, next.bytes);
    }
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
  return out;
}

}  // namespace etad
