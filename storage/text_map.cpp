#include "storage/text_map.h"

#include <boost/json.hpp>

namespace etad {
namespace json = boost::json;

std::string to_json(const TextMap& map) {
  if (map.empty()) return "{}";
  json::object object;
  object.reserve(map.size());
  for (const auto& [key, value] : map) object.emplace(key, value);
  return json::serialize(object);
}

TextMap text_map(std::string_view text) {
  if (text.size() <= 2) return {};
  json::parse_options options;
  options.allow_invalid_utf8 = true;
  json::error_code error;
  const json::value parsed = json::parse(text, error, {}, options);
  TextMap map;
  if (error || !parsed.is_object()) return map;
  for (const auto& item : parsed.get_object()) {
    if (const auto* value = item.value().if_string()) map.emplace(item.key(), std::string(*value));
  }
  return map;
}

}  // namespace etad
