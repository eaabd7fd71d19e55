#include "parsers/base/saved.h"

#include <array>
#include <charconv>

#include "parsers/base/number.h"

namespace etad::saved::detail {
namespace {

// The bytes that are written as they are: nearly all, of thousands that a log's lines may have.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (std::size_t c = ' '; c < plain.size(); ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}();

}  // namespace

void write_double(std::string& out, double x) {
  char text[32];
  out += '"';
  out.append(text, std::to_chars(text, text + sizeof text, x).ptr);
  out += '"';
}

void write_string(std::string& out, std::string_view text) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    std::size_t plain = 0;
    while (plain < text.size() && kPlain[static_cast<unsigned char>(text[plain])]) ++plain;
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const char c = text.front();
    text.remove_prefix(1);
    out += '\\';
    if (c == '"' || c == '\\') {
      out += c;
    } else {
      out.append("u00").append(
          {kHex[static_cast<unsigned char>(c) >> 4U], kHex[static_cast<unsigned char>(c) & 15U]});
    }
  }
  out += '"';
}

void begin_element(std::string& out) {
  if (out.back() != '[') out += ',';
}

void write_key(std::string& out, std::string_view key) {
  if (out.back() != '{') out += ',';
  write_string(out, key);
  out += ':';
}

void write_name(std::string& out, std::string_view name) {
  out += out.back() == '{' ? "\"" : ",\"";
  out += name;
  out += "\":";
}

double number_in(const json::value& v) {
  const json::string& text = v.as_string();
  if (const auto x = parse_number<double>(text)) return *x;
  throw std::invalid_argument("\"" + std::string(text) + "\" is no number");
}

Result<json::object> parsed(std::string_view text, std::int64_t version, std::string_view what) {
  json::parse_options lenient;
  lenient.allow_invalid_utf8 = true;  // a log's lines are bytes as they came
  boost::system::error_code error;
  json::value value = json::parse(text, error, {}, lenient);
  json::object* const members = error ? nullptr : value.if_object();
  if (!members) return fail(ErrorKind::corrupt, std::string(what) + " is no JSON object");
  const json::value* const said = members->if_contains("version");
  if (!said || !said->is_int64()) return fail(ErrorKind::corrupt, std::string(what) + " names no version");
  if (said->get_int64() != version)
    return fail(ErrorKind::corrupt, std::string(what) + " is of version " +
                                        std::to_string(said->get_int64()) + ", not " +
                                        std::to_string(version));
  return std::move(*members);
}

}  // namespace etad::saved::detail
