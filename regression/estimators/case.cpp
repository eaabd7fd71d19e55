#include "regression/estimators/case.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

namespace etad::estimators {
namespace {

constexpr double kLocation = 0.35;  // the quantile of repeats that stands for them

void add(std::string& key, std::string_view text) {
  key += text;
  key += '\x1f';
}

void add(std::string& key, double number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  add(key, std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

Cell cell_of(const Case* what, std::vector<double>& values) {
  Cell out{what, 0, 0, static_cast<int>(values.size())};
  std::ranges::sort(values);
  const auto n = static_cast<double>(values.size());
  const double at = (n - 1) * (values.size() < 3 ? 0.5 : kLocation);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  out.log_value = values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
  if (values.size() > 1) {
    double sum = 0;
    for (const double value : values) sum += (value - out.log_value) * (value - out.log_value);
    out.spread = std::sqrt(sum / (n - 1));
  }
  return out;
}

}  // namespace

History valued(const History& history, Target target) {
  if (target == Target::seconds) return history;
  History out;
  for (Datum datum : history) {
    datum.value = target == Target::joules ? datum.joules : datum.peak_bytes;
    if (datum.value > 0 && std::isfinite(datum.value)) out.push_back(std::move(datum));
  }
  return out;
}

std::string key_of(const Case& what, unsigned facts) {
  std::string key;
  if (facts & kNetwork) add(key, what.network);
  if (facts & kPhase) add(key, what.phase);
  if (facts & kSamples) add(key, what.samples);
  if (facts & kDevices) {
    add(key, what.devices);
    add(key, what.nodes);
  }
  if (facts & kDevice) add(key, what.device);
  if (facts & kHost) add(key, what.host);
  if (facts & kFramework) add(key, what.framework);
  if (facts & kSettings) {
    for (const std::string& setting : what.settings) add(key, setting);
  }
  return key;
}

std::vector<Cell> cells_of(const History& history) {
  struct Repeats {
    const Case* what = nullptr;
    std::vector<double> values;
  };
  std::map<std::string, Repeats> all;
  for (const Datum& datum : history) {
    if (!(datum.value > 0) || !std::isfinite(datum.value)) continue;
    Repeats& repeats = all[key_of(datum.what, kAllFacts)];
    if (repeats.what == nullptr) repeats.what = &datum.what;
    repeats.values.push_back(std::log(datum.value));
  }
  std::vector<Cell> out;
  out.reserve(all.size());
  for (auto& [key, repeats] : all) out.push_back(cell_of(repeats.what, repeats.values));
  return out;
}

}  // namespace etad::estimators
