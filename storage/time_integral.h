// The integral of a trace over an interval of time, by the points a SeriesQuery gave. Pure.
#pragma once

#include <vector>

#include "storage/rows.h"

namespace etad {

// What a trace says of [from, to), and for how much of it. An interval without samples adds nothing: neither
// a value nor time covered.
struct TimeIntegral {
  double covered = 0;       // seconds that the samples vouch for
  double integral = 0;      // the value times seconds, over those: of a power in W, the energy in J
  double min = 0, max = 0;  // of the samples; no meaning where covered is 0
  double step = 0;          // seconds; 0: of the samples themselves
  double mean() const { return covered > 0 ? integral / covered : 0; }
};

// `points` in order of time, as they came for `step`; they may reach beyond [from, to), and better do.
//
// step 0, the samples themselves: the trapezoidal rule between two neighbours, which vouch for the time
// between them unless that is a gap: more than kLongestGap times the samples' usual distance (the upper quartile). The
// value at `from` and `to` is interpolated.
//
// step > 0: a step's mean, over as much of the step as its samples vouch for: all of it, or, where it has
// fewer samples than is usual (the median step), as large a part. Minimum and maximum are of the steps wholly
// inside [from, to), if there are any: a step on the edge may hold another run's.
inline constexpr double kLongestGap = 3;
TimeIntegral integrate(const std::vector<SeriesPoint>& points, std::chrono::seconds step, Instant from,
                       Instant to);

}  // namespace etad
