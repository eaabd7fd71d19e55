#include "prediction/next_runs.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "prediction/estimate.h"
#include "prediction/selection.h"
#include "regression/estimators/design.h"
#include "regression/statistics.h"

namespace etad::prediction {
namespace {

using estimators::Case;

constexpr std::size_t kMostListened = 120;    // runs, of the network first: a plan needs many fits of them
constexpr std::size_t kMostDeviceCounts = 4;  // numbers of devices that are tried
constexpr double kLongEnough = 60;            // seconds that a run must last to tell its step time
constexpr double kFewest = 20, kMostIterations = 10'000;

// The runs that say most of it: the network's own, then those of its machine.
estimators::History near(const Knowledge::Data& data, const Asked& asked) {
  estimators::History own, beside;
  for (const auto& [key, runs] : data)
    for (const estimators::Datum& run : runs) {
      const bool network = run.what.network == asked.what.network;
      const bool machine = run.what.host == asked.what.host && run.what.device == asked.what.device;
      if (network) own.push_back(run);
      if (!network && machine) beside.push_back(run);
    }
  const auto newest_first = [](estimators::History& of) {
    std::ranges::stable_sort(of, std::ranges::greater{}, &estimators::Datum::started_at);
  };
  newest_first(own), newest_first(beside);
  own.insert(own.end(), beside.begin(), beside.end());
  if (own.size() > kMostListened) own.resize(kMostListened);
  return own;
}

// Samples per device that are worth a run, and on how many devices.
std::vector<Case> cases_of(const Knowledge::Data& data, const Asked& asked, const Question& question) {
  double least = asked.what.samples_per_device(), most = least;
  std::set<double> devices = {asked.what.devices};
  for (const auto& [key, runs] : data)
    for (const estimators::Datum& run : runs) {
      if (run.what.device == asked.what.device) devices.insert(run.what.devices);
      if (run.what.network != asked.what.network || run.what.phase != asked.what.phase) continue;
      least = std::min(least, run.what.samples_per_device());
      most = std::max(most, run.what.samples_per_device());
    }
  if (question.devices) devices = {asked.what.devices};
  while (devices.size() > kMostDeviceCounts) devices.erase(std::prev(devices.end()));
  std::set<double> sizes = {std::round(least), std::round(most)};
  for (double size = 1; size <= 2 * most && size < 1e9; size *= 2)
    if (2 * size >= least) sizes.insert(size);
  std::vector<Case> out;
  for (const double k : devices)
    for (const double size : sizes) {
      Case what = asked.what;
      what.devices = k;
      what.samples = size * k;
      out.push_back(std::move(what));
    }
  return out;
}

// Where the network ran on several numbers of devices, any of them: all are tried.
Answer<Deployment> deployment_of(Models& models, const Question& question) {
  auto out = select(models, question);
  if (out || out.error().kind != Refusal::Kind::ambiguous) return out;
  const auto& differences = out.error().differences;
  if (differences.size() != 1 || differences.front().parameter != "devices") return out;
  Question one = question;
  one.devices = out.error().known.front().key.devices;
  return select(models, one);
}

}  // namespace

Answer<NextRuns> next_runs(const ModelSet& models, const Question& question, double budget,
                           std::size_t most) {
  const auto chosen = deployment_of(*models.models, question);
  if (!chosen) return refuse(chosen.error());
  const Phase phase = question.phase == Question::Phase::test ? Phase::test : Phase::train;
  const FittedModel& fitted = phase == Phase::test ? *chosen->test : *chosen->train;
  NextRuns out;
  out.key = fitted.key;
  if (!models.knowledge) return out;
  Question exact = about(out.key, question);
  exact.devices = question.devices;
  const auto asked = models.knowledge->asked(exact, phase, question.batch_size, *models.models);
  if (!asked) return out;
  const auto tried = cases_of(models.knowledge->data(), *asked, question);
  std::vector<estimators::Candidate> candidates;
  std::vector<double> iterations;
  for (const Case& what : tried) {
    const auto said = models.knowledge->ask(what, question.confidence);
    if (!said || !(said->value > 0)) continue;
    const double n = std::clamp(std::ceil(kLongEnough / said->value), kFewest, kMostIterations);
    candidates.push_back({what, n * said->value + (fitted.startup ? fitted.startup->median : 0)});
    iterations.push_back(n);
  }
  const bool one = question.batch_size || question.devices;
  const auto questions =
      one ? std::vector<estimators::Wanted>{{asked->what}} : estimators::to_choose_among(tried);
  const double reach = regression::normal_quantile((1 + question.confidence) / 2);
  const auto half_width = [&](double deviation) { return 100 * std::expm1(reach * deviation); };
  const auto history = near(models.knowledge->data(), *asked);
  for (const estimators::Planned& run : estimators::plan_runs(history, candidates, questions, budget, most)) {
    const estimators::Candidate& candidate = candidates[run.candidate];
    out.runs.push_back({static_cast<std::int64_t>(candidate.what.samples),
                        static_cast<std::int64_t>(candidate.what.devices),
                        static_cast<std::int64_t>(iterations[run.candidate]), candidate.cost,
                        half_width(run.before), half_width(run.after)});
  }
  return out;
}

}  // namespace etad::prediction
