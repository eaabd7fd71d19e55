#include "regression/checkpoints.h"

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

std::optional<double> checkpoint_reached(double fraction, std::optional<double> recorded,
                                         std::optional<double> before) {
  for (auto checkpoint = kCheckpoints.rbegin(); checkpoint != kCheckpoints.rend(); ++checkpoint) {
    if (!(fraction >= *checkpoint)) continue;  // nor where `fraction` is no number
    const bool news = !recorded || *checkpoint > *recorded;
    const bool watched = before && *before < *checkpoint;
    const double most = *checkpoint + (watched ? kWatchedTolerance : kCheckpointTolerance);
    return news && fraction <= most ? std::optional(*checkpoint) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace etad::regression
