#include "prediction/like.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "parsers/base/number.h"
#include "prediction/plan.h"
#include "prediction/tokens.h"
#include "regression/covariates.h"

namespace etad::prediction {
namespace {

template <class T>
void otherwise(std::optional<T>& asked, const T& has) {
  if (!asked) asked = has;
}

std::int64_t whole(double value) {
  return static_cast<std::int64_t>(std::llround(value));
}

}  // namespace

Question like(const Run& run, Question asked) {
  const bool elsewhere = asked.device || asked.host || asked.framework;
  if (!asked.network && !asked.architecture) {
    asked.network = run.network;
    if (!run.architecture.empty()) asked.architecture = run.architecture;
  }
  if (!elsewhere) {
    otherwise(asked.framework, run.framework);
    otherwise(asked.host, run.host);
    otherwise(asked.device, run.device);
  }
  otherwise(asked.devices, run.devices);
  const bool test = asked.phase == Question::Phase::test;
  const PhaseSummary& main = test ? run.test : run.train;
  if (!asked.batch_size && !asked.tokens) {
    asked.batch_size = main.samples_per_iteration;
    // As many samples each on another number of devices.
    if (asked.batch_size && run.devices > 0 && *asked.devices > 0)
      *asked.batch_size = *asked.batch_size * *asked.devices / run.devices;
  }
  if (asked.iterations == 0 && !asked.epochs) {
    asked.iterations = test ? run.test.iterations : run.max_iterations.value_or(run.train.iterations);
  }
  std::vector<std::string> names = regression::covariate_names();
  std::ranges::move(regression::table_settings(run.settings), std::back_inserter(names));
  for (const std::string& name : names) {
    const auto found = run.settings.find(name);
    if (found != run.settings.end() && !found->second.empty())
      asked.settings.try_emplace(name, found->second);
  }
  if (const auto size = run.settings.find("dataset_size");
      size != run.settings.end() && !asked.samples_per_epoch) {
    std::string digits = size->second;
    std::erase(digits, ',');  // as histories of before may have it
    const auto samples = parse_number<std::int64_t>(digits, 1, std::numeric_limits<std::int64_t>::max());
    if (samples) asked.samples_per_epoch = samples;
  }
  if (asked.phase == Question::Phase::total) {
    const regression::Plan plan = plan_of(run);
    const bool tests = plan.test_interval > 0 && plan.test_iterations > 0;
    otherwise(asked.test_interval, tests ? whole(plan.test_interval) : std::int64_t{0});
    if (tests) otherwise(asked.test_iterations, whole(plan.test_iterations));
    if (tests && !asked.test_batch_size) asked.test_batch_size = run.test.samples_per_iteration;
    if (plan.snapshot_interval > 0) otherwise(asked.snapshot_interval, whole(plan.snapshot_interval));
  }
  return asked;
}

bool count_epochs(Question& question) {
  if (!question.epochs) return true;
  count_tokens(question);
  if (!question.samples_per_epoch || !question.batch_size) return false;
  const double samples = *question.epochs * static_cast<double>(*question.samples_per_epoch);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const double iterations = std::ceil(samples / static_cast<double>(*question.batch_size) - 1e-9);
  const bool fits = iterations < static_cast<double>(kMost);
  question.iterations = fits ? std::max<std::int64_t>(1, static_cast<std::int64_t>(iterations)) : kMost;
  return true;
}

}  // namespace etad::prediction
