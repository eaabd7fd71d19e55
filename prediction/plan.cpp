#include "prediction/plan.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string_view>

#include "regression/covariates.h"

namespace etad::prediction {
namespace {

double number_of(const Run& run, const char* name) {
  double value = 0;
  const std::string_view text = regression::setting_of(run.settings, name);
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value > 0 ? value : 0;
}

std::optional<double> samples_of(const PhaseSummary& phase) {
  if (!phase.samples_per_iteration || *phase.samples_per_iteration <= 0) return std::nullopt;
  return static_cast<double>(*phase.samples_per_iteration);
}

}  // namespace

regression::Plan plan_of(const Run& run) {
  regression::Plan plan;
  plan.iteration = static_cast<double>(run.iteration.value_or(run.first_iteration.value_or(0)));
  plan.max_iterations = static_cast<double>(run.max_iterations.value_or(0));
  plan.test_interval = number_of(run, "test_interval");
  plan.test_iterations = number_of(run, "test_iter");
  plan.snapshot_interval = number_of(run, "snapshot");
  plan.snapshots = static_cast<double>(run.snapshots);
  plan.snapshot_seconds = to_seconds(run.snapshot_time);
  plan.waits = static_cast<double>(run.stalls);
  const auto train = samples_of(run.train), test = samples_of(run.test);
  if (train && test) plan.test_load = *test / *train;
  return plan;
}

regression::Plan plan_of_seen(regression::Plan plan, const Run& run,
                              const std::vector<regression::RunInterval>& seen) {
  double iterations = 0;
  for (const regression::RunInterval& interval : seen) iterations += interval.test ? 0 : interval.iterations;
  const auto all = static_cast<double>(run.train.iterations);
  const double share = iterations > 0 && iterations < all ? iterations / all : 1;
  for (double* const each : {&plan.snapshots, &plan.snapshot_seconds, &plan.waits}) *each *= share;
  return plan;
}

// Not by way of nanoseconds, of which 64 bits reach to the year 2262 only.
double epoch_seconds(Instant at) {
  return std::chrono::duration<double>(at.time_since_epoch()).count();
}

regression::RunInterval interval_of(const Segment& segment) {
  regression::RunInterval out{segment.phase == Phase::test, static_cast<double>(segment.iterations),
                              to_seconds(segment.duration), static_cast<double>(segment.first_iteration)};
  if (segment.started_at) out.at = epoch_seconds(*segment.started_at);
  return out;
}

std::optional<regression::Prediction> per_iteration(const regression::Model& model, const Run& run,
                                                    Phase phase, double done, double left,
                                                    double confidence) {
  const double ahead = std::max(left > 0 ? left : std::max(done, model.iterations.max), 1.0);
  const auto samples = samples_of(phase == Phase::train ? run.train : run.test);
  const auto settings = regression::covariates_of(run.settings, phase == Phase::train);
  auto prediction = model.predict(done + ahead, samples, confidence, settings);
  if (!prediction) return std::nullopt;
  const auto behind = model.expect(done, samples.value_or(0), settings);
  const double share = (1 - (behind ? behind->seconds / prediction->seconds : 0)) / ahead;
  prediction->seconds *= share;
  prediction->lower *= share;
  prediction->upper *= share;
  return prediction;
}

}  // namespace etad::prediction
