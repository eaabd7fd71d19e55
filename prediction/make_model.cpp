#include "prediction/make_model.h"

#include <algorithm>
#include <utility>

#include "prediction/datasets.h"

namespace etad::prediction {

namespace {

// In whose name runs are evidence for others: who was there first, however old those of his are that are taken now.
std::int64_t owner_of(const std::vector<RunData>& runs) {
  return std::ranges::min_element(runs, {}, &RunData::place)->owner;
}

}  // namespace

std::optional<FittedModel> fitted_from(const ModelKey& key, const ChosenRuns& evidence) {
  auto model = regression::fit(dataset_of(evidence.runs, key.phase));
  if (!model) return std::nullopt;
  FittedModel out;
  out.key = key;
  out.owner = owner_of(evidence.runs);
  out.dispute = evidence.dispute;
  out.model = std::move(*model);
  if (key.phase == Phase::train) {
    out.startup = startup_of(evidence.runs);
    out.snapshot = snapshot_of(evidence.runs);
    out.other = other_of(evidence.runs);
  }
  return out;
}

void add_own(FittedModel& fitted, std::int64_t owner, const std::vector<RunData>& runs) {
  if (contradiction_of(fitted.key, dataset_of(runs, fitted.key.phase))) return;
  auto own = fitted_from(fitted.key, {runs, {}, {}});
  if (!own) return;
  own->id = fitted.id;
  own->fitted_at = fitted.fitted_at;
  own->owner = owner;
  own->own_runs = true;
  fitted.own.push_back(std::move(*own));
}

Result<Made> make_model(const ModelRow& row, std::vector<RunData> runs, const OwnRunsOf& own_runs_of,
                        OneRun one_run) {
  Made out;
  out.evidence = choose_evidence(std::move(runs), row.key);
  const auto data = dataset_of(out.evidence.runs, row.key.phase);
  out.contradiction = contradiction_of(row.key, data);
  if (out.contradiction) return out;
  if (one_run == OneRun::left_for_later && data.size() == 1 && !out.evidence.dispute) {
    FittedModel& model = out.model.emplace();
    model.key = row.key;
    model.owner = owner_of(out.evidence.runs);
    model.model.runs = 1;
    return out;
  }
  out.model = fitted_from(row.key, out.evidence);
  if (!out.model) return out;
  out.model->id = row.id;
  out.model->fitted_at = row.fitted_at;
  for (const std::int64_t owner : out.evidence.answered_by_own) {
    const auto own = own_runs_of(owner);
    if (!own) return tl::unexpected(own.error());
    add_own(*out.model, owner, *own);
  }
  return out;
}

Result<std::shared_ptr<const ModelSet>> models_of_run(Reader& reader, const RunRow& row, Instant now) {
  constexpr std::int64_t kMostRead = 4096;
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
