// What a row of a database says, as the structs of rows.h: the same for the history's SQLite and for a fleet's
// PostgreSQL (fleet/). Each function names the columns that it takes, in their order from column `at` on. A Row
// has a get<T>(column) that gives SQL's NULL as nothing: an empty optional or text, 0, false.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "storage/codes.h"
#include "storage/layer_table.h"
#include "storage/rows.h"
#include "storage/text_map.h"

namespace etad {

// The model that a run's phase is evidence of.
ModelKey key_of(const Run& run, Phase phase);

// network, architecture, framework, host, device, devices, phase.
template <class Row>
ModelKey key_in(const Row& row, int at = 0) {
  ModelKey key;
  key.network = row.template get<std::string>(at);
  key.architecture = row.template get<std::string>(at + 1);
  key.framework = row.template get<std::string>(at + 2);
  key.host = row.template get<std::string>(at + 3);
  key.device = row.template get<std::string>(at + 4);
  key.devices = row.template get<std::int64_t>(at + 5);
  key.phase = codes::value_of<Phase>(row.template get<std::string_view>(at + 6));
  return key;
}

inline constexpr int kPhaseColumns = 7;
// batch_size, samples_per_iteration, iterations, duration, segments, joules, peak_bytes.
template <class Row>
PhaseSummary phase_in(const Row& row, int at) {
  PhaseSummary phase;
  phase.batch_size = row.template get<std::optional<std::int64_t>>(at);
  phase.samples_per_iteration = row.template get<std::optional<std::int64_t>>(at + 1);
  phase.iterations = row.template get<std::int64_t>(at + 2);
  phase.duration = row.template get<Duration>(at + 3);
  phase.segments = row.template get<std::int64_t>(at + 4);
  phase.joules = row.template get<std::optional<double>>(at + 5);
  phase.peak_bytes = row.template get<std::optional<double>>(at + 6);
  return phase;
}

inline constexpr int kRunColumns = 20 + 2 * kPhaseColumns;
// All of a run but its ordinal: job, state, framework, network, architecture, host, device, devices, started_at,
// ended_at, settings, iteration, max_iterations, first_iteration, startup, snapshot_time, snapshots, stalls,
// loss_is_nan, message; then its train and its test phase.
template <class Row>
Run run_in(const Row& row, int at) {
  Run run;
  run.job = codes::value_of<Job>(row.template get<std::string_view>(at));
  run.state = codes::value_of<RunState>(row.template get<std::string_view>(at + 1));
  run.framework = row.template get<std::string>(at + 2);
  run.network = row.template get<std::string>(at + 3);
  run.architecture = row.template get<std::string>(at + 4);
  run.host = row.template get<std::string>(at + 5);
  run.device = row.template get<std::string>(at + 6);
  run.devices = row.template get<std::int64_t>(at + 7);
  run.started_at = row.template get<std::optional<Instant>>(at + 8);
  run.ended_at = row.template get<std::optional<Instant>>(at + 9);
  run.settings = text_map(row.template get<std::string_view>(at + 10));
  run.iteration = row.template get<std::optional<std::int64_t>>(at + 11);
  run.max_iterations = row.template get<std::optional<std::int64_t>>(at + 12);
  run.first_iteration = row.template get<std::optional<std::int64_t>>(at + 13);
  run.startup = row.template get<std::optional<Duration>>(at + 14);
  run.snapshot_time = row.template get<Duration>(at + 15);
  run.snapshots = row.template get<std::int64_t>(at + 16);
  run.stalls = row.template get<std::int64_t>(at + 17);
  run.loss_is_nan = row.template get<bool>(at + 18);
  run.message = row.template get<std::string>(at + 19);
  run.train = phase_in(row, at + 20);
  run.test = phase_in(row, at + 20 + kPhaseColumns);
  return run;
}

// A run from column `at` on, and from column `behind` on: id, source_id, source, source_kind, owner, updated_at.
template <class Row>
RunRow run_row_in(const Row& row, int at, int behind) {
  RunRow out;
  out.run = run_in(row, at);
  out.id = row.template get<std::int64_t>(behind);
  out.source_id = row.template get<std::int64_t>(behind + 1);
  out.source = row.template get<std::string>(behind + 2);
  out.source_kind = row.template get<std::string>(behind + 3);
  out.owner = row.template get<std::optional<std::int64_t>>(behind + 4);
  out.updated_at = row.template get<std::optional<Instant>>(behind + 5);
  return out;
}

inline constexpr const char* kLayerColumns =
    "name, type, parameters, shapes, operations, backward_operations, weights, inputs, outputs, copies, "
    "lowered";
template <class Row>
Layer layer_in(const Row& row) {
  const auto cost = [&row](int at) { return row.template get<std::optional<double>>(at); };
  return {row.template get<std::string>(0),
          row.template get<std::string>(1),
          row.template get<std::string>(2),
          shapes_of(row.template get<std::string_view>(3)),
          {cost(4), cost(5), cost(6), cost(7), cost(8), cost(9), cost(10)}};
}

inline constexpr int kRunDataColumns = 16;
// All of a run's data but its windows: run_id, source_id, owner, samples_per_iteration, iterations, duration,
// started_at, ended_at, settings, loss_is_nan, startup, snapshot_time, snapshots, joules, peak_bytes, tested.
template <class Row>
RunData run_data_in(const Row& row) {
  RunData data;
  data.run_id = row.template get<std::int64_t>(0);
  data.source_id = row.template get<std::int64_t>(1);
  data.owner = row.template get<std::int64_t>(2);
  data.samples_per_iteration = row.template get<std::int64_t>(3);
  data.iterations = row.template get<std::int64_t>(4);
  data.duration = row.template get<Duration>(5);
  data.started_at = row.template get<std::optional<Instant>>(6);
  data.ended_at = row.template get<std::optional<Instant>>(7);
  data.settings = text_map(row.template get<std::string_view>(8));
  data.loss_is_nan = row.template get<bool>(9);
  data.startup = row.template get<std::optional<Duration>>(10);
  data.snapshot_time = row.template get<Duration>(11);
  data.snapshots = row.template get<std::int64_t>(12);
  data.joules = row.template get<std::optional<double>>(13);
  data.peak_bytes = row.template get<std::optional<double>>(14);
  data.tested = row.template get<Duration>(15);
  return data;
}

// Those windows, of which there are `count` (chunks.h): at most `most`, evenly spaced, with the run's samples per
// iteration where they have none of their own. False: the bytes are no such windows.
bool take_windows(RunData& data, std::int64_t count, std::string_view packed, int most);

// run_id, kind, at_fraction, made_at, elapsed, seconds, lower, upper, confidence, basis, actual, error_percent,
// covered.
inline constexpr int kPredictionColumns = 13;
template <class Row>
PredictionRow prediction_in(const Row& row) {
  PredictionRow out;
  out.run_id = row.template get<std::int64_t>(0);
  out.kind = codes::value_of<PredictionKind>(row.template get<std::string_view>(1));
  out.at_fraction = row.template get<double>(2);
  out.made_at = row.template get<Instant>(3);
  out.elapsed = row.template get<double>(4);
  out.seconds = row.template get<double>(5);
  out.lower = row.template get<double>(6);
  out.upper = row.template get<double>(7);
  out.confidence = row.template get<double>(8);
  out.basis = row.template get<std::string>(9);
  out.actual = row.template get<std::optional<double>>(10);
  out.error_percent = row.template get<std::optional<double>>(11);
  out.covered = row.template get<std::optional<bool>>(12);
  return out;
}

}  // namespace etad
