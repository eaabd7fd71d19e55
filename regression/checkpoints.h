// The moments of a run at which its predicted remaining time is recorded, to be scored when the run has
// ended.
#pragma once

#include <array>
#include <optional>

namespace etad::regression {

// Fractions of the run's time: at its start, and at 5, 25 and 50 %.
inline constexpr std::array<double, 4> kCheckpoints{0.0, 0.05, 0.25, 0.5};

// The share of a run's time that is over, as predicted now. In [0, 1]; nullopt where that can't be said.
std::optional<double> time_fraction(double elapsed_seconds, double remaining_seconds);

// The checkpoint to write a prediction down for now; nullopt: none. All arguments are shares of the run's
// time: `fraction`, how much is over; `recorded`, the latest checkpoint on record; `before`, how much was
// over when the run was last looked at.
//
// A prediction is worth writing down only close behind its checkpoint: at most kCheckpointTolerance late, or
// kWatchedTolerance where the run was watched and passed it between two looks. Checkpoints that were passed
// while nobody looked (the daemon was down, a log was read in one piece) stay without a prediction.
inline constexpr double kCheckpointTolerance = 0.02;
inline constexpr double kWatchedTolerance = 0.1;
std::optional<double> checkpoint_reached(double fraction, std::optional<double> recorded,
                                         std::optional<double> before = {});

}  // namespace etad::regression
