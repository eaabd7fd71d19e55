// A request's query parameters. A handler asks for each it knows and then calls `check` once: what was
// malformed, given twice or not asked for at all is then one clear problem that names the parameter.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/service/message.h"
#include "parsers/base/time.h"

namespace etad::service {

// "%20" and "+" decoded; nullopt: a broken escape.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space);

class Params {
 public:
  explicit Params(std::string_view query);

  bool has(std::string_view name);
  std::optional<std::string> text(std::string_view name);  // present and empty is not absent
  std::string text_or(std::string_view name, std::string fallback = {});
  std::optional<std::int64_t> integer(std::string_view name, std::int64_t min, std::int64_t max);
  std::optional<double> number(std::string_view name, double min, double max);  // exclusive bounds
  bool flag(std::string_view name);                       // "true", "1", present and empty; "false", "0"
  std::optional<Instant> instant(std::string_view name);  // RFC 3339, or a date
  std::optional<Instant> instant(std::string_view name,
                                 Instant now);  // or "90s", "15m", "12h", "7d": so long ago
  std::string choice(std::string_view name, std::initializer_list<std::string_view> allowed);
  // The last part of "label.batch_size=64" -> {"batch_size": "64"}.
  std::map<std::string, std::string> prefixed(std::string_view prefix);

  void require(std::string_view name, std::string_view why);
  void reject(std::string_view name, std::string detail, std::vector<std::string> candidates = {});

  // The first problem, if any. Call it after everything has been asked for.
  std::optional<Problem> check();

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::set<std::string, std::less<>> asked_;
  std::optional<Problem> problem_;
};

}  // namespace etad::service
