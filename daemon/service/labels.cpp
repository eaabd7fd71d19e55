#include "daemon/service/labels.h"

#include <boost/json.hpp>

namespace etad::service {
namespace {

constexpr std::size_t kMostLabels = 64, kLongestLabel = 1024;

tl::unexpected<Problem> bad(std::string detail) {
  return refuse({400, "Invalid labels", std::move(detail),
                 "send a JSON object such as {\"network\": \"LeNet\", \"batch_size\": 64}"});
}

}  // namespace

Answer<std::map<std::string, std::string>> labels_from(std::string_view body) {
  std::map<std::string, std::string> out;
  if (body.find_first_not_of(" \t\r\n") == std::string_view::npos) return out;
  boost::json::error_code error;
  boost::json::parse_options options;
  options.max_depth = 4;
  const boost::json::value parsed = boost::json::parse(body, error, {}, options);
  if (error) return bad("The body is no JSON: " + error.message() + ".");
  const auto* object = parsed.if_object();
  if (object == nullptr) return bad("The body is no JSON object.");
  if (object->size() > kMostLabels)
    return bad("At most " + std::to_string(kMostLabels) + " labels are taken.");
  for (const auto& [key, value] : *object) {
    const std::string name(key);
    if (const auto* text = value.if_string()) {
      out[name] = std::string(*text);
    } else if (value.is_int64() || value.is_uint64()) {
      out[name] = boost::json::serialize(value);
    } else if (value.is_null()) {
      out[name] = "";
    } else {
      return bad("Label \"" + valid_utf8(name) + "\" must be a string or a whole number.");
    }
    if (name.empty() || name.size() > kLongestLabel || out[name].size() > kLongestLabel) {
      return bad("A label's name and value must have at most " + std::to_string(kLongestLabel) + " bytes.");
    }
  }
  return out;
}

}  // namespace etad::service
