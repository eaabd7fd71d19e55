// Values as JSON text and back: what the history keeps from one life of the daemon to the next, the parsers'
// states and the fitted models.
//
// A struct says once what it consists of, in its own namespace:
//
//   struct Anchor { std::int64_t iteration = 0; std::optional<Instant> at; };
//   ETAD_SAVED(Anchor, iteration, at)
//
// and Anchor{7, at} is written as {"iteration":7,"at":1795000000000000}. A member that is added to the struct
// and not to that line does not compile. One that is named anew keeps the key that it has been saved under:
//
//   ETAD_SAVED_KEYS(Anchor, {"iteration", "step"})
//
// Several states hold records: saved_record.h describes those. Numbers come back with the bits that they had:
// a double is written as a string, the shortest that reads as the same number, NaN and infinity among them.
// (JSON's own numbers promise no such thing; Boost.JSON 1.81 loses the last digit.) An enumeration is its
// number; its enumerators count from 0 without gaps. A class that gives out its state() is written as that.
#pragma once

#include <algorithm>
#include <bit>
#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <boost/mp11.hpp>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "parsers/base/error.h"
#include "parsers/base/time.h"

// The structured binding is what does not compile when a member is missing.
#define ETAD_SAVED(Type, ...)                                        \
  BOOST_DESCRIBE_STRUCT(Type, (), (__VA_ARGS__))                     \
  [[maybe_unused]] static inline void saved_are_all(Type& a_value) { \
    [[maybe_unused]] auto& [__VA_ARGS__] = a_value;                  \
  }

#define ETAD_SAVED_KEYS(Type, ...)                                                                       \
  static_assert(etad::saved::detail::are_members<Type>({__VA_ARGS__}));                                  \
  [[maybe_unused]] constexpr std::string_view saved_key(const Type* /*of*/, std::string_view a_member) { \
    for (const std::pair<std::string_view, std::string_view>& a_key :                                    \
         std::initializer_list<std::pair<std::string_view, std::string_view>>{__VA_ARGS__})              \
      if (a_key.first == a_member) return a_key.second;                                                  \
    return a_member;                                                                                     \
  }

namespace etad::saved {

enum class Form : std::uint8_t {
  sparse,  // a member that is as in a new value is left out, and one that is missing is so
  whole,   // every member is there, or the value is damaged
};

namespace detail {

namespace json = boost::json;

// Each appends to the text. write_key(), write_name() and begin_element() also write the comma behind what came before.
template <std::integral T>
void write_integer(std::string& out, T x) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof text, x).ptr);
}
void write_double(std::string& out, double x);
void write_string(std::string& out, std::string_view text);
void write_key(std::string& out, std::string_view key);
void write_name(std::string& out, std::string_view name);  // a member's, which has nothing to escape
void begin_element(std::string& out);
double number_in(const json::value& v);

// The name that the compiler has for a value: "etad::Phase::test", or "(etad::Phase)2" where there is none.
template <auto Value>
consteval bool is_enumerator() {
  const std::string_view function = __PRETTY_FUNCTION__;
  return function[function.rfind("Value = ") + 8] != '(';
}

template <class E, std::int64_t Count = 0>
consteval std::int64_t enumerators() {
  if constexpr (is_enumerator<static_cast<E>(Count)>()) {
    return enumerators<E, Count + 1>();
  } else {
    return Count;
  }
}

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;
template <class T>
concept Map = requires {
  typename T::mapped_type;
};
template <class T>
concept List = requires(T x) {
  typename T::value_type;
  x.insert(x.end(), typename T::value_type{});
};

template <class T>
using Members = boost::describe::describe_members<T, boost::describe::mod_public>;

template <class T>
consteval bool are_members(std::initializer_list<std::pair<std::string_view, std::string_view>> keys) {
  bool all = true;
  for (const auto& key : keys) {
    bool found = false;
    boost::mp11::mp_for_each<Members<T>>(
        [&](auto member) { found = found || key.first == decltype(member)::name; });
    all = all && found;
  }
  return all;
}

// What a member of T is called in the text.
template <class T>
constexpr std::string_view key_of(std::string_view member) {
  if constexpr (requires { saved_key(static_cast<const T*>(nullptr), member); }) {
    return saved_key(static_cast<const T*>(nullptr), member);
  } else {
    return member;
  }
}

template <class T>
void write_members(std::string& out, const T& x, Form form);

// Appends the value. Written at once, without a tree of it in between: the state of each log that has moved is written
// with each commit.
template <class T>
void write(std::string& out, const T& x, Form form) {
  if constexpr (std::is_same_v<T, bool>) {
    out += x ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    write_integer(out, x);
  } else if constexpr (std::is_enum_v<T>) {
    write_integer(out, static_cast<std::int64_t>(x));
  } else if constexpr (std::is_same_v<T, double>) {
    write_double(out, x);
  } else if constexpr (std::is_same_v<T, std::string>) {
    write_string(out, x);
  } else if constexpr (std::is_same_v<T, Instant>) {
    write_integer(out, x.time_since_epoch().count());
  } else if constexpr (std::is_same_v<T, Duration>) {
    write_integer(out, x.count());
  } else if constexpr (is_optional<T>) {
    if (x) {
      write(out, *x, form);
    } else {
      out += "null";
    }
  } else if constexpr (is_pair<T>) {
    out += '[';
    write(out, x.first, form);
    out += ',';
    write(out, x.second, form);
    out += ']';
  } else if constexpr (Map<T>) {
    out += '{';
    for (const auto& [key, value] : x) {
      write_key(out, key);
      write(out, value, form);
    }
    out += '}';
  } else if constexpr (List<T>) {
    out += '[';
    for (const auto& each : x) {
      begin_element(out);
      write<typename T::value_type>(out, each, form);
    }
    out += ']';
  } else if constexpr (requires { x.state(); }) {
    write(out, x.state(), form);
  } else {
    out += '{';
    write_members(out, x, form);
    out += '}';
  }
}

// Whether both are written as the same text.
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);  // 0.0 is not -0.0
  } else if constexpr (is_optional<T>) {
    return a.has_value() == b.has_value() && (!a || same(*a, *b));
  } else if constexpr (is_pair<T>) {
    return same(a.first, b.first) && same(a.second, b.second);
  } else if constexpr (!std::is_same_v<T, std::string> && (Map<T> || List<T>)) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return same(x, y); });
  } else if constexpr (requires { a.state(); }) {
    return same(a.state(), b.state());
  } else if constexpr (boost::describe::has_describe_members<T>::value) {
    bool all = true;
    boost::mp11::mp_for_each<Members<T>>(
        [&](auto member) { all = all && same(a.*member.pointer, b.*member.pointer); });
    return all;
  } else {
    return a == b;
  }
}

template <class T>
void write_members(std::string& out, const T& x, Form form) {
  [[maybe_unused]] static const T fresh{};  // GCC 12 sees no use of it in the lambda
  boost::mp11::mp_for_each<Members<T>>([&](auto member) {
    if (form == Form::sparse && same(x.*member.pointer, fresh.*member.pointer)) return;
    write_name(out, key_of<T>(decltype(member)::name));
    write(out, x.*member.pointer, form);
  });
}

// Throws on what was not written so: JSON's own exceptions, or invalid_argument.
template <class T>
void read(const json::value& v, T& x, Form form) {
  if constexpr (std::is_same_v<T, bool>) {
    x = v.as_bool();
  } else if constexpr (std::is_integral_v<T>) {
    x = v.to_number<T>();
  } else if constexpr (std::is_enum_v<T>) {
    const auto number = v.to_number<std::int64_t>();
    if (number < 0 || number >= enumerators<T>()) throw std::invalid_argument("there is no such value");
    x = static_cast<T>(number);
  } else if constexpr (std::is_same_v<T, double>) {
    x = number_in(v);
  } else if constexpr (std::is_same_v<T, std::string>) {
    x = v.as_string();
  } else if constexpr (std::is_same_v<T, Instant>) {
    x = Instant(Instant::duration(v.to_number<std::int64_t>()));
  } else if constexpr (std::is_same_v<T, Duration>) {
    x = Duration(v.to_number<std::int64_t>());
  } else if constexpr (is_optional<T>) {
    x.reset();
    if (!v.is_null()) read(v, x.emplace(), form);
  } else if constexpr (is_pair<T>) {
    const json::array& both = v.as_array();
    if (both.size() != 2) throw std::invalid_argument("that is no pair");
    read(both[0], x.first, form);
    read(both[1], x.second, form);
  } else if constexpr (Map<T>) {
    x.clear();
    for (const auto& member : v.as_object()) read(member.value(), x[std::string(member.key())], form);
  } else if constexpr (List<T>) {
    x.clear();
    for (const json::value& each : v.as_array()) {
      typename T::value_type element{};
      read(each, element, form);
      x.insert(x.end(), std::move(element));
    }
  } else if constexpr (requires { x.state(); }) {
    read(v, x.state(), form);
  } else {
    const json::object& members = v.as_object();
    boost::mp11::mp_for_each<Members<T>>([&](auto member) {
      constexpr std::string_view key = key_of<T>(decltype(member)::name);
      try {
        if (const json::value* const found = members.if_contains(key)) {
          read(*found, x.*member.pointer, form);
        } else if (form == Form::whole) {
          throw std::invalid_argument("it is missing");
        }
      } catch (const std::exception& error) {
        throw std::invalid_argument(std::string(key) + ": " + error.what());
      }
    });
  }
}

Result<json::object> parsed(std::string_view text, std::int64_t version, std::string_view what);

}  // namespace detail

// The value as text, with the version of its form.
template <class T>
std::string to_text(const T& x, std::int64_t version, Form form = Form::sparse) {
  std::string out = "{";
  detail::write_members(out, x, form);
  detail::write_name(out, "version");
  detail::write_integer(out, version);
  out += '}';
  return out;
}

// The value that to_text has written. Fails, with `what` as the sentence's subject ("the saved state"), where
// the text is damaged or of another version. Strings need not be UTF-8.
template <class T>
Result<T> from_text(std::string_view text, std::int64_t version, std::string_view what,
                    Form form = Form::sparse) {
  auto members = detail::parsed(text, version, what);
  if (!members) return tl::unexpected(members.error());
  try {
    T out{};
    detail::read(boost::json::value(std::move(*members)), out, form);
    return out;
  } catch (const std::exception& error) {
    return fail(ErrorKind::corrupt, std::string(what) + " is damaged: " + error.what());
  }
}

}  // namespace etad::saved
