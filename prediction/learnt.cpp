#include "prediction/learnt.h"

#include <cstddef>
#include <utility>

#include "parsers/base/saved.h"

namespace etad {

ETAD_SAVED(ModelKey, network, architecture, framework, host, device, devices, phase)

namespace regression {

ETAD_SAVED(WithinRun, windows, iteration_noise)

}  // namespace regression

namespace estimators {

ETAD_SAVED(LayerCosts, kind, matrix, operations, backward_operations, lowered, elements, weights, outputs,
           forward_seconds, backward_seconds)
ETAD_SAVED(Costs, layers)
ETAD_SAVED(Performance, cases, answered, error_percent, coverage, against, weight, typical, scale, farthest,
           scores, independent)

}  // namespace estimators

namespace prediction {

using Side = Contradiction::Side;
ETAD_SAVED(Side, samples, seconds, runs)
ETAD_SAVED(Contradiction, key, fast, slow)

namespace {

// Of the form and of what the numbers mean: raise it with either.
constexpr std::int64_t kVersion = 16;

// A run with what its model's key does not say.
struct KeptRun {
  double samples = 0, iterations = 0, value = 0, started_at = 0, ended_at = 0, joules = 0, peak_bytes = 0;
  std::int64_t run = 0, owner = 0;
  regression::WithinRun within;
  std::vector<std::string> settings;
};
ETAD_SAVED(KeptRun, samples, iterations, value, started_at, ended_at, joules, peak_bytes, run, owner, within,
           settings)

struct KeptModel {
  ModelKey key;
  std::int64_t costs = -1;  // which of Kept::costs are its network's; -1: no description was shown
  std::vector<KeptRun> runs;
};
ETAD_SAVED(KeptModel, key, costs, runs)

struct KeptRecord {
  std::string estimator, missing;
  std::vector<estimators::Performance> kinds;
};
ETAD_SAVED(KeptRecord, estimator, missing, kinds)

// Of one target.
struct KeptRecords {
  std::vector<KeptRecord> records;
  std::int64_t judged = 0;
};
ETAD_SAVED(KeptRecords, records, judged)

struct Kept {
  std::vector<estimators::Costs> costs;
  std::vector<KeptModel> models;
  KeptRecords seconds, joules, peak_bytes;
  std::vector<Contradiction> contradictions;
};
ETAD_SAVED(Kept, costs, models, seconds, joules, peak_bytes, contradictions)

KeptRun kept(const estimators::Datum& datum) {
  return {datum.what.samples, datum.what.iterations, datum.value,        datum.started_at,
          datum.ended_at,     datum.joules,          datum.peak_bytes,   datum.run,
          datum.owner,        datum.within,          datum.what.settings};
}

estimators::Datum datum_of(const estimators::Case& facts, KeptRun run) {
  estimators::Datum out{facts,      run.value,      run.run,   run.started_at, run.ended_at,
                        run.joules, run.peak_bytes, run.owner, run.within};
  out.what.samples = run.samples;
  out.what.iterations = run.iterations;
  out.what.settings = std::move(run.settings);
  return out;
}

KeptRecords kept(const Knowledge& knowledge) {
  KeptRecords out;
  for (const estimators::Record& record : knowledge.records())
    out.records.push_back(
        {std::string(record.name), record.missing, {record.kinds.begin(), record.kinds.end()}});
  out.judged = static_cast<std::int64_t>(knowledge.judged());
  return out;
}

Result<std::vector<estimators::Record>> records_of(std::vector<KeptRecord> kept) {
  const auto all = estimators::estimators();
  std::vector<estimators::Record> out;
  for (std::size_t i = 0; i < kept.size() && i < all.size(); ++i) {
    estimators::Record& record = out.emplace_back();
    record.name = all[i].name;
    record.source = all[i].source;
    record.missing = std::move(kept[i].missing);
    if (kept[i].estimator != record.name || kept[i].kinds.size() != record.kinds.size()) break;
    std::ranges::move(kept[i].kinds, record.kinds.begin());
  }
  if (kept.size() != all.size() || out.size() != all.size() || kept.back().estimator != all.back().name)
    return fail(ErrorKind::corrupt, "what is kept is the record of other estimators");
  return out;
}

}  // namespace

std::string learnt_to_json(const Learnt& learnt) {
  Kept out;
  std::map<const estimators::Costs*, std::int64_t> places;
  for (const auto& [key, runs] : learnt.knowledge->runs()) {
    KeptModel& model = out.models.emplace_back();
    model.key = key;
    for (const estimators::Datum& datum : runs) model.runs.push_back(kept(datum));
    const auto* const costs = runs.empty() ? nullptr : runs.front().what.costs.get();
    if (costs == nullptr) continue;
    const auto [place, is_new] = places.try_emplace(costs, static_cast<std::int64_t>(out.costs.size()));
    if (is_new) out.costs.push_back(*costs);
    model.costs = place->second;
  }
  out.seconds = kept(*learnt.knowledge);
  out.joules = kept(*learnt.energy);
  out.peak_bytes = kept(*learnt.memory);
  out.contradictions = learnt.contradictions;
  return saved::to_text(out, kVersion, saved::Form::whole);
}

Result<Learnt> learnt_from_json(std::string_view text) {
  auto kept = saved::from_text<Kept>(text, kVersion, "what is kept of all runs", saved::Form::whole);
  if (!kept) return tl::unexpected(kept.error());
  std::vector<std::shared_ptr<const estimators::Costs>> costs;
  for (auto& each : kept->costs) costs.push_back(std::make_shared<const estimators::Costs>(std::move(each)));
  Learnt out;
  Knowledge::Data data;
  for (KeptModel& model : kept->models) {
    estimators::Case facts = case_of(model.key);
    const auto place = static_cast<std::size_t>(model.costs);
    if (model.costs >= 0 && place < costs.size()) facts.costs = costs[place];
    auto& runs = data[model.key];
    for (KeptRun& run : model.runs) runs.push_back(datum_of(facts, std::move(run)));
  }
  const auto restore = [&data](KeptRecords of, estimators::Target target,
                               std::shared_ptr<const Knowledge>& knowledge) -> Result<void> {
    auto records = records_of(std::move(of.records));
    if (!records) return tl::unexpected(records.error());
    knowledge = Knowledge::restored(data, std::move(*records), static_cast<std::size_t>(of.judged), target);
    return {};
  };
  using estimators::Target;
  auto done = restore(std::move(kept->seconds), Target::seconds, out.knowledge);
  if (done) done = restore(std::move(kept->joules), Target::joules, out.energy);
  if (done) done = restore(std::move(kept->peak_bytes), Target::peak_bytes, out.memory);
  if (!done) return tl::unexpected(done.error());
  out.contradictions = std::move(kept->contradictions);
  return out;
}

}  // namespace prediction
}  // namespace etad
