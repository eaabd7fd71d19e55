// What of a run's past is no sign of its future: a process suspended overnight, a restart by hand.
#pragma once

#include <cstddef>
#include <vector>

namespace etad::regression {

// What takes more than so many windows' time may be an accident …
constexpr double kAccidentWindows = 3;
// … unless it has happened more often than this: every hundredth window may well take ten times as long.
constexpr std::size_t kAccidents = 3;

// What one of `values` may count as: `usual`, or the largest of them when the accidents are left out.
double most_of_accidents(std::vector<double> values, double usual);

}  // namespace etad::regression
