#include "parsers/trace_reader.h"

#include <boost/json.hpp>

namespace etad {

namespace json = boost::json;

bool HeadedReader::keep_header(std::string_view line, Records& out) {
  std::size_t kept = line.size();
  for (const std::string& known : header_) kept += known.size();
  if (kept > kLongestHeader) {
    sink_.reject("a header of more than " + std::to_string(kLongestHeader) + " bytes", out);
    return false;
  }
  header_.emplace_back(line);
  return true;
}

json::object HeadedReader::save() const {
  json::object state;
  json::array lines;
  for (const std::string& line : header_) lines.emplace_back(line);
  state["header"] = std::move(lines);
  sink_.save(state);
  return state;
}

void HeadedReader::restore(const json::object& state, TimeContext& time) {
  Records none;
  if (const auto* lines = state.if_contains("header"); lines && lines->is_array()) {
    for (const json::value& line : lines->get_array()) {
      if (line.is_string()) read(line.get_string(), std::nullopt, time, none);
    }
  }
  sink_.restore(state);
}

}  // namespace etad
