#include "daemon/client/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "parsers/base/timestamp.h"

namespace etad::client {
namespace {

template <class... Args>
std::string formatted(const char* format, Args... args) {
  std::array<char, 96> out{};
  const int n = std::snprintf(out.data(), out.size(), format, args...);
  return {out.data(), static_cast<std::size_t>(std::clamp(n, 0, static_cast<int>(out.size()) - 1))};
}

// The bytes of the code point that begins at `i`; 1 for what is none.
std::size_t code_point_length(std::string_view text, std::size_t i) {
  const auto first = static_cast<unsigned char>(text[i]);
  const std::size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  return std::min(length, text.size() - i);
}

}  // namespace

// Without the zeros behind the point that say nothing: 90.0 is 90.
std::string trimmed(std::string text) {
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  // The exponent of the rounded number: 0.9999 is 1.00.
  const std::string rounded = formatted("%.*e", digits - 1, value);
  const int magnitude = std::atoi(rounded.c_str() + rounded.find('e') + 1);
  if (magnitude < -5 || magnitude > 14) return formatted("%.*g", digits, value);
  return formatted("%.*f", std::max(0, digits - 1 - magnitude), value);
}

std::string duration_text(double seconds) {
  if (!std::isfinite(seconds)) return "-";
  if (seconds < 0) return "-" + duration_text(-seconds);
  if (seconds == 0) return "0 s";
  if (seconds < 9.995e-4) return number_text(seconds * 1e6) + " us";
  if (seconds < 0.9995) return number_text(seconds * 1e3) + " ms";
  if (seconds < 59.95) return number_text(seconds) + " s";
  const auto pair = [](double of, double unit, const char* large, const char* small) {
    const auto whole = static_cast<std::int64_t>(std::llround(of));
    const auto per = static_cast<std::int64_t>(unit);
    const std::int64_t rest = whole % per;
    return count_text(whole / per) + " " + large +
           (rest == 0 ? "" : " " + std::to_string(rest) + " " + small);
  };
  if (seconds < 3599.5) return pair(seconds, 60, "min", "s");
  if (seconds < 86'370) return pair(seconds / 60, 60, "h", "min");
  if (seconds > 1e13) return number_text(seconds) + " s";
  return pair(seconds / 3600, 24, "d", "h");
}

std::string counted(std::int64_t count, std::string_view noun) {
  return count_text(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string unpack_first(std::string_view program) {
  const std::string_view command = program == "xz"    ? "xz -d"
                                   : program == "7z"  ? "7z x"
                                   : program == "tar" ? "tar -xf"
                                                      : program;
  return "unpack it first: `" + std::string(command) + "`";
}

std::string metric_text(double value, std::string_view unit) {
  constexpr std::array<const char*, 5> kPrefixes = {"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  while (std::abs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return number_text(value) + " " + kPrefixes[prefix] + std::string(unit);
}

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1023.5 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return (unit == 0 ? formatted("%.0f", bytes) : number_text(bytes)) + " " + kUnits[unit];
}

std::string count_text(std::int64_t count) {
  std::string out = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t i = out.size(); i > first + 3;) {
    i -= 3;
    out.insert(i, ",");
  }
  return out;
}

std::string percent_text(double percent) {
  return std::isfinite(percent) ? formatted("%.1f %%", percent) : "-";
}

std::string time_text(const std::string& rfc3339) {
  const auto known = from_rfc3339(rfc3339);
  if (!known) return rfc3339;
  const std::time_t at = std::chrono::floor<std::chrono::seconds>(*known).time_since_epoch().count();
  std::tm local{};
  localtime_r(&at, &local);
  std::array<char, 32> out{};
  const std::size_t n = std::strftime(out.data(), out.size(), "%Y-%m-%d %H:%M", &local);
  return {out.data(), n};
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); i += code_point_length(text, i)) ++width;
  return width;
}

std::string cut(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t end = 0;
  for (std::size_t n = 0; n + 1 < width; ++n) end += code_point_length(text, end);
  return std::string(text.substr(0, end)) + "…";
}

std::string cut_head(std::string_view text, std::size_t width) {
  const std::size_t columns = width_of(text);
  if (columns <= width) return std::string(text);
  std::size_t at = 0;
  for (std::size_t left = columns; at < text.size() && left + 1 > width; --left)
    at += code_point_length(text, at);
  return width == 0 ? std::string() : "…" + std::string(text.substr(at));
}

std::string padded(std::string_view text, std::size_t width, bool right) {
  const std::size_t has = width_of(text);
  const std::string blanks(width > has ? width - has : 0, ' ');
  return right ? blanks + std::string(text) : std::string(text) + blanks;
}

std::string bar(double fraction, std::size_t width) {
  const std::size_t inner = std::max<std::size_t>(width, 3) - 2;
  const double clamped = std::isfinite(fraction) ? std::clamp(fraction, 0.0, 1.0) : 0;
  const auto full = static_cast<std::size_t>(std::floor(clamped * static_cast<double>(inner)));
  return "[" + std::string(full, '#') + std::string(inner - full, '-') + "]";
}

std::string coloured(std::string_view text, Colour colour, bool on) {
  if (!on || colour == Colour::none) return std::string(text);
  const char* const code = colour == Colour::bold    ? "1"
                           : colour == Colour::dim   ? "2"
                           : colour == Colour::red   ? "31"
                           : colour == Colour::green ? "32"
                                                     : "33";
  return std::string("\033[") + code + "m" + std::string(text) + "\033[0m";
}

Table::Table(std::vector<std::string> columns) {
  for (const std::string& text : columns) {
    const std::size_t begin = text.find_first_not_of("><?");
    const std::string_view flags = std::string_view(text).substr(0, begin);
    const auto has = [&](char flag) { return flags.find(flag) != std::string_view::npos; };
    columns_.push_back({text.substr(begin), has('>'), has('?'), has('<')});
  }
}

void Table::row(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  rows_.push_back(std::move(cells));
}

std::vector<std::optional<std::size_t>> Table::widths(std::size_t screen) const {
  constexpr std::size_t kGap = 2, kLeast = 24;
  const std::size_t shrunk_to = std::min(kLeast, screen / 4);  // a column that shrinks
  constexpr std::size_t kMostInFile = 120;
  std::vector<std::optional<std::size_t>> out;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    // A name that one user made very long does not push everybody's other columns away.
    const bool pushes = !columns_[i].shrinks && i + 1 < columns_.size();
    const std::size_t most = screen == 0 ? kMostInFile
                             : pushes    ? std::max(kLeast, screen / 2)
                                         : std::string::npos;
    std::size_t widest = width_of(columns_[i].heading);
    for (const auto& cells : rows_) widest = std::max(widest, std::min(most, width_of(cells[i])));
    out.emplace_back(widest);
  }
  if (screen == 0) return out;
  // How much too wide it is, with the columns that shrink as narrow as they go, or as wide as they would be.
  const auto excess = [&](bool shrunk) {
    std::size_t total = 0;
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (out[i]) total += kGap + (shrunk && columns_[i].shrinks ? std::min(*out[i], shrunk_to) : *out[i]);
    }
    return total > screen + kGap ? total - screen - kGap : 0;
  };
  for (std::size_t i = out.size(); i-- > 0 && excess(true) > 0;) {
    if (columns_[i].optional) out[i].reset();
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!out[i] || !columns_[i].shrinks || *out[i] <= shrunk_to) continue;
    *out[i] -= std::min(excess(false), *out[i] - shrunk_to);
  }
  return out;
}

std::string Table::text(std::size_t width, bool colours) const {
  const auto wide = widths(width);
  const auto line = [&](const auto& cell) {
    std::string out;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!wide[i]) continue;
      const std::string& whole = cell(i);
      out += (out.empty() ? "" : "  ") +
             padded(width == 0 ? whole : cut_head(whole, *wide[i]), *wide[i], columns_[i].right);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return width == 0 ? out : cut(out, width);
  };
  std::string out =
      coloured(line([&](std::size_t i) { return columns_[i].heading; }), Colour::dim, colours) + "\n";
  for (const auto& cells : rows_) out += line([&](std::size_t i) { return cells[i]; }) + "\n";
  return out;
}

}  // namespace etad::client
