// Small tables of text (settings, labels) as JSON objects, so that SQLite's own JSON functions can read them.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace etad {

using TextMap = std::map<std::string, std::string>;

std::string to_json(const TextMap& map);

// Of what to_json wrote; anything else gives an empty map. Bytes that are no UTF-8 pass through.
TextMap text_map(std::string_view json);

}  // namespace etad
