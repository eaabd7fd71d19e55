#include <chrono>
#include <cmath>

#include "daemon/service/views.h"
#include "regression/covariates.h"

namespace etad::service {

using prediction::FittedModel;
using prediction::Spread;

namespace {

void write_range(JsonWriter& json, std::string_view name, const regression::Range& range) {
  json.key(name).begin_object().field("min", range.min).field("max", range.max).end_object();
}

// `median`: what it is of.
void write_spread(JsonWriter& json, std::string_view name, const std::optional<Spread>& spread,
                  std::string_view median) {
  json.maybe(name, spread, [median](JsonWriter& out, const Spread& each) {
    out.begin_object().field(median, each.median).field("lower", each.lower);
    out.field("upper", each.upper).field("runs", each.runs).end_object();
  });
}

// Seconds since 1970, as the regression counts, as an instant.
std::optional<Instant> instant_of(const std::optional<double>& seconds) {
  if (!seconds || !std::isfinite(*seconds) || std::abs(*seconds) > 1e11) return std::nullopt;
  return Instant{std::chrono::microseconds{std::llround(*seconds * 1e6)}};
}

void write_refused(JsonWriter& json, const RefusedRow& row) {
  const auto owner = row.owner == kUnknownOwner ? std::nullopt : std::optional(row.owner);
  json.begin_object().field("owner", owner).field("what", row.what).field("count", row.count);
  json.field("last_at", row.last_at).end_object();
}

void write_size(JsonWriter& json, const HistorySize& size) {
  json.begin_object().field("bytes", size.bytes).field("sources", size.sources).field("runs", size.runs);
  json.field("segments", size.segments).field("points", size.points).field("samples", size.samples);
  json.list("refused", size.refused, write_refused).end_object();
}

// What the source's row says of itself, where the daemon has nothing to add.
std::string state_of(const SourceRow& row) {
  if (row.pending) return "importing";
  if (row.kind == "import") return "imported";
  if (row.gone) return "gone";
  return "following";
}

}  // namespace

void write_key(JsonWriter& json, const ModelKey& key) {
  json.field("network", key.network).field("architecture", key.architecture);
  json.field("framework", key.framework).field("host", key.host).field("device", key.device);
}

void write_network(JsonWriter& json, const NetworkRow& row) {
  json.begin_object().field("network", row.network).field("architecture", row.architecture);
  json.field("frameworks", row.frameworks).field("devices", row.devices);
  json.field("batch_sizes", row.batch_sizes).field("runs", row.runs);
  json.key("iterations").begin_object();
  json.field("min", row.min_iterations).field("max", row.max_iterations).end_object();
  json.field("last_seen", row.last_seen).end_object();
}

void write_change(JsonWriter& json, const FittedModel& fitted) {
  json.field("changed_at", instant_of(fitted.model.changed_at));
}

void write_dispute(JsonWriter& json, const FittedModel& fitted) {
  json.key("disputed");
  if (!fitted.dispute && !fitted.own_runs) {
    json.null();
    return;
  }
  json.begin_object().field("left_out_runs", fitted.dispute ? fitted.dispute->left_out : 0);
  json.field("own_runs", fitted.own_runs).end_object();
}

void write_model(JsonWriter& json, const FittedModel& fitted) {
  const ModelKey& key = fitted.key;
  const regression::Model& model = fitted.model;
  json.begin_object().field("id", fitted.id);
  write_key(json, key);
  json.field("devices", known_devices(key.devices)).field("phase", name_of(key.phase));
  json.field("family", prediction::kEndToEnd).field("basis", model.basis);
  json.list("coefficients", model.coefficients, [](JsonWriter& out, const auto& each) {
    out.begin_object().field("name", each.name).field("value", each.value);
    out.field("standard_error", each.standard_error).end_object();
  });
  json.key("knots").begin_array().end_array();  // of bases that there were
  json.field("runs", model.runs).field("segments", model.windows).field("dropped_runs", model.dropped_runs);
  write_change(json, fitted);
  json.field("error_percent", model.error_percent);
  json.key("coverage");
  model.coverage > 0 ? json.value(model.coverage) : json.null();
  json.key("seen").begin_object();
  write_range(json, "batch_size", model.samples);
  write_range(json, "iterations", model.iterations);
  json.end_object();
  json.list("rivals", model.rivals, [](JsonWriter& out, const auto& rival) {
    out.begin_object().field("basis", rival.basis).field("error_percent", rival.error_percent);
    out.field("standard_error", rival.standard_error).field("parameters", rival.parameters).end_object();
  });
  json.key("settings").begin_object();
  for (const std::string& covariate : model.covariates) {
    const std::string_view name = regression::covariate_name(covariate);
    if (covariate.size() > name.size() + 1)
      json.field(name, std::string_view(covariate).substr(name.size() + 1));
  }
  json.end_object().field("other_runs", model.other_runs);
  write_dispute(json, fitted);
  write_spread(json, "startup", fitted.startup, "seconds");
  write_spread(json, "snapshot", fitted.snapshot, "seconds");
  write_spread(json, "other", fitted.other, "share");
  json.field("fitted_at", fitted.fitted_at).end_object();
}

void write_source(JsonWriter& json, const SourceRow& row, const std::string& status) {
  json.begin_object().field("id", row.id).field("path", row.path).field("kind", row.kind);
  json.field("owner", row.owner);
  json.text_or_null("format", row.format);
  json.field("state", status.empty() ? state_of(row) : status);
  json.field("offset", row.offset).field("size", row.size).field("lines", row.lines);
  json.field("matched", row.matched).field("unmatched", row.unmatched);
  json.field("truncated", row.truncated).field("rejected", row.rejected);
  json.field("skipped_bytes", row.skipped_bytes).field("lost_bytes", row.lost_bytes);
  json.text_or_null("last_error", row.last_error);
  json.field("read_at", row.read_at).end_object();
}

void write_unread_source(JsonWriter& json, const std::string& path, const std::string& status) {
  json.begin_object().field("id", std::optional<std::int64_t>{}).field("path", path).field("kind", "file");
  json.key("owner").null().key("format").null();
  json.field("state", status);
  for (const char* counter : {"offset", "size", "lines", "matched", "unmatched", "truncated", "rejected",
                              "skipped_bytes", "lost_bytes"}) {
    json.field(counter, 0);
  }
  json.field("last_error", status).key("read_at").null();
  json.end_object();
}

void write_series(JsonWriter& json, const SeriesRow& row) {
  json.begin_object().field("name", row.name).field("labels", row.labels).field("unit", row.unit);
  json.field("first_at", row.first_at).field("last_at", row.last_at).field("samples", row.samples);
  json.end_object();
}

void write_series_points(JsonWriter& json, const SeriesPoints& points) {
  json.begin_object();
  json.field("name", points.series.name).field("labels", points.series.labels);
  json.field("unit", points.series.unit).field("step_seconds", points.step.count());
  json.list("samples", points.points, [](JsonWriter& out, const SeriesPoint& each) {
    out.begin_object().field("at", each.at).field("min", each.min).field("mean", each.mean);
    out.field("max", each.max).field("count", each.count).end_object();
  });
  json.end_object();
}

void write_health(JsonWriter& json, const Health& health, const std::optional<HistorySize>& size,
                  std::int64_t running, std::int64_t models, const std::string& version, Instant now) {
  json.begin_object();
  json.field("status", health.failures.empty() ? "ok" : "degraded");
  json.list("failing", health.failures, [](JsonWriter& out, const Health::Failure& each) {
    out.begin_object().field("part", each.part).field("why", each.why);
    if (!each.hint.empty()) out.field("hint", each.hint);
    out.end_object();
  });
  json.list("notes", health.notes, [](JsonWriter& out, const Health::Note& each) {
    out.begin_object().field("part", Health::kNoted.at(static_cast<std::size_t>(each.part)));
    out.field("why", each.why).field("hint", each.hint);
    out.field("count", each.count).field("subjects", each.subjects).end_object();
  });
  json.field("version", version);
  json.field("uptime_seconds", std::chrono::duration<double>(now - health.started_at).count());
  json.key("sources").begin_object().field("looking", health.looking).field("followed", health.sources);
  json.field("failing", health.failing_sources).end_object();
  json.key("lag").begin_object().field("bytes", health.lag_bytes).field("seconds", health.lag_seconds);
  json.end_object();
  json.field("last_commit", health.last_commit).field("last_refit", health.last_refit);
  json.key("runs").begin_object().field("running", running).end_object();
  json.field("models", models);
  json.maybe("history", size, write_size).end_object();
}

}  // namespace etad::service
