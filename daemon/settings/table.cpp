#include "daemon/settings/table.h"

#include <algorithm>

#include "parsers/base/deep_key.h"

namespace etad::config {
namespace {

std::string place(std::string_view where, const toml::source_region& region) {
  return std::string(where) + ":" + std::to_string(region.begin.line);
}

}  // namespace

Result<toml::table> parse(std::string_view where, std::string_view text) {
  if (has_deep_key(text)) return fail(kDeepKey, "", std::string(where));
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    return fail(std::string(error.description()), "", place(where, error.source()));
  }
}

void Table::text(std::string_view key, std::string& out) {
  read(key, [&](const toml::node& node) -> Expected {
    const auto value = node.value_exact<std::string>();
    if (!value) return "a string";
    out = *value;
    return std::nullopt;
  });
}

void Table::flag(std::string_view key, bool& out) {
  read(key, [&](const toml::node& node) -> Expected {
    const auto value = node.value_exact<bool>();
    if (!value) return "true or false";
    out = *value;
    return std::nullopt;
  });
}

void Table::texts(std::string_view key, std::vector<std::string>& out) {
  read(key, [&](const toml::node& node) -> Expected {
    static constexpr auto kExpected = "a string or a list of strings";
    if (const auto one = node.value_exact<std::string>()) {
      out = {*one};
      return std::nullopt;
    }
    const toml::array* list = node.as_array();
    if (list == nullptr) return kExpected;
    std::vector<std::string> values;
    for (const toml::node& item : *list) {
      const auto value = item.value_exact<std::string>();
      if (!value) return kExpected;
      values.push_back(*value);
    }
    out = std::move(values);
    return std::nullopt;
  });
}

void Table::words(std::string_view key, std::map<std::string, std::string>& out) {
  read(key, [&](const toml::node& node) -> Expected {
    static constexpr auto kExpected = "a table of strings and whole numbers, such as { batch_size = 64 }";
    const toml::table* table = node.as_table();
    if (table == nullptr) return kExpected;
    for (const auto& [name, value] : *table) {
      if (const auto text = value.value_exact<std::string>()) {
        out[std::string(name.str())] = *text;
      } else if (const auto number = value.value_exact<std::int64_t>()) {
        out[std::string(name.str())] = std::to_string(*number);
      } else {
        return kExpected;
      }
    }
    return std::nullopt;
  });
}

const toml::node& Table::node(std::string_view key) const {
  const toml::node* found = table_.get(key);
  return found != nullptr ? *found : static_cast<const toml::node&>(table_);
}

std::string Table::place_of(std::string_view key) const {
  return place(where_, node(key).source());
}

void Table::done() const {
  for (const auto& [key, node] : table_) {
    if (std::find(known_.begin(), known_.end(), key.str()) != known_.end()) continue;
    std::string list;
    for (const auto& name : known_) list += (list.empty() ? "" : ", ") + std::string(name);
    errors_.push_back(
        {place(where_, key.source()), "unknown key '" + path_of(key.str()) + "'", "known here: " + list});
  }
}

void Table::mistake(const toml::node& node, std::string message, std::string hint) const {
  errors_.push_back({place(where_, node.source()), std::move(message), std::move(hint)});
}

std::string Table::path_of(std::string_view key) const {
  return name_.empty() ? std::string(key) : name_ + "." + std::string(key);
}

}  // namespace etad::config
