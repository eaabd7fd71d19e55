// Names as people type them, matched leniently.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace etad::prediction {

bool equal_ignoring_case(std::string_view a, std::string_view b);

// How well this name is the one that is asked for; nullopt asks for none. Where any name is as it was asked for, those that
// are so but for their case are others: whoever makes one up is not asked about in its place.
enum class Fit { none, but_for_case, as_asked };
Fit fit_of(const std::optional<std::string>& asked, std::string_view has);
inline bool fits(const std::optional<std::string>& asked, std::string_view has) {
  return fit_of(asked, has) != Fit::none;
}

}  // namespace etad::prediction
