// The moments of a run at which its remaining time is written down, to be scored when it has ended.
#pragma once

#include <array>
#include <optional>

namespace etad::regression {

// Fractions of the run's time: at its start, and at 5, 25 and 50 %.
inline constexpr std::array<double, 4> kCheckpoints{0.0, 0.05, 0.25, 0.5};

// The share of a run's time that is over, as predicted now. In [0, 1]; nullopt where that can't be said.
std::optional<double> time_fraction(double elapsed_seconds, double remaining_seconds);

// The latest checkpoint reached at `fraction` that lies beyond `recorded`, the latest one on record. `before`
// is the fraction at which the run was last looked at: a run that shows itself seldom passes its checkpoints
// between two looks, and the first look behind one is the moment to say what is thought. Checkpoints that
// were passed while nobody looked (the daemon was away, a log was read in one piece) are not made up
// afterwards. Nor does one count that lies further back than these shares of the run's time.
inline constexpr double kCheckpointTolerance = 0.02;
inline constexpr double kWatchedTolerance = 0.1;
std::optional<double> checkpoint_reached(double fraction, std::optional<double> recorded,
                                         std::optional<double> before = {});

}  // namespace etad::regression
