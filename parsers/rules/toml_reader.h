// Reads values out of a rule file's TOML; every step notes a mistake with its line and goes on.
#pragma once

#include <toml++/toml.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/rules/known_names.h"
#include "parsers/rules/rule_file.h"

namespace etad {

class TomlReader {
 protected:
  TomlReader(std::string_view where, std::vector<Error>& errors) : where_(where), errors_(errors) {}

  static std::size_t line_of(const toml::node& node) { return node.source().begin.line; }

  void add(std::size_t line, std::string message, std::string hint = {}) {
    errors_.push_back({where_ + ":" + std::to_string(line), std::move(message), std::move(hint)});
  }

  void check_keys(const toml::table& table, const std::vector<std::string_view>& known,
                  const std::string& owner) {
    for (const auto& [key, node] : table) {
      if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
      add(key.source().begin.line, owner + "unknown key '" + std::string(key.str()) + "'",
          did_you_mean(key.str(), known));
    }
  }

  void wrong_type(const toml::node& node, std::string_view key, std::string_view wanted) {
    add(line_of(node), "'" + std::string(key) + "' must be " + std::string(wanted));
  }

  std::string optional_text(const toml::table& table, std::string_view key, std::string fallback) {
    const toml::node* node = table.get(key);
    if (!node) return fallback;
    if (const auto* text = node->as_string()) return text->get();
    wrong_type(*node, key, "a string");
    return fallback;
  }

  std::string required_text(const toml::table& table, std::string_view key, const std::string& owner,
                            std::size_t line) {
    std::string text = optional_text(table, key, "");
    if (text.empty() && (!table.get(key) || table.get(key)->is_string()))
      add(line, owner + " lacks '" + std::string(key) + "'");
    return text;
  }

  // A string or a list of strings, each with its line.
  std::vector<PatternSpec> texts(const toml::table& table, std::string_view key) {
    const toml::node* node = table.get(key);
    return node ? texts(*node, key) : std::vector<PatternSpec>();
  }

  std::vector<PatternSpec> texts(const toml::node& node, std::string_view key) {
    std::vector<PatternSpec> out;
    if (const auto* text = node.as_string()) {
      out.push_back({text->get(), line_of(*text)});
    } else if (const auto* list = node.as_array()) {
      for (const toml::node& item : *list) {
        if (const auto* entry = item.as_string()) {
          out.push_back({entry->get(), line_of(item)});
        } else {
          wrong_type(item, key, "a list of strings");
        }
      }
    } else {
      wrong_type(node, key, "a string or a list of strings");
    }
    return out;
  }

  // Calls `each(key, node)` for the entries of the table under `key`, if there is one.
  template <class Each>
  void read_table(const toml::table& owner, std::string_view key, Each each) {
    const toml::node* node = owner.get(key);
    if (!node) return;
    if (const auto* table = node->as_table()) {
      for (const auto& [name, value] : *table) each(name, value);
    } else {
      wrong_type(*node, key, "a table: { name = … }");
    }
  }

  // A string as it is; a number or boolean as it is written in a log.
  std::optional<std::string> scalar_text(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    return {};
  }

  std::string where_;

 private:
  std::vector<Error>& errors_;
};

}  // namespace etad
