#include "parsers/training/line_numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "parsers/base/number.h"
#include "parsers/base/samples.h"
#include "parsers/base/text.h"

namespace etad {

std::optional<std::int64_t> whole_number(std::string_view text) {
  return parse_number<std::int64_t>(text, 0, track::kMaxCount);
}

std::int64_t product_or_zero(std::int64_t a, std::int64_t b) {
  return samples_product(a, b);
}

std::string without_grouping(std::string_view text) {
  constexpr std::size_t kGroup = 3, kLongest = 20;
  const std::size_t head = text.find(',');
  if (head == text.npos || head == 0 || head > kGroup || text.front() == '0' || text.size() > kLongest)
    return {};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool parts = i >= head && (i - head) % (kGroup + 1) == 0;
    if (parts ? text[i] != ',' : !is_digit(text[i])) return {};
    if (!parts) out += text[i];
  }
  return (text.size() - head) % (kGroup + 1) == 0 ? out : std::string();
}

Duration between(Instant from, Instant to) {
  constexpr auto kMost = std::chrono::seconds(static_cast<std::int64_t>(track::kMaxSeconds));
  const auto apart = to - from;
  return apart <= kMost && apart >= -kMost ? Duration(apart) : Duration::zero();
}

bool is_long_over(const Run& run, std::optional<Instant> at) {
  constexpr auto kLong = std::chrono::minutes(10);
  return at && run.ended_at && *at - *run.ended_at > kLong;
}

void add_bounded(Duration& sum, Duration more) {
  constexpr Duration kMost = std::chrono::seconds(static_cast<std::int64_t>(track::kMaxSeconds));
  sum = std::min(sum + std::min(more, kMost), kMost);
}

std::optional<Duration> positive_seconds(std::optional<double> seconds) {
  if (!seconds || !std::isfinite(*seconds) || *seconds <= 0 || *seconds > track::kMaxSeconds) return {};
  const Duration d = from_seconds(*seconds);
  return d > Duration::zero() ? std::optional(d) : std::nullopt;
}

namespace {

bool is_of_number(char c) {
  return is_digit(c) || c == '.';
}

}  // namespace

std::optional<std::pair<double, double>> rounded(const Event& event, Field f) {
  if (!event.has(f)) return std::nullopt;
  const auto x = event.number(f);
  if (!x || !std::isfinite(*x) || *x < 0) return std::nullopt;
  std::string_view text = event.text(f);
  text.remove_prefix(static_cast<std::size_t>(std::ranges::find_if(text, is_of_number) - text.begin()));
  if (text.empty()) return {};
  if (text.find(':') != std::string_view::npos) return std::pair{*x, 0.5};
  const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_of_number) - text.begin());
  const auto more = static_cast<std::size_t>(std::ranges::find_if(text.substr(end), is_digit) - text.begin());
  const bool goes_on =
      more < text.size() && text.substr(end, more - end).find_first_of("hmsHMS") != std::string_view::npos;
  if (goes_on) {  // "1m2s", "2s500ms": of its last unit
    const std::string_view last = text.substr(more);
    if (last.find("ms") != std::string_view::npos) return std::pair{*x, 0.0005};
    return std::pair{*x, last.find_first_of("sS") != std::string_view::npos ? 0.5 : 30.0};
  }
  text = text.substr(0, end);
  const auto point = text.find('.');
  const std::size_t decimals = point == std::string_view::npos ? 0 : text.size() - point - 1;
  double digits = 0;
  std::from_chars(text.data(), text.data() + text.size(), digits);
  const double unit = digits > 0 ? *x / digits : event.find(f)->scale;
  static constexpr std::array kLast = {1e-0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
  const double last =
      decimals < kLast.size() ? kLast[decimals] : std::pow(10.0, -static_cast<double>(decimals));
  return std::pair{*x, 0.5 * last * unit};
}

bool is_fine(const std::pair<double, double>& number) {
  constexpr double kMostError = 0.02;  // more than that, and what is worked out from it would be a guess
  return number.first > 0 && number.second <= kMostError * number.first;
}

std::int64_t iterations_by_rate(const Event& event, Field field, Duration took, std::int64_t samples,
                                std::int64_t planned) {
  const auto rate = rounded(event, field);
  if (!rate || rate->first <= 0 || samples <= 0) return 0;
  const double unit = to_seconds(took) / static_cast<double>(samples);
  const double n = rate->first * unit, error = rate->second * unit + 0.1;
  if (n < 0.9 || n > static_cast<double>(track::kMaxCount)) return 0;
  if (planned > 0 && std::abs(n - static_cast<double>(planned)) <= error) return planned;
  const double only = std::ceil(n - error);
  return only == std::floor(n + error) ? std::llround(only) : 0;
}

}  // namespace etad
