// A refit over a history, and the models that it kept there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "daemon/refit.h"
#include "daemon/shared_writer.h"
#include "prediction/stored_models.h"
#include "storage/history.h"

namespace etad {

inline constexpr std::size_t kRoomForModels = std::size_t{1} << 20;

inline std::shared_ptr<prediction::StoredModels> models_of(const std::string& path, SharedWriter& writer,
                                                           std::size_t memory = kRoomForModels) {
  return std::make_shared<prediction::StoredModels>(
      [path] { return ModelReader::open(path); }, memory,
      prediction::StoredModels::Write{put_models_with(writer), put_records_with(writer)});
}

inline Refit refit_of(
    const std::string& path, SharedWriter& writer, std::function<Instant()> now,
    std::function<void()> alive = [] {}) {
  return Refit(Reader::open(path).value(), models_of(path, writer), std::move(now), std::move(alive));
}

// A run of LeNet on a K80 that is over.
inline Run finished_run(Instant started_at, std::int64_t batch) {
  Run run;
  run.state = RunState::finished;
  run.framework = "caffe";
  run.network = "LeNet";
  run.architecture = "9c1d7a52";
  run.device = "Tesla K80";
  run.devices = 1;
  run.started_at = started_at;
  run.train.batch_size = run.train.samples_per_iteration = batch;
  return run;
}

// Its log: 20 windows of 100 iterations, of which each takes as long as is said of it.
inline SourceCommit log_of(Run run, const std::string& path,
                           const std::function<Duration(std::int64_t window)>& took) {
  constexpr std::int64_t kWindows = 20, kIterations = 100;
  SourceCommit out;
  out.source.path = out.source.identity = path;
  for (std::int64_t i = 0; i < kWindows; ++i) {
    out.records.segments.push_back({0, Segment{Phase::train, kIterations * i, kIterations,
                                               run.train.batch_size.value(), took(i), std::nullopt}});
    run.train.duration += took(i);
    run.train.iterations += kIterations;
    ++run.train.segments;
  }
  out.records.runs = {std::move(run)};
  return out;
}

inline std::vector<std::shared_ptr<const prediction::FittedModel>> fitted_models(
    const prediction::ModelSet& set) {
  std::vector<std::shared_ptr<const prediction::FittedModel>> out;
  const auto rows = set.models->list({}).value();
  for (const ModelRow& row : rows)
    if (auto model = set.models->load(row.key).value()) out.push_back(std::move(model));
  return out;
}
inline auto fitted_models(const Refit& refit) {
  return fitted_models(*refit.models());
}

}  // namespace etad
