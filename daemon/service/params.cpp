#include "daemon/service/params.h"

#include <charconv>
#include <chrono>

#include "parsers/base/timestamp.h"
#include "prediction/names.h"

namespace etad::service {
namespace {

constexpr std::size_t kMostParams = 64;

std::optional<unsigned> hex_digit(char c) {
  if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
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
      const auto high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
      if (!high || !low) return std::nullopt;
      out += static_cast<char>(*high * 16 + *low);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::optional<Instant> ago_from(std::string_view text, Instant now) {
  constexpr std::pair<char, std::int64_t> kUnits[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86'400}};
  constexpr std::int64_t kMostSeconds = 3'000'000'000;  // a century
  std::int64_t count = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, count);
  if (error != std::errc{} || end + 1 != last || count < 0) return std::nullopt;
  for (const auto& [unit, seconds] : kUnits)
    if (*end == unit && count <= kMostSeconds / seconds) return now - std::chrono::seconds{count * seconds};
  return std::nullopt;
}

Params::Params(std::string_view query) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto name = percent_decoded(pair.substr(0, equals), true);
    const auto value = percent_decoded(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) {
      reject(std::string(pair.substr(0, equals)), "has a broken %-escape");
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
  std::int64_t number = 0;
  const char* const end = value->data() + value->size();
  const auto [rest, error] = std::from_chars(value->data(), end, number);
  if (error == std::errc{} && rest == end && number >= min && number <= max) return number;
  reject(name, "must be a whole number from " + std::to_string(min) + " to " + std::to_string(max) +
                   ", not \"" + *value + "\"");
  return std::nullopt;
}

std::optional<double> Params::number(std::string_view name, double min, double max) {
  const auto value = text(name);
  if (!value) return std::nullopt;
  double number = 0;
  const char* const end = value->data() + value->size();
  const auto [rest, error] = std::from_chars(value->data(), end, number);
  if (error == std::errc{} && rest == end && number > min && number < max) return number;
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
  const auto at = from_rfc3339(*value);
  if (!at) reject(name, "must be a time like 2026-11-20T12:00:00Z, not \"" + *value + "\"");
  return at;
}

std::optional<Instant> Params::instant(std::string_view name, Instant now) {
  const auto value = text(name);
  if (!value) return std::nullopt;
  if (const auto ago = ago_from(*value, now)) return ago;
  const auto at = from_rfc3339(*value);
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
    reject(name, "is unknown here", prediction::near_names(name, {asked_.begin(), asked_.end()}));
  }
  return problem_;
}

}  // namespace etad::service
