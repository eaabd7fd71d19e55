// What two cases have in common, as the covariance of the logarithms of their times: a sum of effects, each
// shared by the cases in which some facts are equal.
#pragma once

#include <Eigen/Core>
#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "regression/estimators/case.h"

namespace etad::estimators {

// The effects whose strengths are learnt together, as factors of what is assumed of each beforehand.
enum class Strength : std::uint8_t { main, pairs, curves, own_curves, devices, noise };
inline constexpr std::size_t kStrengths = 6;
using Strengths = std::array<double, kStrengths>;

// Which of KernelPoint::facts is which. A machine is a device, a host and a framework.
enum PointFact : std::size_t { kNetworkFact, kPhaseFact, kDeviceFact, kMachineFact, kSeriesFact };

// A case as the kernel sees it: facts as numbers that are equal or not.
struct KernelPoint {
  std::array<int, 5> facts{};  // by PointFact
  struct Setting {
    int name = 0, value = 0;
    double log_number = NAN;  // of a value that is a number
  };
  std::vector<Setting> settings;
  double log_samples = 0;  // per device
  double log_devices = 0, ring = 0;
};

// Numbers for facts. A value not seen in the history equals no other, so its effects keep their full prior variance.
class Encoder {
 public:
  KernelPoint learn(const Case& what);
  KernelPoint encode(const Case& what) const;

 private:
  template <class Number>
  static KernelPoint make(const Case& what, Number number);
  std::map<std::string, int> known_;
};

// What an effect varies with.
enum class Form : std::uint8_t {
  level,         // the same at all batch sizes and numbers of devices
  curve,         // over log b, Matérn 3/2
  log_devices,   // log k
  ring,          // (k-1)/k
  same_devices,  // at one number of devices alone
};
inline constexpr std::size_t kForms = 5;

// The covariance of that target where the effects have these strengths. It is a sum of strength^2 times what the
// effects of that strength make, so with one strength 1 and the others 0 it is that part alone.
class Covariance {
 public:
  explicit Covariance(const Strengths& strengths, Target target = Target::seconds);
  double operator()(const KernelPoint& a, const KernelPoint& b) const;

 private:
  // Effects of one form that the same pairs of points share have one variance together.
  struct Variances {
    std::array<double, kForms> always{}, by_settings{};
  };
  std::array<Variances, 32> of_equal_;  // by the facts that are equal, as bits
};

// How much two points have in common, whatever their batch sizes: for choosing the series that an estimate is made
// from.
double likeness(const KernelPoint& a, const KernelPoint& b);

// Variance about the truth of the median of some replicates. These are often made on one day and err alike, so their
// number does not reduce it.
double noise_variance(const Strengths& strengths);

}  // namespace etad::estimators
