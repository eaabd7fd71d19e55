#include "parsers/base/saved.h"

#include <charconv>

#include "parsers/base/number.h"

namespace etad::saved::detail {

std::string text_of(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
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
