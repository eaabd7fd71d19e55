#include "daemon/service/json_writer.h"

#include <array>
#include <charconv>
#include <cmath>

namespace etad::service {
namespace {

// Length of the valid UTF-8 sequence at the beginning of `text`; 0 where there is none (RFC 3629: no
// overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() < length) return 0;
  unsigned char low = 0x80, high = 0xBF;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
      ++i;
    } else if (c == '\n' || c == '\t' || c == '\r') {
      out += c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\r";
      ++i;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      const auto code = static_cast<unsigned char>(c);
      out += "\\u00";
      out += kHex[code >> 4U];
      out += kHex[code & 0xFU];
      ++i;
    } else if (const std::size_t length = sequence_length(text.substr(i)); length > 0) {
      out += text.substr(i, length);
      i += length;
    } else {
      out += "\xEF\xBF\xBD";
      ++i;
    }
  }
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text.substr(i));
    out += length > 0 ? text.substr(i, length) : std::string_view("\xEF\xBF\xBD");
    i += length > 0 ? length : 1;
  }
  return out;
}

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
