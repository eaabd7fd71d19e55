#include "regression/marks.h"

#include <algorithm>
#include <cmath>

namespace etad::regression {

std::optional<double> time_fraction(double elapsed_seconds, double remaining_seconds) {
  if (!std::isfinite(elapsed_seconds) || !std::isfinite(remaining_seconds)) return std::nullopt;
  const double elapsed = std::max(0.0, elapsed_seconds), left = std::max(0.0, remaining_seconds);
  // Halved before they are added: the sum of two finite numbers may not be one.
  const double total = 0.5 * elapsed + 0.5 * left;
  if (!(total > 0)) return std::nullopt;
  return std::clamp(0.5 * elapsed / total, 0.0, 1.0);
}

std::optional<double> mark_reached(double fraction, std::optional<double> recorded,
                                   std::optional<double> before) {
  for (auto mark = kMarks.rbegin(); mark != kMarks.rend(); ++mark) {
    if (!(fraction >= *mark)) continue;  // nor where `fraction` is no number
    const bool news = !recorded || *mark > *recorded;
    const bool watched = before && *before < *mark;
    const double most = *mark + (watched ? kWatchedTolerance : kMarkTolerance);
    return news && fraction <= most ? std::optional(*mark) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace etad::regression
