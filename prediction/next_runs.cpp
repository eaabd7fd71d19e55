#include "prediction/next_runs.h"

#include <algorithm>
#include <array>
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

bool is_there(const Case& ran, const Case& asked) {
  return ran.host == asked.host && ran.device == asked.device;
}

// The runs that say most of it: the network's own there, those elsewhere, then others of its machine; the newest first.
estimators::History near(const Knowledge::Data& data, const Asked& asked) {
  std::array<estimators::History, 3> all;
  for (const auto& [key, runs] : data)
    for (const estimators::Datum& run : runs) {
      const bool there = is_there(run.what, asked.what);
      if (run.what.network == asked.what.network)
        all[there ? 0 : 1].push_back(run);
      else if (there)
        all[2].push_back(run);
    }
  estimators::History out;
  for (estimators::History& some : all) {
    std::ranges::stable_sort(some, std::ranges::greater{}, &estimators::Datum::started_at);
    out.insert(out.end(), some.begin(), some.end());
  }
  if (out.size() > kMostListened) out.resize(kMostListened);
  return out;
}

// Samples per device that are worth a run, and on how many devices.
std::vector<Case> cases_of(const Knowledge::Data& data, const Asked& asked, const Question& question) {
  double least = asked.what.samples_per_device(), most = least;
  std::set<double> devices = {asked.what.devices}, of_others;
  for (const auto& [key, runs] : data)
    for (const estimators::Datum& run : runs) {
      const bool network = run.what.network == asked.what.network;
      if (run.what.device == asked.what.device) (network ? devices : of_others).insert(run.what.devices);
      if (!network || run.what.phase != asked.what.phase || !is_there(run.what, asked.what)) continue;
      least = std::min(least, run.what.samples_per_device());
      most = std::max(most, run.what.samples_per_device());
    }
  // Those that the network ran on come before those of others.
  for (const double k : of_others)
    if (devices.size() < kMostDeviceCounts) devices.insert(k);
  for (auto last = devices.end(); devices.size() > kMostDeviceCounts;)
    if (--last; *last != asked.what.devices) last = devices.erase(last);
  if (question.devices) devices = {asked.what.devices};
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
