#include "prediction/run_alone.h"

#include <utility>
#include <vector>

#include "prediction/datasets.h"
#include "prediction/make_model.h"

namespace etad::prediction {
namespace {

constexpr std::int64_t kMostRead = 4096;

}  // namespace

Result<std::shared_ptr<const ModelSet>> models_of_run(Reader& reader, const RunRow& row, Instant now) {
  const auto segments = reader.segments(row.id, 0, kMostRead);
  if (!segments) return tl::unexpected(segments.error());
  const Run& run = row.run;
  std::vector<FittedModel> models;
  for (const Phase phase : {Phase::train, Phase::test}) {
    RunData data = run_data_of(run, *segments, phase);
    const PhaseSummary& all = phase == Phase::train ? run.train : run.test;
    data.run_id = row.id;
    data.iterations = all.iterations;
    data.duration = all.duration;
    const ModelKey key{run.network, run.architecture, run.framework, run.host,
                       run.device,  run.devices,      phase};
    if (auto fitted = fitted_from(key, {{std::move(data)}, {}, {}})) {
      fitted->fitted_at = now;
      models.push_back(std::move(*fitted));
    }
  }
  auto out = std::make_shared<ModelSet>();
  out->models = std::make_shared<HeldModels>(std::move(models));
  return out;
}

}  // namespace etad::prediction
