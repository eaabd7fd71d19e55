#include "daemon/client/deployment_words.h"

#include <cmath>

#include "daemon/client/text.h"

namespace etad::client {

std::int64_t count_of(const Object& object, std::string_view name) {
  const double value = number_of(object, name);
  return std::isfinite(value) && std::abs(value) < 9e18 ? static_cast<std::int64_t>(value) : 0;
}

std::string or_dash(std::string text) {
  return text.empty() ? "-" : text;
}

std::string tokens_text(const Object& of) {
  const std::int64_t tokens = count_of(of, "tokens_per_iteration");
  return tokens > 0 ? " (" + counted(tokens, "token") + ")" : "";
}

std::string confidence_text(const Object& estimate) {
  return trimmed(number_text(100 * number_of(estimate, "confidence"), 12));
}

std::string joined(const boost::json::array& values) {
  std::string out;
  for (const boost::json::value& each : values) {
    const auto* text = each.if_string();
    out += (out.empty() ? "" : ", ") +
           (text != nullptr ? printable(*text) : printable(boost::json::serialize(each)));
  }
  return out;
}

std::string devices_text(const Object& deployment) {
  const std::string device = or_dash(text_of(deployment, "device"));
  const std::int64_t n = count_of(deployment, "devices");
  if (n > 1) return std::to_string(n) + " x " + device;
  return n == 0 && device != "-" ? "? x " + device : device;
}

std::string place_text(const Object& deployment) {
  const std::int64_t n = count_of(deployment, "devices");
  const bool unknown = text_of(deployment, "device").empty();
  const std::string host = text_of(deployment, "host");
  std::string out = !unknown ? devices_text(deployment)
                    : n == 0 ? "unknown devices"
                    : n == 1 ? "an unknown device"
                             : std::to_string(n) + " unknown devices";
  return host.empty() ? out : out + " of " + host;
}

std::string deployment_text(const Object& deployment) {
  return or_dash(text_of(deployment, "framework")) + " on " + place_text(deployment);
}

}  // namespace etad::client
