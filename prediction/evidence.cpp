#include "prediction/evidence.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "prediction/datasets.h"
#include "regression/statistics.h"
#include "storage/fair_share.h"

namespace etad::prediction {
namespace {

using Runs = std::vector<RunData>;
using regression::Model;
using regression::RunObservation;

constexpr double kFew = 0.4;      // by how much a single run may be off, in the logarithm of time
constexpr double kBeyond = 0.5;   // and a batch size beyond those seen, for each e-fold
constexpr double kUnheard = 0.7;  // and a setting never seen: a factor of two

// By how much a run may be off for no other reason than that the model has seen nothing like it.
double allowance(const Model& model, const RunObservation& run) {
  double out = 0;
  if (run.samples > 0 && model.samples.min > 0) {
    const double nearest = std::clamp(run.samples, model.samples.min, model.samples.max);
    out += kBeyond * std::abs(std::log(run.samples / nearest));
  }
  const bool unheard = std::ranges::any_of(run.covariates, [&](const auto& covariate) {
    return !std::ranges::binary_search(model.covariates, covariate);
  });
  return unheard ? out + kUnheard : out;
}

// How far the middle one of the runs is from the model, in the logarithm of time and beyond what is allowed;
// 0 where the model can't be asked: that is no contradiction.
double distance(const Model& model, const Runs& runs, Phase phase) {
  std::vector<double> ratios;
  for (const RunObservation& run : dataset_of(runs, phase)) {
    const auto expected = model.expect(run.iterations, run.samples, run.covariates);
    if (!expected || !(expected->seconds > 0)) continue;
    const double ratio = std::log(run.seconds / expected->seconds);
    ratios.push_back(std::copysign(std::max(0.0, std::abs(ratio) - allowance(model, run)), ratio));
  }
  return ratios.empty() ? 0 : std::abs(regression::median(std::move(ratios)));
}

// `voices`: runs, or logs, of the side with fewer.
bool contradicts(double distance, std::size_t voices) {
  return distance >
         std::log(kAgree) + kFew / std::sqrt(static_cast<double>(std::max<std::size_t>(voices, 1)));
}

// Owners who agree with each other.
struct Camp {
  std::vector<std::int64_t> owners;
  std::optional<Model> founder;  // of the first owner's runs; none: nothing can be fitted from them
  std::size_t founded_on = 0;    // runs
};

struct Owner {
  std::int64_t uid = 0;
  Runs runs;  // newest first
};

// Who was there first comes first.
std::vector<Owner> owners_of(const Runs& runs) {
  std::map<std::int64_t, Runs> by_uid;
  for (const RunData& run : runs) by_uid[run.owner].push_back(run);
  std::vector<Owner> out;
  for (auto& [uid, its] : by_uid) out.push_back({uid, std::move(its)});
  std::ranges::stable_sort(out, {}, [](const Owner& owner) { return owner.runs.front().place; });
  return out;
}

// The camps of the owners, the one that speaks first.
std::vector<Camp> camps_of(const std::vector<Owner>& owners, Phase phase) {
  std::vector<Camp> camps;
  for (const Owner& owner : owners) {
    const auto same = std::ranges::find_if(camps, [&](const Camp& camp) {
      if (!camp.founder) return true;
      const double off = distance(*camp.founder, owner.runs, phase);
      return !contradicts(off, std::min(camp.founded_on, owner.runs.size()));
    });
    if (same == camps.end() && camps.size() == kMostCamps) continue;
    Camp& camp = same == camps.end() ? camps.emplace_back() : *same;
    if (!camp.founder) {
      camp.founder = regression::fit(dataset_of(owner.runs, phase));
      camp.founded_on = owner.runs.size();
    }
    camp.owners.push_back(owner.uid);
  }
  std::ranges::stable_sort(camps, std::ranges::greater{},
                           [](const Camp& camp) { return camp.owners.size(); });
  return camps;
}

// The runs of the owners who are believed. The rest goes to `left_out`.
Runs believed(Runs runs, Phase phase, std::vector<std::int64_t>& owners, Runs& left_out,
              std::vector<std::int64_t>& dissenters) {
  const std::vector<Owner> all = owners_of(runs);
  owners = std::move(camps_of(all, phase).front().owners);
  const auto rest = std::stable_partition(runs.begin(), runs.end(), [&](const RunData& run) {
    return std::ranges::find(owners, run.owner) != owners.end();
  });
  left_out.assign(std::make_move_iterator(rest), std::make_move_iterator(runs.end()));
  runs.erase(rest, runs.end());
  std::vector<std::pair<std::size_t, std::int64_t>> others;
  for (const Owner& owner : all)
    if (std::ranges::find(owners, owner.uid) == owners.end())
      others.emplace_back(owner.runs.size(), owner.uid);
  std::ranges::sort(others, std::ranges::greater{});
  for (const auto& [count, uid] : others) dissenters.push_back(uid);
  return runs;
}

// Only now, among those who are believed: who is not takes nothing of theirs away.
void share_out(Runs& runs) {
  std::vector<Evidence> all;
  auto newer = static_cast<std::int64_t>(runs.size());
  for (const RunData& run : runs) all.push_back({newer--, run.source_id, run.owner});
  const auto kept = fair_share(std::move(all), runs.size());
  newer = static_cast<std::int64_t>(runs.size());
  std::erase_if(runs, [&](const RunData&) {
    return !std::ranges::binary_search(kept, newer--, std::ranges::greater());
  });
}

// Whether a log's runs contradict those of most other logs, or of the one other that was there first.
bool is_contradicted(const Runs& its, const std::map<std::int64_t, Runs>& logs, std::int64_t first,
                     Phase phase) {
  const auto model = regression::fit(dataset_of(its, phase));
  if (!model) return false;
  std::vector<double> distances;
  for (const auto& [source, runs] : logs) {
    if (source == its.front().source_id) continue;
    distances.push_back(distance(*model, runs, phase));
  }
  // The middle one, or the better of the two: its own voice counts too.
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>((distances.size() - 1) / 2);
  std::ranges::nth_element(distances, middle);
  if (!contradicts(*middle, std::min(distances.size(), its.size()))) return false;
  return distances.size() > 1 || first != its.front().source_id;
}

// Takes out what one log alone says, and loudly.
void leave_out_loud_logs(Runs& runs, Phase phase, Runs& left_out) {
  std::map<std::int64_t, Runs> logs;
  for (const RunData& run : runs) logs[run.source_id].push_back(run);
  if (logs.size() < 2) return;
  // Of one owner's the one that was found first.
  const std::int64_t first = std::ranges::min_element(runs, {}, [](const RunData& run) {
                               return std::pair(run.place, run.source_id);
                             })->source_id;
  std::set<std::int64_t> loud;
  for (const auto& [source, its] : logs) {
    const std::size_t share = std::max(kFreeRuns, (runs.size() - its.size()) / 2);
    if (its.size() > share && is_contradicted(its, logs, first, phase)) loud.insert(source);
  }
  const auto rest = std::stable_partition(runs.begin(), runs.end(),
                                          [&](const RunData& run) { return !loud.contains(run.source_id); });
  left_out.insert(left_out.end(), rest, runs.end());
  runs.erase(rest, runs.end());
}

}  // namespace

Evidenced choose_evidence(std::vector<RunData> runs, Phase phase) {
  Evidenced out;
  if (runs.empty()) return out;
  const bool one_owner =
      std::ranges::all_of(runs, [&](const RunData& run) { return run.owner == runs.front().owner; });
  std::vector<std::int64_t> owners{runs.front().owner};
  Runs left_out;
  out.runs = one_owner ? std::move(runs) : believed(std::move(runs), phase, owners, left_out, out.dissenters);
  share_out(out.runs);
  leave_out_loud_logs(out.runs, phase, left_out);
  if (!left_out.empty()) out.dispute = Dispute{std::move(owners), static_cast<int>(left_out.size())};
  return out;
}

}  // namespace etad::prediction
