#include "prediction/learnt.h"

#include <cstddef>
#include <map>
#include <memory>
#include <utility>

#include "parsers/base/saved.h"

namespace etad {

ETAD_SAVED(ModelKey, network, architecture, framework, host, device, devices, phase)

namespace regression {

ETAD_SAVED(WithinRun, windows, iteration_noise)

}  // namespace regression

namespace estimators {

ETAD_SAVED(LayerCosts, kind, matrix, operations, backward_operations, lowered, elements, weights, outputs)
ETAD_SAVED(LayerTiming, layer, samples, forward_seconds, backward_seconds)
ETAD_SAVED(Costs, layers, timings)
BOOST_DESCRIBE_STRUCT(Case, (), (samples, iterations, settings))  // the rest is of all runs of a model
ETAD_SAVED(Datum, what, value, run, started_at, ended_at, joules, peak_bytes, owner, place, within)
ETAD_SAVED(Performance, cases, answered, error_percent, coverage, error_ratio, weight, typical, scale,
           farthest, scores, independent)

}  // namespace estimators

namespace prediction {

using Side = Contradiction::Side;
ETAD_SAVED(Side, samples, seconds, runs)
ETAD_SAVED(Contradiction, key, fast, slow, owner)

namespace {

// Of the form and of what the numbers mean: raise it with either.
constexpr std::int64_t kVersion = 29;

struct KeptModel {
  ModelKey key;
  std::int64_t costs = -1;  // which of Kept::costs are its network's; -1: no description was shown
  std::vector<estimators::Datum> runs;
};
ETAD_SAVED(KeptModel, key, costs, runs)

struct KeptRecord {
  std::string estimator;
  std::vector<estimators::Performance> kinds;
};
ETAD_SAVED(KeptRecord, estimator, kinds)

// About one owner's runs, in a kind in which he has a record: of each estimator.
struct KeptOfOwner {
  std::int64_t owner = 0, kind = 0;
  std::vector<estimators::Performance> estimators;
};
ETAD_SAVED(KeptOfOwner, owner, kind, estimators)

// Of one target.
struct KeptRecords {
  std::vector<KeptRecord> records;
  std::vector<KeptOfOwner> owners;
  std::int64_t judged = 0;
};
ETAD_SAVED(KeptRecords, records, owners, judged)

struct KeptAllRecords {
  std::vector<KeptRecords> targets;
};
ETAD_SAVED(KeptAllRecords, targets)

struct Kept {
  std::vector<estimators::Costs> costs;
  std::vector<KeptModel> models;
  KeptAllRecords records;
  std::vector<Contradiction> contradictions;
};
ETAD_SAVED(Kept, costs, models, records, contradictions)

KeptRecords kept(const Judged& judged) {
  KeptRecords out;
  for (const estimators::Record& record : judged.records->all)
    out.records.push_back({std::string(record.name), {record.kinds.begin(), record.kinds.end()}});
  for (const auto& [owner, records] : judged.records->of_owner)
    for (std::size_t kind = 0; kind < estimators::kKinds; ++kind) {
      if (judged.records->of(owner, static_cast<estimators::Kind>(kind)) == nullptr) continue;
      auto& its = out.owners.emplace_back(KeptOfOwner{owner, static_cast<std::int64_t>(kind), {}}).estimators;
      for (const estimators::Record& record : records) its.push_back(record.kinds[kind]);
    }
  out.judged = static_cast<std::int64_t>(judged.runs);
  return out;
}

KeptAllRecords kept(const AllRecords& records) {
  KeptAllRecords out;
  for (const Judged& judged : records) out.targets.push_back(kept(judged));
  return out;
}

Result<AllRecords> records_of(KeptAllRecords kept) {
  const auto all = estimators::estimators();
  AllRecords out;
  bool same = kept.targets.size() == out.size();
  for (std::size_t target = 0; same && target < out.size(); ++target) {
    auto& [of, owners, judged] = kept.targets[target];
    auto records = std::make_shared<estimators::Records>();
    for (const auto& each : all) records->all.push_back({each.name, each.source, {}});
    for (const KeptOfOwner& one : owners) records->of_owner.try_emplace(one.owner, records->all);
    same = of.size() == all.size();
    for (std::size_t i = 0; same && i < all.size(); ++i) {
      estimators::Record& record = records->all[i];
      same = of[i].estimator == record.name && of[i].kinds.size() == record.kinds.size();
      if (same) std::ranges::move(of[i].kinds, record.kinds.begin());
    }
    for (KeptOfOwner& one : owners) {
      const auto kind = static_cast<std::size_t>(one.kind);
      same = same && kind < estimators::kKinds && one.estimators.size() == all.size();
      for (std::size_t i = 0; same && i < all.size(); ++i)
        records->of_owner[one.owner][i].kinds[kind] = std::move(one.estimators[i]);
    }
    out[target] = {std::move(records), static_cast<std::size_t>(judged)};
  }
  if (!same) return fail(ErrorKind::corrupt, "what is kept is the record of other estimators");
  return out;
}

}  // namespace

AllRecords records_of(const Learnt& learnt) {
  AllRecords out;
  for (const auto target : estimators::kAllTargets)
    out[static_cast<std::size_t>(target)] = learnt.of(target)->judged();
  return out;
}

std::string records_to_json(const AllRecords& records) {
  return saved::to_text(kept(records), kVersion, saved::Form::whole);
}

Result<AllRecords> records_from_json(std::string_view text) {
  auto kept = saved::from_text<KeptAllRecords>(text, kVersion, "the estimators' records", saved::Form::whole);
  if (!kept) return tl::unexpected(kept.error());
  return records_of(std::move(*kept));
}

std::string learnt_to_json(const Learnt& learnt) {
  Kept out;
  std::map<const estimators::Costs*, std::int64_t> places;
  for (const auto& [key, runs] : learnt.knowledge->data()) {
    KeptModel& model = out.models.emplace_back(KeptModel{key, -1, runs});
    const auto* const costs = runs.empty() ? nullptr : runs.front().what.costs.get();
    if (costs == nullptr) continue;
    const auto [place, is_new] = places.try_emplace(costs, static_cast<std::int64_t>(out.costs.size()));
    if (is_new) out.costs.push_back(*costs);
    model.costs = place->second;
  }
  out.records = kept(records_of(learnt));
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
    for (estimators::Datum& run : model.runs) {
      const estimators::Case its = std::exchange(run.what, facts);
      run.what.samples = its.samples;
      run.what.iterations = its.iterations;
      run.what.settings = its.settings;
    }
    data.emplace(model.key, std::move(model.runs));
  }
  auto records = records_of(std::move(kept->records));
  if (!records) return tl::unexpected(records.error());
  for (const auto target : estimators::kAllTargets)
    out.of(target) = Knowledge::of(
        data, nullptr, [] {}, target, Knowledge::Judging::not_now,
        std::move((*records)[static_cast<std::size_t>(target)]));
  out.contradictions = std::move(kept->contradictions);
  return out;
}

}  // namespace prediction
}  // namespace etad
