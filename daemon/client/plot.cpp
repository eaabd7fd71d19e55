#include "daemon/client/plot.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "daemon/client/text.h"

namespace etad::client {
namespace {

constexpr std::array<const char*, 9> kEighths = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr const char* kHatched = "░";

struct Range {
  double least = 0, most = 0;
  std::size_t numbers = 0;
};

Range range_of(const std::vector<double>& values) {
  Range out;
  for (const double each : values) {
    if (!std::isfinite(each)) continue;
    out.least = out.numbers == 0 ? each : std::min(out.least, each);
    out.most = out.numbers == 0 ? each : std::max(out.most, each);
    ++out.numbers;
  }
  return out;
}

// How many of `steps` a value fills; at least one, so that the least can be seen.
std::size_t filled(double value, double least, double most, std::size_t steps) {
  constexpr double kRounding = 1e-9;  // means of equal numbers differ by less: they are one line
  const bool differ = most - least > kRounding * std::max(std::abs(least), std::abs(most));
  const double share = differ ? std::clamp((value - least) / (most - least), 0.0, 1.0) : 0.5;
  return 1 + static_cast<std::size_t>(std::lround(share * static_cast<double>(steps - 1)));
}

}  // namespace

std::string spark_text(const std::vector<double>& values, double least, double most) {
  std::string out;
  for (const double each : values)
    out += std::isfinite(each) ? kEighths.at(filled(each, least, most, 8)) : kEighths.front();
  return out;
}

std::vector<double> condensed(const std::vector<double>& values, std::size_t most) {
  if (values.size() <= most || most == 0) return values;
  std::vector<double> out;
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t from = i * values.size() / most, to = (i + 1) * values.size() / most;
    double sum = 0;
    std::size_t numbers = 0;
    for (std::size_t k = from; k < to; ++k) {
      if (!std::isfinite(values[k])) continue;
      sum += values[k];
      ++numbers;
    }
    out.push_back(sum / static_cast<double>(numbers));  // no number where there was none
  }
  return out;
}

std::vector<double> stretched(const std::vector<double>& values, std::size_t most) {
  std::vector<double> out = condensed(values, most);
  if (out.empty() || 2 * out.size() > most) return out;
  const std::size_t each = most / out.size(), before = out.size();
  out.resize(before * each);
  for (std::size_t i = out.size(); i-- > 0;) out[i] = out[i / each];
  return out;
}

std::string chart_text(const Chart& chart, std::size_t rows) {
  const Range range = range_of(chart.values);
  if (range.numbers < 2 || rows == 0) return {};
  const double least = chart.from_zero ? std::min(0.0, range.least) : range.least;
  const std::string top = chart.show(range.most), bottom = chart.show(least);
  const std::size_t margin = std::max(width_of(top), width_of(bottom));
  std::string out = chart.name + "\n";
  for (std::size_t row = rows; row-- > 0;) {
    out += padded(row + 1 == rows ? top : row == 0 ? bottom : "", margin, true) + " │";
    for (std::size_t i = 0; i < chart.values.size(); ++i) {
      const double value = chart.values[i];
      const std::size_t eighths =
          std::isfinite(value) ? filled(value, least, range.most, 8 * rows) : std::size_t{0};
      const std::size_t here = eighths > 8 * row ? std::min<std::size_t>(eighths - 8 * row, 8) : 0;
      const bool hatched = i < chart.hatched.size() && chart.hatched[i];
      out += hatched && here > 0 ? kHatched : kEighths.at(here);
    }
    out += "\n";
  }
  const std::size_t ends = width_of(chart.first) + width_of(chart.last);
  const std::size_t space = chart.values.size() > ends ? chart.values.size() - ends : 1;
  return out + std::string(margin + 2, ' ') + chart.first + std::string(space, ' ') + chart.last + "\n";
}

}  // namespace etad::client
