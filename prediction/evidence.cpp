#include "prediction/evidence.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "prediction/datasets.h"
#include "regression/statistics.h"

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
  Runs runs;
  std::optional<Model> founder;  // of the first owner's runs; none: nothing can be fitted from them
  std::size_t founded_on = 0;    // runs
  std::int64_t first_run = 0;
};

void append(Runs& to, Runs& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Each owner's runs, newest first; who was there first comes first.
std::vector<Runs> by_owner(Runs runs) {
  std::map<std::int64_t, Runs> owners;
  for (RunData& run : runs) owners[run.owner].push_back(std::move(run));
  std::vector<Runs> out;
  for (auto& [uid, its] : owners) out.push_back(std::move(its));
  std::ranges::sort(out, {}, [](const Runs& its) { return its.back().run_id; });
  return out;
}

// The camps of the owners, the one that speaks first. The runs of who belongs to none go to `left_out`.
std::vector<Camp> camps_of(std::vector<Runs> owners, Phase phase, Runs& left_out) {
  std::vector<Camp> camps;
  for (Runs& runs : owners) {
    const auto same = std::ranges::find_if(camps, [&](const Camp& camp) {
      return !camp.founder ||
             !contradicts(distance(*camp.founder, runs, phase), std::min(camp.founded_on, runs.size()));
    });
    if (same == camps.end() && camps.size() == kMostCamps) {
      append(left_out, runs);
      continue;
    }
    Camp& camp = same == camps.end() ? camps.emplace_back() : *same;
    if (!camp.founder) {
      camp.founder = regression::fit(dataset_of(runs, phase));
      camp.founded_on = runs.size();
    }
    if (camp.owners.empty()) camp.first_run = runs.back().run_id;
    camp.owners.push_back(runs.front().owner);
    append(camp.runs, runs);
  }
  std::ranges::stable_sort(camps, [](const Camp& a, const Camp& b) {
    return a.owners.size() != b.owners.size() ? a.owners.size() > b.owners.size() : a.first_run < b.first_run;
  });
  return camps;
}

// The runs of the owners who are believed. The rest goes to `left_out`.
Runs believed(Runs runs, Phase phase, std::vector<std::int64_t>& owners, Runs& left_out,
              std::vector<std::int64_t>& dissenters) {
  auto camps = camps_of(by_owner(std::move(runs)), phase, left_out);
  owners = std::move(camps.front().owners);
  Runs out = std::move(camps.front().runs);
  for (std::size_t i = 1; i < camps.size(); ++i) append(left_out, camps[i].runs);
  std::map<std::int64_t, std::size_t> counts;
  for (const RunData& run : left_out) ++counts[run.owner];
  std::vector<std::pair<std::size_t, std::int64_t>> others;
  for (const auto& [uid, count] : counts) others.emplace_back(count, uid);
  std::ranges::sort(others, std::ranges::greater{});
  for (const auto& [count, uid] : others) dissenters.push_back(uid);
  std::ranges::sort(out, std::ranges::greater{}, &RunData::run_id);
  return out;
}

// Whether a log's runs contradict those of most other logs, or of the one other that was there first.
bool is_contradicted(const Runs& its, const std::map<std::int64_t, Runs>& logs, Phase phase) {
  const auto model = regression::fit(dataset_of(its, phase));
  if (!model) return false;
  std::vector<double> distances;
  std::int64_t others_first = its.front().run_id;
  for (const auto& [source, runs] : logs) {
    if (source == its.front().source_id) continue;
    distances.push_back(distance(*model, runs, phase));
    others_first = std::min(others_first, runs.back().run_id);
  }
  // The middle one, or the better of the two: its own voice counts too.
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>((distances.size() - 1) / 2);
  std::ranges::nth_element(distances, middle);
  if (!contradicts(*middle, std::min(distances.size(), its.size()))) return false;
  return distances.size() > 1 || others_first < its.back().run_id;
}

// Takes out what one log alone says, and loudly.
void leave_out_loud_logs(Runs& runs, Phase phase, Runs& left_out) {
  std::map<std::int64_t, Runs> logs;
  for (const RunData& run : runs) logs[run.source_id].push_back(run);
  if (logs.size() < 2) return;
  std::set<std::int64_t> loud;
  for (const auto& [source, its] : logs) {
    const std::size_t share = std::max(kFreeRuns, (runs.size() - its.size()) / 2);
    if (its.size() > share && is_contradicted(its, logs, phase)) loud.insert(source);
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
  leave_out_loud_logs(out.runs, phase, left_out);
  if (!left_out.empty()) out.dispute = Dispute{std::move(owners), static_cast<int>(left_out.size())};
  return out;
}

}  // namespace etad::prediction
