#include "prediction/learnt.h"

#include <algorithm>
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
ETAD_SAVED(Performance, cases, answered, error_percent, coverage, error_ratio, weight, median_error, scale,
           farthest_hidden, scores, independent)

}  // namespace estimators

namespace prediction {

using Side = Contradiction::Side;
ETAD_SAVED(Side, samples, seconds, runs)
ETAD_SAVED(Contradiction, key, fast, slow, owner)

namespace {

// Of the form and of what the numbers mean: raise it with either.
constexpr std::int64_t kVersion = 31;

struct KeptModel {
  ModelKey key;
  std::int64_t costs = -1;  // which of Kept::costs are its network's; -1: no description was shown
  std::vector<estimators::Datum> runs;
};
ETAD_SAVED(KeptModel, key, costs, runs)

// Of one target.
struct KeptRecords {
  std::vector<estimators::Performances> kinds;
  std::vector<std::pair<std::pair<std::int64_t, estimators::Kind>, estimators::Performances>> owners;
  std::int64_t judged = 0;
};
ETAD_SAVED(KeptRecords, kinds, owners, judged)

struct KeptAllRecords {
  std::vector<std::string> estimators;  // names
  std::vector<KeptRecords> targets;
};
ETAD_SAVED(KeptAllRecords, estimators, targets)

struct Kept {
  std::vector<estimators::Costs> costs;
  std::vector<KeptModel> models;
  KeptAllRecords records;
  std::vector<Contradiction> contradictions;
};
ETAD_SAVED(Kept, costs, models, records, contradictions)

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& each : estimators::estimators()) out.emplace_back(each.name);
  return out;
}

KeptAllRecords kept(const AllRecords& records) {
  KeptAllRecords out{names(), {}};
  for (const auto& [its, runs] : records) {
    KeptRecords& target = out.targets.emplace_back();
    target.kinds.assign(its->all.begin(), its->all.end());
    target.owners.assign(its->of_owner.begin(), its->of_owner.end());
    target.judged = static_cast<std::int64_t>(runs);
  }
  return out;
}

Result<AllRecords> records_of(KeptAllRecords kept) {
  const auto others = [] {
    return fail(ErrorKind::corrupt, "what is kept is the record of other estimators");
  };
  const auto of_all = [&](const auto& each) { return each.size() == kept.estimators.size(); };
  AllRecords out;
  if (kept.estimators != names() || kept.targets.size() != out.size()) return others();
  for (std::size_t target = 0; target < out.size(); ++target) {
    auto& [kinds, owners, judged] = kept.targets[target];
    auto records = std::make_shared<estimators::Records>();
    if (kinds.size() != estimators::kKinds || !std::ranges::all_of(kinds, of_all)) return others();
    std::ranges::move(kinds, records->all.begin());
    for (auto& [of, performances] : owners) {
      if (!of_all(performances)) return others();
      records->of_owner.emplace(of, std::move(performances));
    }
    out[target] = {std::move(records), static_cast<std::size_t>(judged)};
  }
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
