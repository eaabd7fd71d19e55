// How enumerations are written in the database. Part of the stored format: unlike name_of(), which is for
// people, these words never change.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "parsers/base/record.h"
#include "storage/rows.h"

namespace etad::codes {

inline constexpr std::array<std::string_view, 3> kJobs = {"train", "test", "time"};
inline constexpr std::array<std::string_view, 2> kPhases = {"train", "test"};
inline constexpr std::array<std::string_view, 5> kStates = {"running", "finished", "stopped", "failed",
                                                            "lost"};
inline constexpr std::array<std::string_view, 2> kKinds = {"total", "remaining"};

constexpr const auto& words(Job) {
  return kJobs;
}
constexpr const auto& words(Phase) {
  return kPhases;
}
constexpr const auto& words(RunState) {
  return kStates;
}
constexpr const auto& words(PredictionKind) {
  return kKinds;
}

template <class Enum>
constexpr std::string_view word(Enum value) {
  return words(value)[static_cast<std::size_t>(value)];
}

// The tables' CHECKs admit no other word; should one be there all the same, it reads as the first.
template <class Enum>
constexpr Enum value_of(std::string_view text) {
  const auto& all = words(Enum{});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i] == text) return static_cast<Enum>(i);
  }
  return Enum{};
}

}  // namespace etad::codes
