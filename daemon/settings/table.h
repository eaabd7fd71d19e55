// Strict reading of one TOML table, for every program's configuration: each key is read once, by name and type, and what
// nobody has asked for when the table is done is a mistake.
#pragma once

#include <toml++/toml.h>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/duration.h"

namespace etad::config {

using Errors = std::vector<Error>;
using Expected = std::optional<std::string>;  // what a value should have been; nothing: it is fine

// "~/" at a path's beginning as `home`; empty: it stands for nothing.
inline void expand_home(const std::string& home, std::string& path) {
  if (!home.empty() && path.starts_with("~/")) path.replace(0, 1, home);
}

// A whole configuration, of a file called `where`. Error: it is no TOML, or nests deeper than the parser can follow.
Result<toml::table> parse(std::string_view where, std::string_view text);

class Table {
 public:
  Table(std::string_view where, std::string name, const toml::table& table, Errors& errors)
      : where_(where), name_(std::move(name)), table_(table), errors_(errors) {}

  // Reads `key`, if it is there, with `take(node) -> Expected`.
  template <class Take>
  void read(std::string_view key, Take take) {
    known_.push_back(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) return;
    if (const Expected expected = take(*node)) mistake(*node, "'" + path_of(key) + "' must be " + *expected);
  }

  // Reads the sub-table `key` with `fill(Table&)`.
  template <class Fill>
  void section(std::string_view key, Fill fill) {
    read(key, [&](const toml::node& node) -> Expected {
      const toml::table* table = node.as_table();
      if (table == nullptr) return "a table: [" + std::string(key) + "]";
      Table inner(where_, path_of(key), *table, errors_);
      fill(inner);
      inner.done();
      return std::nullopt;
    });
  }

  void text(std::string_view key, std::string& out);
  void flag(std::string_view key, bool& out);
  void texts(std::string_view key, std::vector<std::string>& out);            // a string or a list of them
  void words(std::string_view key, std::map<std::string, std::string>& out);  // a table of strings, numbers

  template <class Int>
  void number(std::string_view key, Int& out, std::int64_t min, std::int64_t max) {
    read(key, [&](const toml::node& node) -> Expected {
      const auto value = node.value_exact<std::int64_t>();
      if (!value || *value < min || *value > max) {
        return "a whole number from " + std::to_string(min) + " to " + std::to_string(max);
      }
      out = static_cast<Int>(*value);
      return std::nullopt;
    });
  }

  // Seconds as a number, or parse_duration()'s text.
  template <class Unit>
  void duration(std::string_view key, Unit& out) {
    read(key, [&](const toml::node& node) -> Expected {
      static constexpr double kLongest = 3e9;
      if (const auto seconds = node.value<double>();
          node.is_number() && *seconds > 0 && *seconds < kLongest) {
        out = std::chrono::ceil<Unit>(std::chrono::duration<double>(*seconds));
        return std::nullopt;
      }
      const auto words = node.value_exact<std::string>();
      const auto parsed = words ? parse_duration(*words) : fail("no text");
      if (!parsed) return R"(a duration: seconds, or text such as "90s", "15m", "12h", "7d")";
      out = *parsed;
      return std::nullopt;
    });
  }

  const toml::node& node(std::string_view key) const;  // for a mistake's place; absent: the table
  std::string place_of(std::string_view key) const;    // "etad.toml:12"
  void done() const;                                   // tells the keys nobody read
  void mistake(const toml::node& node, std::string message, std::string hint = {}) const;

 private:
  std::string path_of(std::string_view key) const;

  std::string_view where_;
  std::string name_;
  const toml::table& table_;
  Errors& errors_;
  std::vector<std::string_view> known_;
};

}  // namespace etad::config
