#include "daemon/service/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "parsers/base/printable.h"

namespace etad::service {
namespace {

void append_unit(std::string& out, char32_t unit) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += "\\u";
  for (unsigned i = 4; i-- > 0;) out += kHex[(unit >> (4 * i)) & 0xFU];
}

void append_steering(std::string& out, char32_t code) {
  if (code == '\n' || code == '\t' || code == '\r') {
    out += code == '\n' ? "\\n" : code == '\t' ? "\\t" : "\\r";
  } else if (code <= 0xFFFF) {
    append_unit(out, code);
  } else {
    append_unit(out, 0xD800 + ((code - 0x10000) >> 10U));
    append_unit(out, 0xDC00 + ((code - 0x10000) & 0x3FFU));
  }
}

// The characters that are written as they are: in answers, nearly all.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = ' '; c < 0x7F; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

// What would steer a terminal is escaped, though JSON does not ask for it: answers are shown as they come.
void append_escaped(std::string& out, std::string_view text) {
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && kPlain[static_cast<unsigned char>(text[plain])]) ++plain;
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return;
    const Character next = first_character(text);
    if (next.bytes == 0) {
      out += "\xEF\xBF\xBD";
    } else if (next.code == '"' || next.code == '\\') {
      out += '\\';
      out += text[0];
    } else if (steers(next.code)) {
      append_steering(out, next.code);
    } else {
      out += text.substr(0, next.bytes);
    }
    text.remove_prefix(std::max<std::size_t>(next.bytes, 1));
  }
}

}  // namespace

void JsonWriter::separate() {
  if (needs_comma_) out_ += ',';
  needs_comma_ = true;
}

void JsonWriter::raw(std::string_view text) {
  separate();
  out_ += text;
}

JsonWriter& JsonWriter::begin_object() {
  raw("{");
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  out_ += '}';
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  raw("[");
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  out_ += ']';
  needs_comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  out_ += '"';
  append_escaped(out_, name);
  out_ += "\":";
  needs_comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::null() {
  raw("null");
  return *this;
}

JsonWriter& JsonWriter::value(bool v) {
  raw(v ? "true" : "false");
  return *this;
}

JsonWriter& JsonWriter::value(double v) {
  if (!std::isfinite(v)) return null();
  std::array<char, 40> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), v, std::chars_format::general, 9).ptr;
  raw(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
  return *this;
}

JsonWriter& JsonWriter::exact(double v) {
  if (!std::isfinite(v)) return null();
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), v).ptr;
  raw(std::string_view(text.data(), static_cast<std::size_t>(end - text.data())));
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t v) {
  raw(std::to_string(v));
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view v) {
  raw("\"");
  append_escaped(out_, v);
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::value(Instant v) {
  return value(to_rfc3339(v));
}

JsonWriter& JsonWriter::value(Duration v) {
  constexpr std::uint64_t kPerSecond = 1'000'000'000;
  const bool negative = v.count() < 0;
  const std::uint64_t count =
      negative ? 0 - static_cast<std::uint64_t>(v.count()) : static_cast<std::uint64_t>(v.count());
  std::string text = (negative ? "-" : "") + std::to_string(count / kPerSecond);
  if (count % kPerSecond != 0) {
    std::string fraction = std::to_string(count % kPerSecond);
    fraction.insert(0, 9 - fraction.size(), '0');
    fraction.erase(fraction.find_last_not_of('0') + 1);
    text += '.' + fraction;
  }
  raw(text);
  return *this;
}

JsonWriter& JsonWriter::value(const std::map<std::string, std::string>& v) {
  begin_object();
  for (const auto& [name, text] : v) field(name, text);
  return end_object();
}

}  // namespace etad::service
