#include "daemon/service/live.h"

#include <algorithm>
#include <charconv>

#include "regression/traits.h"

namespace etad::service {
namespace {

// As many running runs are remembered; more are worked out anew each time.
constexpr std::size_t kMostRuns = 256;
// Of a run's segments the newest count: an hour of one-second windows, and far more than any estimate needs.
constexpr std::int64_t kMostStretches = 4096;
constexpr double kConfidence = 0.9;

double setting(const Run& run, const char* name) {
  const auto found = run.settings.find(name);
  if (found == run.settings.end()) return 0;
  double value = 0;
  const std::string& text = found->second;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value > 0 ? value : 0;
}

const FittedModel* model_of(const ModelSet& models, const Run& run, Phase phase) {
  const ModelKey key{run.network, run.architecture, run.framework, run.host, run.device, run.devices, phase};
  const auto found = std::find_if(models.models.begin(), models.models.end(),
                                  [&](const FittedModel& each) { return each.key == key; });
  return found != models.models.end() ? &*found : nullptr;
}

// What the model says of one iteration, as a share of the `iterations` that lie ahead: what a run costs once
// (its c0) is behind a running one and must not count for each iteration.
std::optional<regression::Prediction> per_iteration(const FittedModel* fitted, const Run& run, Phase phase,
                                                    double iterations) {
  if (fitted == nullptr) return std::nullopt;
  const auto& seen = phase == Phase::train ? run.train : run.test;
  std::optional<double> samples;
  if (seen.samples_per_iteration) samples = static_cast<double>(*seen.samples_per_iteration);
  const auto traits = regression::traits_of(run.settings, phase == Phase::train);
  const double n = std::max(iterations, 1.0);
  auto prediction = fitted->model.predict(n, samples, kConfidence, traits);
  if (!prediction) return std::nullopt;
  prediction->seconds /= n;
  prediction->lower /= n;
  prediction->upper /= n;
  return prediction;
}

bool earlier(const Segment& a, const Segment& b) {
  if (a.started_at && b.started_at && *a.started_at != *b.started_at) return *a.started_at < *b.started_at;
  if (a.first_iteration != b.first_iteration) return a.first_iteration < b.first_iteration;
  return a.phase == Phase::test && b.phase == Phase::train;  // a test comes before the training it precedes
}

}  // namespace

regression::Plan plan_of(const Run& run) {
  regression::Plan plan;
  plan.iteration = static_cast<double>(run.iteration.value_or(run.first_iteration.value_or(0)));
  plan.max_iterations = static_cast<double>(run.max_iterations.value_or(0));
  plan.test_interval = setting(run, "test_interval");
  plan.test_iterations = setting(run, "test_iter");
  plan.snapshot_interval = setting(run, "snapshot");
  plan.snapshots = static_cast<double>(run.snapshots);
  plan.snapshot_seconds = to_seconds(run.snapshot_time);
  return plan;
}

LiveRuns::Known& LiveRuns::known(std::int64_t run_id) {
  if (runs_.size() >= kMostRuns && runs_.find(run_id) == runs_.end()) {
    runs_.erase(std::min_element(runs_.begin(), runs_.end(),
                                 [](const auto& a, const auto& b) { return a.second.used < b.second.used; }));
  }
  Known& out = runs_[run_id];
  out.used = ++requests_;
  return out;
}

void LiveRuns::read_stretches(const RunRow& row, Known& known) {
  known.segments = row.run.train.segments + row.run.test.segments;
  const std::int64_t from = std::max<std::int64_t>(0, known.segments - kMostStretches);
  auto segments = reader_.segments(row.id, from, kMostStretches);
  if (!segments) return;
  std::stable_sort(segments->begin(), segments->end(), earlier);
  known.stretches.clear();
  for (const Segment& each : *segments) {
    known.stretches.push_back({each.phase == Phase::test, static_cast<double>(each.iterations),
                               to_seconds(each.duration), static_cast<double>(each.first_iteration)});
  }
}

void LiveRuns::answer(const Run& run, const ModelSet& models, Known& known) {
  const regression::Plan plan = plan_of(run);
  const double left = plan.max_iterations - plan.iteration;
  const double phases = plan.test_interval > 0 ? left / plan.test_interval + 1 : 1;
  const auto train = per_iteration(model_of(models, run, Phase::train), run, Phase::train, left);
  const auto test =
      per_iteration(model_of(models, run, Phase::test), run, Phase::test, phases * plan.test_iterations);
  known.answer.remaining = regression::remaining(known.stretches, plan, train, test, kConfidence);
  known.answer.anomaly = train ? regression::anomaly(known.stretches, *train) : std::nullopt;
}

Outlook LiveRuns::outlook(const RunRow& row, const std::shared_ptr<const ModelSet>& models) {
  const Run& run = row.run;
  if (run.state != RunState::running || run.job != Job::train || !run.max_iterations) {
    runs_.erase(row.id);
    return {};
  }
  if (models_ != models) {
    models_ = models;
    ++models_number_;
  }
  Known& known = this->known(row.id);
  const bool grown = known.segments != run.train.segments + run.test.segments;
  const std::int64_t iteration = run.iteration.value_or(0);
  if (!grown && known.iteration == iteration && known.models == models_number_) return known.answer;
  if (grown || known.iteration < 0) read_stretches(row, known);
  known.iteration = iteration;
  known.models = models_number_;
  answer(run, *models, known);
  return known.answer;
}

}  // namespace etad::service
