// Runs as the regression takes them.
#pragma once

#include <optional>
#include <vector>

#include "prediction/model_set.h"
#include "regression/dataset.h"
#include "storage/rows.h"

namespace etad::prediction {

// Bounds of the work on one model, whatever the length of the history.
inline constexpr int kMaxRuns = 200;
inline constexpr int kMaxWindows = 32;  // of each run

// A run's part in its model's data, as the history gives it (Reader::run_data), of a run that is in none:
// from its own segments of that phase, at most kMaxWindows of which are kept.
RunData run_data_of(const Run& run, const std::vector<Segment>& segments, Phase phase);

regression::RunObservation observation_of(const RunData& run, Phase phase);

// What of several runs tells of the same: those of one batch size with the same settings that count have one number.
std::vector<std::int64_t> points_of(const std::vector<RunData>& runs, Phase phase);

// What a key's runs are to the regression. An owner's diverged runs (NaN losses) are left out as long as he has others:
// denormals and NaNs change a network's step time.
regression::Dataset dataset_of(const std::vector<RunData>& runs, Phase phase);

// Median and central 90 % range of the start-up times of one owner's runs, the one in the middle, which of a log whose
// measurements have no clock are all the time beside them; of their times per snapshot.
std::optional<Spread> startup_of(const std::vector<RunData>& runs);
std::optional<Spread> snapshot_of(const std::vector<RunData>& runs);
// The same of what passes between their windows and is neither test nor snapshot: a share of the training's time.
std::optional<Spread> other_of(const std::vector<RunData>& runs);

}  // namespace etad::prediction
