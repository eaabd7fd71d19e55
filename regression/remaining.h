// How long a running run has left: the network's model as prior, moved by the run's own windows.
// docs/remaining.md says how and why, and how well it does on real logs.
#pragma once

#include <optional>

#include "regression/model.h"
#include "regression/step_time.h"

namespace etad::regression {

// What the run still has to do, as far as its log and settings say. Zero: none, or unknown.
struct Plan {
  double iteration = 0;        // reached; > 0 before any interval after a resume
  double max_iterations = 0;   // to reach
  double test_interval = 0;    // 0: no tests
  double test_iterations = 0;  // per test phase
  double snapshot_interval = 0;
  bool test_at_end = true;      // a test follows the last iteration where the interval divides it
  double snapshots = 0;         // so far
  double snapshot_seconds = 0;  // that they took, no training among it
  double startup = 0;           // seconds still to pass before the first iteration
  double other_share = 0;       // of the training's time: other_share() of such runs before
  double waits = 0;             // how often, so far, the log said that the run waited for its data
  double test_load = 0;         // samples of a test iteration over those of a training one

  friend bool operator==(const Plan&, const Plan&) = default;
};

// Seconds from the end of the last RunInterval to the end of the last iteration; what they consist of; and
// bounds. All finite; 0 <= lower <= seconds <= upper. The bounds promise two things: the time to come lies
// between them with the asked-for confidence, and with a fifth of the remaining chance it lies farther than
// twice that distance.
struct Remaining {
  double seconds = 0, lower = 0, upper = 0;
  double train_seconds = 0, test_seconds = 0, snapshot_seconds = 0, startup_seconds = 0;
  double other_seconds = 0;  // what passes between windows and is none of these
  double due = 0;            // seconds from the last interval's end to the next line; 0: no window seen yet
};

// `train`, `test`: the model's prediction for ONE iteration of those that this run has before it, where there is
// a model.
// `confidence` in (0, 1). nullopt: nothing known, or nothing planned. Linear in the number of intervals.
std::optional<Remaining> remaining(const RunSoFar& run, const Plan& plan,
                                   const std::optional<Prediction>& train,
                                   const std::optional<Prediction>& test, double confidence);

// The training step time to expect: over what is left or, where no end is planned, over as many iterations as
// are behind. Seconds per iteration, tests and snapshots apart; otherwise as in Remaining.
struct StepTime {
  double seconds = 0, lower = 0, upper = 0;
  double since = 0;  // the iteration since which it has been what it is
  double due = 0;
  bool from_model_only = false;  // not one usable window yet: the network's model alone speaks
};
std::optional<StepTime> expected_step_time(const RunSoFar& run, const Plan& plan,
                                           const std::optional<Prediction>& train, double confidence);

// The same as of `silence` seconds after the last line. As far as the run can be thought to have gone on
// meanwhile (`due`), they are over; a silence beyond that shortens nothing, and may last as long again.
Remaining after_silence(Remaining remaining, double silence);

// Whether so long a silence can't be the run's ordinary way: ten times what was due, and a minute at least.
bool stalled(double due, double silence);

}  // namespace etad::regression
