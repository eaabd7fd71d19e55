// Whether a deployment has changed: a new driver, a card of the same name, clocks that throttle for good.
#pragma once

#include <optional>
#include <vector>

#include "regression/observations.h"

namespace etad::regression {

// Takes out the runs from before the last change and returns when the first run after it started.
// `rows` are in order of time; runs without a time are never dropped. `residuals`: log(t / f) of a robust
// fit.
//
// The change point is where one median before and one after leave the least absolute deviations. Two things must be
// true of it. The two medians differ by more standard errors than the best place in a series without any change
// would show by chance. And each side keeps to itself: four fifths of it lie on its side of the middle between the
// two. So runs that are slow in spells, however long, are not taken for a change. Where several owners' runs count,
// two of them show it, each by most of his runs since then: nobody alone makes what the others have measured old.
std::optional<double> drop_before_change(Dataset& rows, const std::vector<double>& residuals);

}  // namespace etad::regression
