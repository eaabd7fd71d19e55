#include "regression/estimators/case.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "parsers/base/number.h"
#include "regression/statistics.h"

namespace etad::estimators {
namespace {

void add(std::string& key, std::string_view text) {
  key += text;
  key += '\x1f';
}

void add(std::string& key, double number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  add(key, std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

}  // namespace

std::size_t fingerprint_of(const std::vector<const Datum*>& runs) {
  std::size_t out = runs.size();
  const auto mix = [&out](std::size_t hash) {
    out = (out ^ hash) * 0x9E3779B97F4A7C15U;
    out ^= out >> 32U;
  };
  const auto add = [&mix]<class... Values>(const Values&... values) {
    (mix(std::hash<Values>()(values)), ...);
  };
  for (const Datum* each : runs) {
    // All that a run consists of: does not compile when something is added and forgotten here.
    const auto& [what, value, run, started_at, ended_at, joules, peak_bytes, owner, place, within] = *each;
    const auto& [network, phase, samples, devices, nodes, device, host, framework, settings, iterations,
                 costs] = what;
    const auto& [windows, iteration_noise] = within;
    add(network, phase, samples, devices, nodes, device, host, framework, iterations, costs);
    for (const std::string& setting : settings) add(setting);
    add(value, run, started_at, ended_at, joules, peak_bytes, owner, place, windows, iteration_noise);
  }
  return out;
}

std::optional<double> number_of(std::string_view setting) {
  const auto out = parse_number<double>(setting.substr(setting.find('=') + 1));
  return out && std::isfinite(*out) ? out : std::nullopt;
}

bool usable(const Datum& datum) {
  return datum.value > 0 && std::isfinite(datum.value) && datum.what.has_samples();
}

History valued(const History& history, Target target) {
  History out;
  for (Datum datum : history) {
    if (target == Target::joules) datum.value = datum.joules / datum.what.devices;
    if (target == Target::peak_bytes) datum.value = datum.peak_bytes;
    if (usable(datum)) out.push_back(std::move(datum));
  }
  return out;
}

regression::RunObservation observation_of(const Datum& datum) {
  const double iterations = datum.what.iterations > 0 ? datum.what.iterations : kAnyLength;
  return {datum.run,        datum.what.samples, iterations,          datum.value * iterations,
          datum.started_at, datum.ended_at,     datum.what.settings, datum.within,
          datum.owner,      datum.place};
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

std::vector<ReplicateGroup> replicate_groups(const History& history) {
  struct Replicates {
    const Datum *first = nullptr, *first_placed = nullptr;
    std::vector<double> values;
  };
  std::map<std::string, Replicates> all;
  for (const Datum& datum : history) {
    if (!usable(datum)) continue;
    Replicates& replicates = all[key_of(datum.what, kAllFacts)];
    if (replicates.first == nullptr) replicates.first = &datum;
    const Datum*& placed = replicates.first_placed;
    if (placed == nullptr || datum.place < placed->place) placed = &datum;
    replicates.values.push_back(std::log(datum.value));
  }
  std::vector<ReplicateGroup> out;
  out.reserve(all.size());
  for (auto& [key, replicates] : all) {
    const auto runs = static_cast<int>(replicates.values.size());
    out.push_back({&replicates.first->what, regression::median(std::move(replicates.values)), runs,
                   replicates.first_placed->owner, replicates.first_placed->place});
  }
  return out;
}

}  // namespace etad::estimators
