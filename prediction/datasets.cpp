#include "prediction/datasets.h"
#include "prediction/plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "regression/covariates.h"
#include "regression/lost_time.h"
#include "regression/noise.h"
#include "storage/thin.h"

namespace etad::prediction {
namespace {

Spread spread_in(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.05), at(0.95), static_cast<int>(values.size())};
}

// Of the runs that have such a value. Of several owners' that of the one in the middle, of two in the middle that of who
// was there first: these values agree with nothing, and nobody is to say alone what others are told. Whose runs have none
// says that there is none.
template <class ValueOf>
std::optional<Spread> spread_of(const std::vector<RunData>& runs, const ValueOf& value_of) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> by_place;
  for (const RunData& run : runs) {
    std::vector<double>& its = by_place[{run.place, run.owner}];
    if (const std::optional<double> value = value_of(run)) its.push_back(*value);
  }
  if (by_place.empty()) return std::nullopt;
  std::vector<std::pair<Spread, std::size_t>> owners;  // and who was there first
  for (auto& [place, values] : by_place)
    owners.emplace_back(values.empty() ? Spread{} : spread_in(std::move(values)), owners.size());
  std::ranges::stable_sort(owners, {}, [](const auto& owner) { return owner.first.median; });
  const auto &low = owners[(owners.size() - 1) / 2], &high = owners[owners.size() / 2];
  const Spread& said = (high.second < low.second ? high : low).first;
  return said.runs > 0 ? std::optional(said) : std::nullopt;
}

// Where the lines with the measurements have no clock, what the run took beside all that it measured: it is not known when
// that was, but most of it is before the first iteration.
std::optional<double> startup_in(const RunData& run) {
  if (run.startup) return to_seconds(*run.startup);
  const bool dated =
      std::ranges::any_of(run.windows, [](const Segment& each) { return each.started_at.has_value(); });
  if (dated || !run.started_at || !run.ended_at) return std::nullopt;
  const Duration rest = *run.ended_at - *run.started_at - run.duration - run.tested - run.snapshot_time;
  return rest > Duration::zero() ? std::optional(to_seconds(rest)) : std::nullopt;
}

}  // namespace

RunData run_data_of(const Run& run, const std::vector<Segment>& segments, Phase phase) {
  RunData out;
  const auto& summary = phase == Phase::train ? run.train : run.test;
  out.samples_per_iteration = summary.samples_per_iteration.value_or(0);
  out.started_at = run.started_at;
  out.ended_at = run.ended_at;
  out.settings = run.settings;
  out.loss_is_nan = run.loss_is_nan;
  out.startup = run.startup;
  out.snapshot_time = run.snapshot_time;
  out.snapshots = run.snapshots;
  if (phase == Phase::train) out.tested = run.test.duration;
  for (const Segment& each : segments) {
    if (each.phase != phase) continue;
    out.iterations += each.iterations;
    out.duration += each.duration;
    out.windows.push_back(each);
  }
  thin(out.windows, kMaxWindows);
  return out;
}

regression::RunObservation observation_of(const RunData& run, Phase phase) {
  regression::RunObservation out;
  out.run = run.run_id;
  out.owner = run.owner;
  out.place = run.place;
  out.samples = static_cast<double>(run.samples_per_iteration);
  out.iterations = static_cast<double>(run.iterations);
  out.seconds = to_seconds(run.duration);
  out.covariates = regression::covariates_of(run.settings, phase == Phase::train);
  if (run.started_at) out.started_at = epoch_seconds(*run.started_at);
  if (run.ended_at) out.ended_at = epoch_seconds(*run.ended_at);
  std::vector<regression::Window> windows;
  for (const Segment& window : run.windows)
    windows.push_back({static_cast<double>(window.iterations), to_seconds(window.duration)});
  out.within = regression::within_run(windows);
  return out;
}

std::vector<std::int64_t> points_of(const std::vector<RunData>& runs, Phase phase) {
  std::map<std::pair<std::int64_t, regression::Covariates>, std::int64_t> points;
  std::vector<std::int64_t> out;
  for (const RunData& run : runs) {
    auto covariates = regression::covariates_of(run.settings, phase == Phase::train);
    const auto number = static_cast<std::int64_t>(points.size());
    out.push_back(
        points.try_emplace({run.samples_per_iteration, std::move(covariates)}, number).first->second);
  }
  return out;
}

regression::Dataset dataset_of(const std::vector<RunData>& runs, Phase phase) {
  std::set<std::int64_t> converged;  // owners of runs that did
  for (const RunData& run : runs)
    if (!run.loss_is_nan) converged.insert(run.owner);
  regression::Dataset out;
  for (const RunData& run : runs) {
    if (run.iterations <= 0 || run.duration <= Duration::zero()) continue;
    if (run.loss_is_nan && converged.contains(run.owner)) continue;
    out.push_back(observation_of(run, phase));
  }
  return out;
}

std::optional<Spread> startup_of(const std::vector<RunData>& runs) {
  return spread_of(runs, [](const RunData& run) { return startup_in(run); });
}

std::optional<Spread> snapshot_of(const std::vector<RunData>& runs) {
  return spread_of(runs, [](const RunData& run) {
    const auto snapshots = static_cast<double>(run.snapshots);
    return snapshots > 0 ? std::optional(to_seconds(run.snapshot_time) / snapshots) : std::nullopt;
  });
}

std::optional<Spread> other_of(const std::vector<RunData>& runs) {
  return spread_of(runs, [](const RunData& run) -> std::optional<double> {
    if (run.iterations <= 0) return std::nullopt;
    std::vector<regression::RunInterval> windows;
    for (const Segment& each : run.windows) windows.push_back(interval_of(each));
    const auto done = static_cast<double>(run.iterations);
    return regression::other_share(windows, to_seconds(run.duration) / done,
                                   to_seconds(run.tested + run.snapshot_time) / done);
  });
}

}  // namespace etad::prediction
