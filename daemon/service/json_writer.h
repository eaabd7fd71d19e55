// Writes JSON text. A writer and not a tree: answers are written once and never looked at again, numbers come
// out as people write them (512.3, not 5.123E2), and no string can leave that is not valid UTF-8.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/time.h"
#include "parsers/base/utf8.h"

namespace etad::service {

// A number of devices as it is shown: null where it is unknown (0).
inline std::optional<std::int64_t> known_devices(std::int64_t devices) {
  return devices == 0 ? std::nullopt : std::optional(devices);
}

class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& null();
  JsonWriter& value(bool v);
  JsonWriter& value(double v);  // nine significant digits: no measurement of ours has more; NaN, inf: null
  JsonWriter& value(std::string_view v);
  JsonWriter& value(const char* v) { return value(std::string_view(v)); }
  JsonWriter& value(const std::string& v) { return value(std::string_view(v)); }
  JsonWriter& value(Instant v);   // RFC 3339
  JsonWriter& value(Duration v);  // seconds, exact to the nanosecond
  JsonWriter& exact(double v);    // all digits it takes to read the same number back
  template <std::integral I>
  requires(!std::same_as<I, bool>) JsonWriter& value(I v) { return integer(static_cast<std::int64_t>(v)); }
  template <class T>
  JsonWriter& value(const std::optional<T>& v) {
    return v ? value(*v) : null();
  }
  template <class T>
  JsonWriter& value(const std::vector<T>& v) {
    begin_array();
    for (const T& each : v) value(each);
    return end_array();
  }
  JsonWriter& value(const std::map<std::string, std::string>& v);

  template <class T>
  JsonWriter& field(std::string_view name, const T& v) {
    key(name);
    return value(v);
  }

  // A member that is an array: `write(json, item)` writes each.
  template <class Items, class Write>
  JsonWriter& list(std::string_view name, const Items& items, const Write& write) {
    key(name).begin_array();
    for (const auto& item : items) write(*this, item);
    return end_array();
  }
  // A member that may be missing: null, or what `write(json, thing)` writes.
  template <class Thing, class Write>
  JsonWriter& maybe(std::string_view name, const std::optional<Thing>& thing, const Write& write) {
    key(name);
    if (!thing) return null();
    write(*this, *thing);
    return *this;
  }
  JsonWriter& text_or_null(std::string_view name, std::string_view text) {  // null for an empty one
    key(name);
    return text.empty() ? null() : value(text);
  }

  std::string take() { return std::move(out_); }

 private:
  JsonWriter& integer(std::int64_t v);
  void separate();
  void raw(std::string_view text);

  std::string out_;
  bool needs_comma_ = false;
};

}  // namespace etad::service
