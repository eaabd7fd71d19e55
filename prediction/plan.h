// A run under way as the forecast of its remaining time takes it.
#pragma once

#include <optional>
#include <vector>

#include "parsers/base/record.h"
#include "regression/model.h"
#include "regression/remaining.h"

namespace etad::prediction {

// What a run still has to do, by its progress and its settings.
regression::Plan plan_of(const Run& run);

// The same of a long run, of which the newest intervals alone are at hand: what happened to it so far, by their share.
regression::Plan plan_of_seen(regression::Plan plan, const Run& run,
                              const std::vector<regression::RunInterval>& seen);

// As the regression counts time: seconds since 1970, for any year that a log may state.
double epoch_seconds(Instant at);

// A segment as the regression takes it.
regression::RunInterval interval_of(const Segment& segment);

// The model's prediction for one of the iterations that lie ahead: what they add to the time of the run that has
// `done` so many. So what a run costs once (its c0) is counted before the first of them, spread over all, and
// never after. `left` 0: no end is known, and as many are meant as are behind, or as the model's runs have.
std::optional<regression::Prediction> per_iteration(const regression::Model& model, const Run& run,
                                                    Phase phase, double done, double left, double confidence);

}  // namespace etad::prediction
