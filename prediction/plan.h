// A run under way as the forecast of its remaining time takes it.
#pragma once

#include <optional>

#include "parsers/base/record.h"
#include "regression/model.h"
#include "regression/remaining.h"

namespace etad::prediction {

// What a run still has to do, by its progress and its settings.
regression::Plan plan_of(const Run& run);

// As the regression counts time: seconds since 1970, for any year that a log may state.
double epoch_seconds(Instant at);

// A segment as the regression takes it.
regression::RunInterval interval_of(const Segment& segment);

// What the model says of one iteration, as a share of the `iterations` that lie ahead: what a run costs once
// (its c0) is behind a running one and must not count for each iteration.
std::optional<regression::Prediction> per_iteration(const regression::Model& model, const Run& run,
                                                    Phase phase, double iterations, double confidence);

}  // namespace etad::prediction
