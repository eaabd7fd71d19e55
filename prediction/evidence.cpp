#include "prediction/evidence.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "prediction/contradiction.h"
#include "prediction/datasets.h"
#include "regression/statistics.h"
#include "storage/fair_share.h"

namespace etad::prediction {
namespace {

using Runs = std::vector<RunData>;
using regression::Dataset;
using DatasetOf = std::function<Dataset(const Runs&)>;  // with what they are compared by as their seconds
using regression::Model;
using regression::RunObservation;

constexpr double kFew = 0.4;      // by how much a single run may be off, in the logarithm of time
constexpr double kBeyond = 0.5;   // and a batch size beyond those seen, for each e-fold
constexpr double kUnheard = 0.7;  // and a setting never seen: a factor of two

// How far, in the logarithm, a run's batch size is from those that the model has seen.
double beyond(const Model& model, const RunObservation& run) {
  if (!(run.samples > 0) || !(model.samples.min > 0)) return 0;
  return std::abs(std::log(run.samples / std::clamp(run.samples, model.samples.min, model.samples.max)));
}

// It has a setting that the model has never seen.
bool is_unheard(const Model& model, const RunObservation& run) {
  return std::ranges::any_of(run.covariates, [&](const auto& covariate) {
    return !std::ranges::binary_search(model.covariates, covariate);
  });
}

// How far a run is from the model, in the logarithm of time and beyond what it may be off for no other reason than that
// the model has seen nothing like it; none: the model can't be asked.
std::optional<double> distance(const Model& model, const RunObservation& run) {
  const auto expected = model.expect(run.iterations, run.samples, run.covariates);
  if (!expected || !(expected->seconds > 0)) return std::nullopt;
  const double ratio = std::log(run.seconds / expected->seconds);
  const double allowed = kBeyond * beyond(model, run) + (is_unheard(model, run) ? kUnheard : 0);
  return std::copysign(std::max(0.0, std::abs(ratio) - allowed), ratio);
}

// `voices`: runs, or logs, of the side with fewer.
bool contradicts(double distance, std::size_t voices) {
  return distance >
         std::log(kAgree) + kFew / std::sqrt(static_cast<double>(std::max<std::size_t>(voices, 1)));
}

// Whether a log's runs contradict those of most other logs, or of the one other that was there first. A log for each
// setting contradicts nothing: of its owner's logs those of other settings have no say.
bool is_contradicted(const Runs& its, const std::map<std::int64_t, Runs>& logs, const DatasetOf& data_of) {
  const auto model = regression::fit(data_of(its));
  if (!model) return false;
  std::vector<double> distances;  // of each other log its middle run's
  for (const auto& [source, runs] : logs) {
    if (source == its.front().source_id) continue;
    std::vector<double> of_runs;
    for (const RunObservation& run : data_of(runs)) {
      if (is_unheard(*model, run)) continue;
      if (const auto off = distance(*model, run)) of_runs.push_back(*off);
    }
    distances.push_back(of_runs.empty() ? 0 : std::abs(regression::median(std::move(of_runs))));
  }
  // The middle one, or the better of the two: its own voice counts too.
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>((distances.size() - 1) / 2);
  std::ranges::nth_element(distances, middle);
  if (!contradicts(*middle, std::min(distances.size(), its.size()))) return false;
  return distances.size() > 1 || logs.begin()->first != its.front().source_id;
}

bool is_one_of(const std::vector<std::int64_t>& owners, std::int64_t uid) {
  return std::ranges::find(owners, uid) != owners.end();
}

struct Owner {
  std::int64_t uid = 0;
  Runs runs;            // newest first
  std::size_t all = 0;  // runs, those of loud logs too
};

// Takes out what one of an owner's logs alone says, and loudly. Others' logs have no say in it.
void leave_out_loud_logs(Runs& runs, const DatasetOf& data_of) {
  std::map<std::int64_t, Runs> logs;  // the one that was found first comes first
  for (const RunData& run : runs) logs[run.source_id].push_back(run);
  if (logs.size() < 2) return;
  std::set<std::int64_t> loud;
  for (const auto& [source, its] : logs) {
    const std::size_t share = std::max(kFreeRuns, (runs.size() - its.size()) / 2);
    if (its.size() > share && is_contradicted(its, logs, data_of)) loud.insert(source);
  }
  std::erase_if(runs, [&](const RunData& run) { return loud.contains(run.source_id); });
}

// In the order in which they came; behind all others those whose own runs can't be of one device.
std::vector<Owner> owners_of(const Runs& runs, const ModelKey& key, const DatasetOf& data_of) {
  std::map<std::pair<std::int64_t, std::int64_t>, Runs> by_place;
  for (const RunData& run : runs) by_place[{run.place, run.owner}].push_back(run);
  std::vector<Owner> out;
  for (auto& [place, its] : by_place) {
    Owner& owner = out.emplace_back(Owner{place.second, std::move(its), 0});
    owner.all = owner.runs.size();
    leave_out_loud_logs(owner.runs, data_of);
  }
  std::stable_partition(out.begin(), out.end(),
                        [&](const Owner& owner) { return !contradiction_of(key, data_of(owner.runs)); });
  return out;
}

// Owners who agree with each other.
struct Camp {
  std::vector<std::int64_t> owners;
  std::set<std::int64_t> runs;          // of theirs that count
  std::size_t left_out = 0;             // of theirs
  Dataset founders_runs;                // the first owner's
  std::optional<Model> founders_model;  // of these; none: nothing can be fitted from them
};

// What a camp's founder says of an owner's runs: of each by itself, for the middle one says nothing of the rest. Runs that
// can't be compared are neither.
struct Verdict {
  std::set<std::int64_t> agreeing;
  std::size_t contradicting = 0;
};

// Whether one model says something else than the other of any of these runs, which that one was fitted from. `settings`:
// of the very runs, or as who names none is told.
enum class Settings { named, left_out };
bool says_otherwise(const Model& model, const Model& other, const Dataset& runs, Settings settings) {
  return std::ranges::any_of(runs, [&](const RunObservation& run) {
    const auto covariates = settings == Settings::named ? run.covariates : regression::Covariates{};
    const auto before = other.expect(run.iterations, run.samples, covariates);
    const auto after = model.expect(run.iterations, run.samples, covariates);
    return before && after && before->seconds > 0 && after->seconds > 0 &&
           contradicts(std::abs(std::log(after->seconds / before->seconds)), runs.size());
  });
}

// Whether the founder's runs would be told something else once the others count beside them.
bool moves(const Camp& camp, const Dataset& others) {
  Dataset both = camp.founders_runs;
  both.insert(both.end(), others.begin(), others.end());
  const auto model = regression::fit(both);
  return model && says_otherwise(*model, *camp.founders_model, camp.founders_runs, Settings::named);
}

Verdict verdict_of(const Camp& camp, const Owner& owner, const DatasetOf& data_of) {
  Verdict out;
  if (!camp.founders_model) return out;
  const Dataset all = data_of(owner.runs);
  const std::size_t voices = std::min(camp.founders_runs.size(), all.size());
  Dataset within, outside;
  for (const RunObservation& run : all) {
    const auto off = distance(*camp.founders_model, run);
    if (!off) continue;
    if (contradicts(std::abs(*off), voices))
      ++out.contradicting;
    else
      (beyond(*camp.founders_model, run) > 0 ? outside : within).push_back(run);
  }
  // Far beyond the founder's batch sizes much is allowed, but not to turn the line within these.
  if (!outside.empty() && moves(camp, outside)) {
    out.contradicting += outside.size();
    outside.clear();
  }
  for (const Dataset& some : {within, outside})
    for (const RunObservation& run : some) out.agreeing.insert(run.run);
  return out;
}

// The camps of the owners, the one that speaks first. An owner is of the first one that most of his runs agree with.
std::vector<Camp> camps_of(const std::vector<Owner>& owners, const DatasetOf& data_of) {
  std::vector<Camp> camps;
  for (const Owner& owner : owners) {
    Verdict verdict;
    const auto same = std::ranges::find_if(camps, [&](const Camp& camp) {
      verdict = verdict_of(camp, owner, data_of);
      return verdict.agreeing.size() >= verdict.contradicting;
    });
    if (same == camps.end() && camps.size() == kMostCamps) continue;
    Camp& camp = same == camps.end() ? camps.emplace_back() : *same;
    camp.owners.push_back(owner.uid);
    camp.left_out += owner.all - owner.runs.size();
    if (camp.founders_model) {
      camp.runs.merge(verdict.agreeing);
      camp.left_out += verdict.contradicting;
      continue;
    }
    for (const RunData& run : owner.runs) camp.runs.insert(run.run_id);
    camp.founders_runs = data_of(owner.runs);
    if (owners.size() > 1) camp.founders_model = regression::fit(camp.founders_runs);
  }
  std::ranges::stable_sort(camps, std::ranges::greater{},
                           [](const Camp& camp) { return camp.owners.size(); });
  return camps;
}

// Whose runs contradict the others' in what they cost beside time loses that cost alone. A peak is the same however long a
// run is, and is compared as if each iteration took as much.
void leave_out_costs(Runs& runs, const ModelKey& key, std::optional<double> RunData::*cost,
                     std::vector<std::int64_t>& answered_by_own) {
  Runs known;
  std::map<std::int64_t, double> costs;
  for (const RunData& run : runs) {
    if (!(run.*cost > 0)) continue;
    known.push_back(run);
    costs[run.run_id] =
        *(run.*cost) * (cost == &RunData::peak_bytes ? static_cast<double>(run.iterations) : 1);
  }
  if (known.empty()) return;
  const DatasetOf data_of = [&](const Runs& its) {
    Dataset out = dataset_of(its, key.phase);
    for (RunObservation& run : out) run.seconds = costs.at(run.run);
    return out;
  };
  const std::vector<Owner> owners = owners_of(known, key, data_of);
  const Camp camp = camps_of(owners, data_of).front();
  for (RunData& run : runs)
    if (!camp.runs.contains(run.run_id)) (run.*cost).reset();
  for (const Owner& owner : owners)
    if (!is_one_of(camp.owners, owner.uid) && !is_one_of(answered_by_own, owner.uid))
      answered_by_own.push_back(owner.uid);
}

// Only now, among those who are believed: who is not takes nothing of theirs away. Of the first one's nothing is cut.
void share_out(Runs& runs, Phase phase, std::int64_t first) {
  std::vector<Evidence> all;
  const auto points = points_of(runs, phase);
  auto newer = static_cast<std::int64_t>(runs.size());
  for (std::size_t i = 0; i < runs.size(); ++i)
    all.push_back({newer--, runs[i].source_id, runs[i].owner, points[i]});
  Runs kept;  // newest first, as before
  for (const std::int64_t number : fair_share(std::move(all), runs.size(), kAlwaysTheirs, first))
    kept.push_back(std::move(runs[runs.size() - static_cast<std::size_t>(number)]));
  runs = std::move(kept);
}

// Owners to whom the model would say something else of their own runs than these do: it is of settings that are others', or
// some of their runs do not count.
void add_told_otherwise(const std::vector<Owner>& owners, const DatasetOf& data_of, ChosenRuns& out) {
  if (owners.size() < 2) return;
  const auto model = regression::fit(data_of(out.runs));
  for (const Owner& owner : owners) {
    if (!model || is_one_of(out.answered_by_own, owner.uid)) continue;
    const Dataset its = data_of(owner.runs);
    const auto own = regression::fit(its);
    if (!own) continue;
    const bool of_fewer_in_other_settings = own->runs > model->runs && own->covariates != model->covariates;
    if (of_fewer_in_other_settings || says_otherwise(*model, *own, its, Settings::left_out))
      out.answered_by_own.push_back(owner.uid);
  }
}

}  // namespace

ChosenRuns choose_evidence(std::vector<RunData> runs, const ModelKey& key) {
  ChosenRuns out;
  if (runs.empty()) return out;
  const DatasetOf data_of = [&key](const Runs& its) { return dataset_of(its, key.phase); };
  const std::vector<Owner> owners = owners_of(runs, key, data_of);
  Camp camp = std::move(camps_of(owners, data_of).front());
  std::vector<std::pair<std::size_t, std::int64_t>> others;
  for (const Owner& owner : owners) {
    if (is_one_of(camp.owners, owner.uid)) continue;
    others.emplace_back(owner.all, owner.uid);
    camp.left_out += owner.all;
  }
  std::ranges::sort(others, std::ranges::greater{});
  for (const auto& [count, uid] : others) out.answered_by_own.push_back(uid);
  std::erase_if(runs, [&](const RunData& run) { return !camp.runs.contains(run.run_id); });
  out.runs = std::move(runs);
  share_out(out.runs, key.phase, camp.owners.front());
  for (const auto cost : {&RunData::joules, &RunData::peak_bytes})
    leave_out_costs(out.runs, key, cost, out.answered_by_own);
  add_told_otherwise(owners, data_of, out);
  if (out.answered_by_own.size() > kMostAnsweredByOwn) out.answered_by_own.resize(kMostAnsweredByOwn);
  if (camp.left_out > 0) out.dispute = Dispute{std::move(camp.owners), static_cast<int>(camp.left_out)};
  return out;
}

}  // namespace etad::prediction
