#include "regression/estimators/kind.h"

#include <algorithm>
#include <cmath>

namespace etad::estimators {
namespace {

constexpr unsigned kWhere = kNetwork | kPhase | kMachine | kSettings;
constexpr unsigned kOfTheMachine[] = {kDevice, kHost, kFramework, kDevices};

std::string alone(unsigned fact, const Case& what) {
  return std::to_string(fact) + " " + key_of(what, fact);
}

constexpr std::array<KindOfQuestion, kKinds> kQuestions = {{
    {"seen", "seen", kAllFacts, 0.02},
    {"batch_size", "batch_size", kAllFacts, 0.05},
    {"batch_size", "batch_size_range", kSeries, 0.07},
    {"batch_size", "batch_size_beyond_all", kNetworkInPhase, 0.1},
    {"batch_size", "batch_size_from_one", kSeries, 0.2},
    {"settings", "settings", kWhere, 0.1},
    {"devices", "devices", kWhere | kDevices, 0.03},
    {"devices", "devices_range", kNetwork | kMachine, 0.05},
    {"device", "device", kNetwork | kMachine, 0.12},
    {"device", "machine", kMachine, 0.15},
    {"network", "network", kNetwork, 0.2},
}};

std::string key_in(Kind kind, const Case& what) {
  return std::string(about(kind).column) + " " + key_of(what, about(kind).hidden_facts);
}

std::string share_key(const Case& what, std::int64_t owner) {
  return std::to_string(owner) + " " + key_of(what, kNetworkInPhase);
}

}  // namespace

const KindOfQuestion& about(Kind kind) {
  return kQuestions[static_cast<std::size_t>(kind)];
}

Seen::Seen(const History& history) {
  const auto widen = [](Ranges& ranges, std::string key, double value) {
    auto& [low, high] = ranges.try_emplace(std::move(key), value, value).first->second;
    low = std::min(low, value);
    high = std::max(high, value);
  };
  for (const Datum& datum : history) {
    const Case& c = datum.what;
    for (const Kind kind :
         {Kind::network, Kind::machine, Kind::device, Kind::devices, Kind::settings, Kind::seen})
      keys_.insert(key_in(kind, c));
    for (const unsigned fact : kOfTheMachine) keys_.insert(alone(fact, c));
    widen(samples_, key_of(c, kSeries), c.samples);
    widen(shares_, share_key(c, datum.owner), c.samples_per_device());
    owners_[key_of(c, kSeries)].insert(datum.owner);
    if (c.iterations > 0) widen(lengths_, key_of(c, kNetworkInPhase), c.iterations);
    widen(any_settings_, key_of(c, kNetworkInPhase | kMachine), c.devices);
    widen(devices_, key_of(c, about(Kind::settings).hidden_facts), c.devices);
  }
}

Distance Seen::distance_of(const Case& what) const {
  // In the logarithm; negative within the range.
  const auto beyond = [](const std::pair<double, double>& range, double value) {
    return std::log(std::max(value / range.second, range.first / value));
  };
  for (const Kind kind : {Kind::network, Kind::machine, Kind::device})
    if (!keys_.contains(key_in(kind, what))) return {kind};
  if (!keys_.contains(key_in(Kind::settings, what))) {
    const auto ran = any_settings_.find(key_of(what, kNetworkInPhase | kMachine));
    const double far = ran == any_settings_.end() ? 0 : beyond(ran->second, what.devices);
    return far > 0 ? Distance{Kind::devices_range, far} : Distance{Kind::settings};
  }
  if (!keys_.contains(key_in(Kind::devices, what))) {
    const double far = beyond(devices_.at(key_of(what, about(Kind::settings).hidden_facts)), what.devices);
    return far < 0 ? Distance{Kind::devices} : Distance{Kind::devices_range, far};
  }
  if (keys_.contains(key_in(Kind::seen, what))) return {Kind::seen};
  const auto sizes = samples_.find(key_of(what, kSeries));
  if (sizes == samples_.end()) return {Kind::settings};
  if (sizes->second.first == sizes->second.second) return {Kind::batch_size_from_one};
  const double far = beyond(sizes->second, what.samples);
  if (far < 0) return {Kind::batch_size};
  // What others ran elsewhere says nothing of how sure these runs can be.
  const bool of_all = std::ranges::all_of(owners_.at(sizes->first), [&](std::int64_t owner) {
    return beyond(shares_.at(share_key(what, owner)), what.samples_per_device()) > 0;
  });
  return {of_all ? Kind::batch_size_beyond_all : Kind::batch_size_range, far};
}

unsigned Seen::never_seen(const Case& what) const {
  unsigned out = 0;
  for (const unsigned fact : kOfTheMachine)
    if (!keys_.contains(alone(fact, what))) out |= fact;
  return out;
}

Case Seen::within_lengths(Case what) const {
  const auto lengths = lengths_.find(key_of(what, kNetworkInPhase));
  if (what.iterations > 0 && lengths != lengths_.end())
    what.iterations = std::clamp(what.iterations, lengths->second.first, lengths->second.second);
  return what;
}

}  // namespace etad::estimators
