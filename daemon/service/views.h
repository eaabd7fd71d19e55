// What the history and the models look like as JSON: one function for each kind of thing. docs/api.md
// describes the objects; nothing here decides anything.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "daemon/service/backend.h"
#include "daemon/service/json_writer.h"
#include "daemon/service/thinning.h"
#include "prediction/live_runs.h"
#include "prediction/run_traces.h"
#include "storage/history.h"

namespace etad::service {

// `loss`: the last one shown. `traces`: what they show of the forecast's anomaly. Both where that was asked
// for.
void write_run(JsonWriter& json, const RunRow& row, const prediction::RunForecast& forecast,
               std::optional<double> loss = {}, const prediction::AnomalyTraces* traces = nullptr);
void write_usage(JsonWriter& json, const prediction::Usage& usage);
void write_anomaly_traces(JsonWriter& json, const prediction::AnomalyTraces& traces);
void write_segment(JsonWriter& json, const Segment& segment);
void write_segment(JsonWriter& json, const ThinnedSegment& thinned);
void write_point(JsonWriter& json, const ProgressPoint& point);
void write_point(JsonWriter& json, const ThinnedPoint& thinned);
void write_layer_times(JsonWriter& json, const std::vector<LayerTime>& times);
void write_predictions(JsonWriter& json, const std::vector<PredictionRow>& predictions);
void write_prediction(JsonWriter& json, const ScoredPrediction& scored);

// The members network, architecture, framework, host and device.
void write_key(JsonWriter& json, const ModelKey& key);
void write_network(JsonWriter& json, const NetworkRow& row);
void write_model(JsonWriter& json, const prediction::FittedModel& fitted);
// The member "changed_at": null, or when the model's deployment changed, so that what ran before does not count.
void write_change(JsonWriter& json, const prediction::FittedModel& fitted);
// The member "disputed": null, or that runs contradict each other, and whether the asker's own speak.
void write_dispute(JsonWriter& json, const prediction::FittedModel& fitted);
// `status`: what the daemon says of the file at present; empty: nothing beyond the row.
void write_source(JsonWriter& json, const SourceRow& row, const std::string& status);
// A file that is looked at but was never read: only its path and why.
void write_unread_source(JsonWriter& json, const std::string& path, const std::string& status);
void write_accuracy(JsonWriter& json, const AccuracyRow& row);
void write_series(JsonWriter& json, const SeriesRow& row);
void write_series_points(JsonWriter& json, const SeriesPoints& points);

// `running`: runs under way. `models`: how many there are.
void write_health(JsonWriter& json, const Health& health, const std::optional<HistorySize>& size,
                  std::int64_t running, std::int64_t models, const std::string& version, Instant now);

}  // namespace etad::service
