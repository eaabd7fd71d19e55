#include "regression/estimators/effects_kernel.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "regression/estimators/batch_curve.h"

namespace etad::estimators {
namespace {

// What is shared: the facts that must be equal, and the settings.
enum Shared : unsigned {
  kNetworkBit = 1U << kNetworkFact,
  kPhaseBit = 1U << kPhaseFact,
  kDeviceBit = 1U << kDeviceFact,
  kMachineBit = 1U << kMachineFact,
  kSeriesBit = 1U << kSeriesFact,
  kSettingsBit = 1U << 5,
};

struct Effect {
  unsigned shared;
  Form form;
  Strength strength;
  double deviation;  // assumed beforehand: from public measurements (docs/accuracy.md)
};

constexpr Effect kEffects[] = {
    {kNetworkBit, Form::level, Strength::main, 1.0},
    {kPhaseBit, Form::level, Strength::main, 0.6},
    {kDeviceBit, Form::level, Strength::main, 0.5},
    {kSettingsBit, Form::level, Strength::main, 0.25},
    {kMachineBit, Form::level, Strength::pairs, 0.05},
    {kNetworkBit | kPhaseBit, Form::level, Strength::pairs, 0.08},
    {kNetworkBit | kSettingsBit, Form::level, Strength::pairs, 0.14},
    {kPhaseBit | kSettingsBit, Form::level, Strength::pairs, 0.03},
    {kDeviceBit | kSettingsBit, Form::level, Strength::pairs, 0.10},
    {kNetworkBit | kDeviceBit, Form::level, Strength::pairs, 0.05},
    {kDeviceBit | kPhaseBit, Form::level, Strength::pairs, 0.04},
    {0, Form::curve, Strength::curves, 0.06},
    {kNetworkBit, Form::curve, Strength::curves, 0.07},
    {kNetworkBit | kDeviceBit, Form::curve, Strength::curves, 0.05},
    {kSeriesBit, Form::curve, Strength::own_curves, 0.10},
    {kPhaseBit, Form::log_devices, Strength::devices, 0.06},
    {kNetworkBit | kPhaseBit, Form::log_devices, Strength::devices, 0.03},
    {kMachineBit | kPhaseBit, Form::log_devices, Strength::devices, 0.03},
    {kMachineBit | kPhaseBit | kSettingsBit, Form::log_devices, Strength::devices, 0.05},
    {kNetworkBit | kPhaseBit | kSettingsBit, Form::log_devices, Strength::devices, 0.05},
    {kNetworkBit | kMachineBit | kPhaseBit | kSettingsBit, Form::log_devices, Strength::devices, 0.07},
    {kPhaseBit, Form::ring, Strength::devices, 0.10},
    {kMachineBit | kPhaseBit, Form::ring, Strength::devices, 0.04},
    {kNetworkBit | kMachineBit | kPhaseBit, Form::ring, Strength::devices, 0.03},
    {kMachineBit | kPhaseBit, Form::same_devices, Strength::devices, 0.03},
    {kNetworkBit | kMachineBit | kPhaseBit | kSettingsBit, Form::same_devices, Strength::devices, 0.01},
};

constexpr double kDeviceMemory =
    0.05;  // deviation of a device's level in memory: a network needs much the same on all
constexpr double kNoise = 0.03;        // of one run, assumed beforehand
constexpr double kOtherSetting = 0.4;  // correlation left by another value of a setting

double settings_likeness(const KernelPoint& a, const KernelPoint& b) {
  double out = 1;
  std::size_t both = 0;  // settings that a and b say
  for (const auto& one : a.settings) {
    const auto other = std::ranges::find(b.settings, one.name, &KernelPoint::Setting::name);
    const bool said = other != b.settings.end();
    if (said) ++both;
    if (said && one.value == other->value) continue;
    const double far = said ? std::abs(one.log_number - other->log_number) : INFINITY;
    out *= kOtherSetting + (std::isfinite(far) ? (1 - kOtherSetting) * std::exp(-far) : 0);
  }
  for (; both < b.settings.size(); ++both) out *= kOtherSetting;
  return out;
}

unsigned equal_facts(const KernelPoint& a, const KernelPoint& b) {
  unsigned out = 0;
  for (std::size_t i = 0; i < a.facts.size(); ++i) {
    if (a.facts[i] == b.facts[i]) out |= 1U << i;
  }
  return out;
}

}  // namespace

template <class Number>
KernelPoint Encoder::make(const Case& what, Number number) {
  KernelPoint out;
  out.facts = {number("network " + what.network), number("phase " + what.phase),
               number("device " + what.device), number("machine " + key_of(what, kMachine)),
               number("series " + key_of(what, kSeries))};
  for (const std::string& setting : what.settings) {
    const std::size_t sign = setting.find('=');
    if (sign >= setting.size() - 1) continue;  // not known
    out.settings.push_back({number("setting " + setting.substr(0, sign)), number("value " + setting),
                            std::log(number_of(setting).value_or(NAN))});
  }
  out.log_samples = std::log(what.samples_per_device());
  out.log_devices = std::log(what.devices);
  out.ring = (what.devices - 1) / what.devices;
  return out;
}

KernelPoint Encoder::learn(const Case& what) {
  return make(what, [this](const std::string& text) {
    return known_.try_emplace(text, static_cast<int>(known_.size())).first->second;
  });
}

KernelPoint Encoder::encode(const Case& what) const {
  return make(what, [this](const std::string& text) {
    const auto found = known_.find(text);
    return found == known_.end() ? -1 : found->second;
  });
}

Covariance::Covariance(const Strengths& strengths, Target target) {
  constexpr double kAnyLevel = 25;  // of the history's own: no unit is the natural one
  const double main = strengths[static_cast<std::size_t>(Strength::main)];
  for (unsigned equal = 0; equal < of_equal_.size(); ++equal) {
    Variances& sums = of_equal_[equal];
    sums.always[static_cast<std::size_t>(Form::level)] = main * main * kAnyLevel;
    for (const Effect& effect : kEffects) {
      if ((effect.shared & ~kSettingsBit & ~equal) != 0) continue;
      const bool by_device = effect.shared == kDeviceBit && target == Target::peak_bytes;
      const double deviation = strengths[static_cast<std::size_t>(effect.strength)] *
                               (by_device ? kDeviceMemory : effect.deviation);
      auto& variances = effect.shared & kSettingsBit ? sums.by_settings : sums.always;
      variances[static_cast<std::size_t>(effect.form)] += deviation * deviation;
    }
  }
}

double Covariance::operator()(const KernelPoint& a, const KernelPoint& b) const {
  const Variances& sums = of_equal_[equal_facts(a, b)];
  const double settings = settings_likeness(a, b);
  const double forms[kForms] = {1, matern(a.log_samples - b.log_samples), a.log_devices * b.log_devices,
                                a.ring * b.ring, std::abs(a.log_devices - b.log_devices) < 1e-9 ? 1.0 : 0.0};
  double out = 0;
  for (std::size_t i = 0; i < kForms; ++i)
    out += forms[i] * (sums.always[i] + settings * sums.by_settings[i]);
  return out;
}

// Phase, settings and number of devices come first: so networks and devices are heard that cross each other, and what
// is a network's is told from what is a device's.
double likeness(const KernelPoint& a, const KernelPoint& b) {
  const unsigned equal = equal_facts(a, b);
  const double crossed = (equal & kPhaseBit ? 1 : 0) + settings_likeness(a, b) +
                         std::exp(-std::abs(a.log_devices - b.log_devices));
  return 4 * crossed + std::popcount(equal & kNetworkBit) +
         std::popcount(equal & (kDeviceBit | kMachineBit)) / 2.0 + (equal & kSeriesBit ? 4 : 0);
}

double noise_variance(const Strengths& strengths) {
  const double noise = strengths[static_cast<std::size_t>(Strength::noise)] * kNoise;
  return noise * noise;
}

}  // namespace etad::estimators
