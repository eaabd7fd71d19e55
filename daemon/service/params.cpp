#include "daemon/service/params.h"

#include "parsers/base/duration.h"
#include "parsers/base/number.h"
#include "parsers/base/suggest.h"
#include "parsers/base/text.h"
#include "parsers/base/timestamp.h"

namespace etad::service {
namespace {

constexpr std::size_t kMostParams = 64;

// A date alone is its midnight, UTC.
std::optional<Instant> instant_in(const std::string& text) {
  constexpr std::size_t kDate = 10;  // "2026-11-20"
  return from_rfc3339(text.size() == kDate ? text + "T00:00:00Z" : text);
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const auto byte = parse_number<std::uint8_t>(text.substr(i + 1, 2), 16);
      if (!byte) return std::nullopt;
      out += static_cast<char>(*byte);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

Params::Params(std::string_view query) {
  while (!query.empty()) {
    std::string_view said = take_until(query, '&');
    if (said.empty()) continue;
    const std::string_view encoded = take_until(said, '=');
    const auto name = percent_decoded(encoded, true);
    const auto value = percent_decoded(said, true);
    if (!name || !value) {
      reject(encoded, "has a broken %-escape");
    } else if (values_.size() >= kMostParams) {
      reject(*name, "is one parameter too many: at most " + std::to_string(kMostParams) + " are taken");
    } else if (!values_.emplace(*name, *value).second) {
      reject(*name, "is given twice");
    }
  }
}

bool Params::has(std::string_view name) {
  asked_.emplace(name);
  return values_.find(name) != values_.end();
}

std::optional<std::string> Params::text(std::string_view name) {
  asked_.emplace(name);
  const auto found = values_.find(name);
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

std::string Params::text_or(std::string_view name, std::string fallback) {
  auto value = text(name);
  return value ? std::move(*value) : std::move(fallback);
}

std::optional<std::int64_t> Params::integer(std::string_view name, std::int64_t min, std::int64_t max) {
  const auto value = text(name);
  if (!value) return std::nullopt;
  if (const auto number = parse_number<std::int64_t>(*value, min, max)) return number;
  reject(name, "must be a whole number from " + std::to_string(min) + " to " + std::to_string(max) +
                   ", not \"" + *value + "\"");
  return std::nullopt;
}

std::optional<double> Params::number(std::string_view name, double min, double max) {
  const auto value = text(name);
  if (!value) return std::nullopt;
  if (const auto number = parse_number<double>(*value); number && *number > min && *number < max)
    return number;
  JsonWriter low, high;
  low.value(min);
  high.value(max);
  reject(name, "must be a number between " + low.take() + " and " + high.take() + ", not \"" + *value + "\"");
  return std::nullopt;
}

bool Params::flag(std::string_view name) {
  const auto value = text(name);
  if (!value || *value == "false" || *value == "0") return false;
  if (value->empty() || *value == "true" || *value == "1") return true;
  reject(name, "must be true or false, not \"" + *value + "\"");
  return false;
}

std::optional<Instant> Params::instant(std::string_view name) {
  const auto value = text(name);
  if (!value) return std::nullopt;
  const auto at = instant_in(*value);
  if (!at) reject(name, "must be a time like 2026-11-20T12:00:00Z, not \"" + *value + "\"");
  return at;
}

std::optional<Instant> Params::instant(std::string_view name, Instant now) {
  const auto value = text(name);
  if (!value) return std::nullopt;
  if (const auto ago = parse_duration(*value); ago && !is_digit(value->back())) return now - *ago;
  const auto at = instant_in(*value);
  if (!at) reject(name, "must be a time like 2026-11-20T12:00:00Z or 2h (ago), not \"" + *value + "\"");
  return at;
}

std::string Params::choice(std::string_view name, std::initializer_list<std::string_view> allowed) {
  const auto value = text(name);
  if (!value) return {};
  std::vector<std::string> names(allowed.begin(), allowed.end());
  std::string list;
  for (const std::string& each : names) {
    if (*value == each) return each;
    list += (list.empty() ? "" : ", ") + each;
  }
  reject(name, "must be one of " + list + ", not \"" + *value + "\"", std::move(names));
  return {};
}

std::map<std::string, std::string> Params::prefixed(std::string_view prefix) {
  std::map<std::string, std::string> out;
  for (auto at = values_.lower_bound(prefix); at != values_.end() && at->first.starts_with(prefix); ++at) {
    asked_.insert(at->first);
    out.emplace(at->first.substr(prefix.size()), at->second);
  }
  return out;
}

void Params::require(std::string_view name, std::string_view why) {
  if (!has(name)) reject(name, std::string("is missing") + (why.empty() ? "" : ": ") + std::string(why));
}

void Params::reject(std::string_view name, std::string detail, std::vector<std::string> candidates) {
  if (problem_) return;
  problem_.emplace();
  problem_->title = "Invalid parameter";
  problem_->detail = "Parameter \"" + std::string(name) + "\" " + std::move(detail) + ".";
  problem_->candidates = std::move(candidates);
  problem_->more = [parameter = std::string(name)](JsonWriter& json) { json.field("parameter", parameter); };
}

std::optional<Problem> Params::check() {
  for (const auto& [name, value] : values_) {
    if (asked_.find(name) != asked_.end()) continue;
    reject(name, "is unknown here", near_names(name, {asked_.begin(), asked_.end()}));
  }
  return problem_;
}

}  // namespace etad::service
