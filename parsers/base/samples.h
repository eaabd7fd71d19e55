// How many samples an iteration goes through: the one derivation of it, for what a log says and for what its
// user says of it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "parsers/base/number.h"
#include "parsers/base/record.h"

namespace etad {

inline constexpr std::int64_t kMostSamples = 1'000'000'000'000;  // of an iteration: more is no knowledge

// 0: a factor is not known, or the product is beyond kMostSamples.
constexpr std::int64_t samples_product(std::int64_t a, std::int64_t b) {
  return a <= 0 || b <= 0 || a > kMostSamples / b ? 0 : a * b;
}

// Each device takes `batch_size` of them, `iter_size` times before the weights change. Where nobody says how
// many devices there are, one device's batch is all that is known. 0: unknown.
constexpr std::int64_t samples_per_iteration(std::int64_t batch_size, std::int64_t devices,
                                             std::int64_t iter_size) {
  return samples_product(samples_product(batch_size, std::max<std::int64_t>(devices, 1)), iter_size);
}

// As the run's settings have it; 1 where they say nothing.
inline std::int64_t iter_size_of(const Run& run) {
  const auto said = run.settings.find("iter_size");
  if (said == run.settings.end()) return 1;
  return std::max<std::int64_t>(1, parse_number<std::int64_t>(said->second).value_or(1));
}

}  // namespace etad
