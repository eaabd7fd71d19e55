#include "prediction/like.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/base/number.h"
#include "prediction/knowledge.h"
#include "prediction/names.h"
#include "prediction/plan.h"
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

// The tests and snapshots of a whole training.
void plan_like(const Run& run, Question& asked) {
  const regression::Plan plan = plan_of(run);
  const bool tests = plan.test_interval > 0 && plan.test_iterations > 0;
  otherwise(asked.test_interval, tests ? whole(plan.test_interval) : std::int64_t{0});
  if (tests) otherwise(asked.test_iterations, whole(plan.test_iterations));
  if (tests && !asked.test_batch_size) asked.test_batch_size = run.test.samples_per_iteration;
  if (plan.snapshot_interval > 0) otherwise(asked.snapshot_interval, whole(plan.snapshot_interval));
}

constexpr std::string_view kLength = "sequence_length";

std::optional<std::int64_t> positive(std::string_view text) {
  return parse_number<std::int64_t>(text, 1, std::numeric_limits<std::int64_t>::max());
}

// Of covariates as "sequence_length=2048".
void add_length(const regression::Covariates& covariates, std::set<std::int64_t>& lengths) {
  for (const std::string_view covariate : covariates) {
    if (regression::covariate_name(covariate) != kLength || covariate.size() == kLength.size()) continue;
    if (const auto length = positive(covariate.substr(kLength.size() + 1))) lengths.insert(*length);
  }
}

std::optional<std::int64_t> asked_length(const Question& question) {
  return positive(regression::setting_of(question.settings, std::string(kLength)));
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
    const std::string_view value = regression::setting_of(run.settings, name);
    if (!value.empty()) asked.settings.try_emplace(name, value);
  }
  if (!asked.samples_per_epoch) {
    std::string digits(regression::setting_of(run.settings, "dataset_size"));
    std::erase(digits, ',');  // as histories of before may have it
    asked.samples_per_epoch = positive(digits);
  }
  if (asked.phase == Question::Phase::total) plan_like(run, asked);
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

std::optional<std::int64_t> sequence_length(const Question& question, const FittedModel* model) {
  if (const auto asked = asked_length(question)) return asked;
  std::set<std::int64_t> lengths;
  if (model != nullptr) add_length(model->model.covariates, lengths);
  return lengths.size() == 1 ? std::optional(*lengths.begin()) : std::nullopt;
}

void count_tokens(Question& question) {
  const auto length = asked_length(question);
  if (!question.tokens || question.batch_size || !length) return;
  const double samples = static_cast<double>(*question.tokens) / static_cast<double>(*length);
  question.batch_size = std::max<std::int64_t>(1, std::llround(samples));
}

Answer<void> count_tokens(Question& question, const ModelSet& models) {
  if (!question.tokens || question.batch_size) return {};
  std::set<std::int64_t> lengths;
  if (!asked_length(question) && models.knowledge) {
    // Of the models whose names fit best those that fit most of framework, host, device and number of devices.
    std::pair best{Fit::none, 0};
    for (const auto& [key, runs] : models.knowledge->data()) {
      const Fit named =
          std::min(fit_of(question.network, key.network), fit_of(question.architecture, key.architecture));
      const int there = fits(question.framework, key.framework) + fits(question.host, key.host) +
                        fits(question.device, key.device) +
                        (question.devices.value_or(key.devices) == key.devices);
      const std::pair fit{named, there};
      if (named == Fit::none || fit < best) continue;
      if (fit > best) lengths.clear();
      best = fit;
      for (const estimators::Datum& run : runs) add_length(run.what.settings, lengths);
    }
    if (lengths.size() == 1) question.settings.emplace(kLength, std::to_string(*lengths.begin()));
  }
  count_tokens(question);
  if (question.batch_size) return {};
  std::vector<std::string> known;
  for (const std::int64_t length : lengths) known.push_back(std::to_string(length));
  return refuse({.kind = Refusal::Kind::sequence_length_missing,
                 .parameter = "setting." + std::string(kLength),
                 .network = question.network.value_or(""),
                 .candidates = shown(std::move(known))});
}

}  // namespace etad::prediction
