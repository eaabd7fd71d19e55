// A layer's parameters as the architecture keeps them, "key=value;key=value", asked for by key. Internal to
// parsers/network.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "parsers/base/number.h"

namespace etad {

class LayerSettings {
 public:
  explicit LayerSettings(std::string_view parameters) : text_(parameters) {}

  std::optional<std::string_view> text(std::string_view key) const {
    for (std::string_view rest = text_; !rest.empty();) {
      const std::string_view entry = next(rest);
      if (named(entry, key)) return entry.substr(key.size() + 1);
    }
    return {};
  }
  // All values of a repeated key that are whole numbers, in their order.
  std::vector<std::int64_t> numbers(std::string_view key) const {
    std::vector<std::int64_t> out;
    for (std::string_view rest = text_; !rest.empty();) {
      const std::string_view entry = next(rest);
      if (!named(entry, key)) continue;
      if (const auto n = parse_number<std::int64_t>(entry.substr(key.size() + 1))) out.push_back(*n);
    }
    return out;
  }
  std::int64_t number(std::string_view key, std::int64_t otherwise) const {
    const std::vector<std::int64_t> all = numbers(key);
    return all.empty() ? otherwise : all.front();
  }
  // Of a dimension that may be written "stride: 2", "stride: 2 stride: 1" or "stride_h: 2 stride_w: 1".
  std::int64_t along(std::string_view key, std::string_view of_axis, std::size_t axis,
                     std::int64_t otherwise) const {
    if (const auto own = numbers(of_axis); !own.empty()) return own.front();
    const std::vector<std::int64_t> all = numbers(key);
    if (all.empty()) return otherwise;
    return all[axis < all.size() ? axis : all.size() - 1];
  }
  bool is(std::string_view key, std::string_view value) const { return text(key) == value; }

 private:
  static std::string_view next(std::string_view& rest) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view entry = rest.substr(0, end);
    rest.remove_prefix(end == rest.size() ? end : end + 1);
    return entry;
  }
  static bool named(std::string_view entry, std::string_view key) {
    return entry.size() > key.size() && entry[key.size()] == '=' && entry.starts_with(key);
  }

  std::string_view text_;
};

}  // namespace etad
