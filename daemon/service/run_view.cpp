#include <chrono>

#include "daemon/service/views.h"
#include "parsers/base/number.h"

namespace etad::service {

using prediction::AnomalyTraces;
using prediction::RunForecast;

namespace {

// `tokens`: of an iteration, where a sample is a sequence of them.
void write_phase(JsonWriter& json, const PhaseSummary& phase, std::optional<std::int64_t> tokens = {}) {
  json.begin_object();
  json.field("batch_size", phase.batch_size).field("samples_per_iteration", phase.samples_per_iteration);
  json.field("tokens_per_iteration", tokens);
  json.field("iterations", phase.iterations).field("seconds", phase.duration);
  json.field("segments", phase.segments).end_object();
}

// When a running run will be over: the remaining time counts from the end of the silence behind its last line.
std::optional<Instant> expected_end(const Run& run, const RunForecast& forecast) {
  if (run.state != RunState::running || !forecast.remaining || !run.ended_at) return std::nullopt;
  constexpr double kFarthest = 1e10;  // seconds; some three centuries, safely within an Instant
  const double seconds = forecast.silence + forecast.remaining->seconds;
  if (!(seconds >= 0 && seconds < kFarthest)) return std::nullopt;
  return *run.ended_at + std::chrono::duration_cast<std::chrono::microseconds>(from_seconds(seconds));
}

void write_anomaly(JsonWriter& json, const regression::Anomaly& anomaly, const AnomalyTraces* traces) {
  json.begin_object().field("since_iteration", anomaly.since_iteration);
  json.field("slowdown", anomaly.slowdown).field("lost_seconds", anomaly.lost_seconds);
  json.field("seconds_per_iteration", anomaly.seconds_per_iteration);
  if (traces != nullptr) {
    json.key("traces");
    write_anomaly_traces(json, *traces);
  }
  json.end_object();
}

void write_forecast(JsonWriter& json, const Run& run, const RunForecast& forecast,
                    const AnomalyTraces* traces) {
  json.maybe("remaining", forecast.remaining, [](JsonWriter& out, const auto& remaining) {
    out.begin_object().field("seconds", remaining.seconds);
    out.field("lower", remaining.lower).field("upper", remaining.upper).end_object();
  });
  json.field("expected_end", expected_end(run, forecast));
  // Of what is over nothing is to come, even where its log just ends.
  const auto step_time = run.state == RunState::running ? forecast.step_time : std::nullopt;
  json.maybe("pace", step_time, [](JsonWriter& out, const auto& step) {
    out.begin_object().field("seconds_per_iteration", step.seconds);
    out.field("lower", step.lower).field("upper", step.upper);
    out.field("since_iteration", step.since).end_object();
  });
  json.field("stalled", forecast.stalled);
  json.maybe("anomaly", forecast.anomaly,
             [traces](JsonWriter& out, const auto& anomaly) { write_anomaly(out, anomaly, traces); });
}

// What the run has for a label's name, as text; for comparing the two.
std::string value_of(const Run& run, std::string_view name) {
  const auto number = [](const std::optional<std::int64_t>& n) { return n ? std::to_string(*n) : ""; };
  if (name == "network") return run.network;
  if (name == "device") return run.device;
  if (name == "host") return run.host;
  if (name == "framework") return run.framework;
  if (name == "devices") return number(known_devices(run.devices));
  if (name == "batch_size") return number(run.job == Job::test ? run.test.batch_size : run.train.batch_size);
  if (name == "test_batch_size") return number(run.test.batch_size);
  return {};
}

// The settings, with a note of values that the log does not say, as the tracker makes of derived ones.
std::map<std::string, std::string> settings_of(const RunRow& row) {
  std::map<std::string, std::string> out = row.run.settings;
  for (const auto& [name, origin] : row.label_origins) {
    const auto label = row.labels.find(name);
    if (label == row.labels.end() || value_of(row.run, name) != label->second) continue;
    std::string& note = out["derived"];
    note += (note.empty() ? "" : "; ") + name + ": " + origin;
  }
  return out;
}

// The iteration reached. A timing run's log counts none: where it is finished, all are done.
std::optional<std::int64_t> iteration_of(const Run& run) {
  const bool timed = run.job == Job::time && run.state == RunState::finished;
  return timed && !run.iteration ? run.max_iterations : run.iteration;
}

std::string_view name_of(PredictionKind kind) {
  return kind == PredictionKind::total ? "total" : "remaining";
}

}  // namespace

void write_run(JsonWriter& json, const RunRow& row, const RunForecast& forecast, std::optional<double> loss,
               const AnomalyTraces* traces) {
  const Run& run = row.run;
  const bool running = run.state == RunState::running;
  json.begin_object();
  json.field("id", row.id).field("source", row.source).field("framework", run.framework);
  json.field("network", run.network).field("architecture", run.architecture);
  json.field("host", run.host).field("device", run.device).field("devices", known_devices(run.devices));
  json.field("job", etad::name_of(run.job)).field("state", etad::name_of(run.state));
  json.field("started_at", run.started_at);
  json.field("ended_at", running ? std::nullopt : run.ended_at);
  json.field("last_line_at", run.ended_at);
  const auto taken = wall_time(run);
  json.field("wall_seconds", taken ? std::optional(to_seconds(*taken)) : std::nullopt);
  json.field("settings", settings_of(row)).field("labels", row.labels);
  json.key("train");
  std::optional<std::int64_t> tokens;
  const auto said = run.settings.find("tokens_per_iteration");
  if (said != run.settings.end()) tokens = parse_number<std::int64_t>(said->second);
  write_phase(json, run.train, tokens);
  json.key("test");
  write_phase(json, run.test);
  json.key("progress").begin_object();
  json.field("iteration", iteration_of(run)).field("of", run.max_iterations).field("loss", loss).end_object();
  json.field("first_iteration", run.first_iteration);
  write_forecast(json, run, forecast, traces);
  json.field("startup_seconds", run.startup).field("snapshot_seconds", run.snapshot_time);
  json.field("snapshots", run.snapshots).field("stalls", run.stalls).field("diverged", run.loss_is_nan);
  json.text_or_null("message", run.message).end_object();
}

namespace {

void write_members(JsonWriter& json, const Segment& segment) {
  json.field("phase", etad::name_of(segment.phase)).field("iterations", segment.iterations);
  json.key("samples_per_iteration");
  segment.samples_per_iteration > 0 ? json.value(segment.samples_per_iteration) : json.null();
  json.field("seconds", segment.duration).field("first_iteration", segment.first_iteration);
  json.field("started_at", segment.started_at);
}

void write_members(JsonWriter& json, const PredictionRow& each) {
  json.field("kind", name_of(each.kind)).field("at_fraction", each.at_fraction);
  json.field("made_at", each.made_at).field("elapsed_seconds", each.elapsed);
  json.field("seconds", each.seconds).field("lower", each.lower).field("upper", each.upper);
  json.field("confidence", each.confidence).field("model_id", each.model_id).field("basis", each.basis);
  json.field("actual_seconds", each.actual).field("error_percent", each.error_percent);
  json.field("covered", each.covered);
}

}  // namespace

void write_segment(JsonWriter& json, const Segment& segment) {
  json.begin_object();
  write_members(json, segment);
  json.end_object();
}

void write_segment(JsonWriter& json, const ThinnedSegment& thinned) {
  json.begin_object();
  write_members(json, thinned.segment);
  json.field("min_seconds_per_iteration", thinned.least).field("max_seconds_per_iteration", thinned.most);
  json.end_object();
}

void write_point(JsonWriter& json, const ThinnedPoint& thinned) {
  json.begin_object().field("iteration", thinned.point.iteration).field("at", thinned.point.at);
  const auto known = [&](double loss) { return thinned.losses > 0 ? std::optional(loss) : std::nullopt; };
  json.field("loss", known(thinned.sum / static_cast<double>(thinned.losses)));
  json.field("min_loss", known(thinned.least)).field("max_loss", known(thinned.most)).end_object();
}

void write_point(JsonWriter& json, const ProgressPoint& point) {
  json.begin_object().field("iteration", point.iteration).field("at", point.at);
  json.field("loss", point.loss);
  if (point.snapshot) json.field("snapshot", true);
  json.end_object();
}

void write_layer_times(JsonWriter& json, const std::vector<LayerTime>& times) {
  json.begin_array();
  for (const LayerTime& each : times) {
    json.begin_object().field("layer", each.layer);
    json.field("forward_seconds", each.forward).field("backward_seconds", each.backward).end_object();
  }
  json.end_array();
}

void write_predictions(JsonWriter& json, const std::vector<PredictionRow>& predictions) {
  json.begin_array();
  for (const PredictionRow& each : predictions) {
    json.begin_object();
    write_members(json, each);
    json.end_object();
  }
  json.end_array();
}

void write_prediction(JsonWriter& json, const ScoredPrediction& scored) {
  json.begin_object().field("run", scored.prediction.run_id).field("network", scored.network);
  write_members(json, scored.prediction);
  json.end_object();
}

void write_accuracy(JsonWriter& json, const AccuracyRow& row) {
  json.begin_object();
  if (row.network) json.field("network", *row.network);
  if (row.kind) json.field("kind", name_of(*row.kind));
  if (row.at_fraction) json.field("at_fraction", *row.at_fraction);
  json.field("predictions", row.count).field("mean_error_percent", row.mean_error_percent);
  json.field("median_error_percent", row.median_error_percent).field("bias_percent", row.bias_percent);
  json.field("coverage", row.coverage).end_object();
}

}  // namespace etad::service
