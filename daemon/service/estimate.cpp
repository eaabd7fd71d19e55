#include "daemon/service/estimate.h"

#include <algorithm>
#include <utility>

#include "daemon/service/selection.h"
#include "regression/compose.h"
#include "regression/traits.h"

namespace etad::service {
namespace {

Problem batch_size_missing(const FittedModel& fitted, std::string_view parameter) {
  Problem problem;
  problem.title = "Invalid parameter";
  JsonWriter low, high;
  low.value(fitted.model.samples.min);
  high.value(fitted.model.samples.max);
  problem.detail = "Parameter \"" + std::string(parameter) + "\" is missing: the history of " +
                   fitted.key.network + " has several batch sizes, from " + low.take() + " to " +
                   high.take() + ".";
  problem.more = [name = std::string(parameter)](JsonWriter& json) { json.field("parameter", name); };
  return problem;
}

// Only what was asked: of a setting that the question leaves out, the most common value is meant.
regression::Traits traits_of(const Question& question) {
  regression::Traits out;
  for (const auto& [name, value] : question.settings) out.push_back(name + "=" + value);
  return out;
}

regression::Occasion occasion_of(const FittedModel& fitted, std::optional<Instant> now) {
  if (!now) return {};
  return {to_seconds(now->time_since_epoch()), fitted.mood.get()};
}

Answer<EstimatePart> ask(const FittedModel& fitted, std::int64_t iterations,
                         std::optional<std::int64_t> batch_size, const Question& question,
                         std::optional<Instant> now, std::string_view batch_parameter) {
  std::optional<double> samples;
  if (batch_size) samples = static_cast<double>(*batch_size);
  const auto& seen = fitted.model.samples;
  const auto predicted = fitted.model.predict(static_cast<double>(iterations), samples, question.confidence,
                                              traits_of(question), occasion_of(fitted, now));
  if (!predicted) return refuse(batch_size_missing(fitted, batch_parameter));
  if (!samples && seen.min == seen.max && seen.max > 0) samples = seen.max;
  EstimatePart part;
  part.phase = std::string(name_of(fitted.key.phase));
  part.model = &fitted;
  part.batch_size = samples;
  part.iterations = iterations;
  part.runs = fitted.model.runs;
  part.prediction = *predicted;
  return part;
}

Answer<void> add_tests(const Deployment& chosen, const Question& question, Estimate& out) {
  if (question.test_interval.value_or(0) == 0 || question.test_iterations.value_or(0) == 0) return {};
  if (chosen.test == nullptr) {
    Problem problem;
    problem.status = 404;
    problem.detail = "No test phase of " + chosen.train->key.network +
                     " is in the history yet, only training: a total with tests can't be told.";
    problem.hint = "ask with test_interval=0 for the training alone";
    return refuse(std::move(problem));
  }
  const std::int64_t phases = test_phases(question.iterations, *question.test_interval);
  auto part = ask(*chosen.test, phases * *question.test_iterations, question.test_batch_size, question,
                  out.now, "test_batch_size");
  if (!part) return refuse(std::move(part.error()));
  out.parts.push_back(std::move(*part));
  return {};
}

// Start-up and snapshots: what the runs of that network took for them, `times` over.
void add_measured(std::string_view phase, const std::optional<Spread>& spread, std::int64_t times,
                  Estimate& out) {
  if (!spread || times == 0) return;
  const auto n = static_cast<double>(times);
  EstimatePart part;
  part.phase = std::string(phase);
  part.iterations = times;
  part.runs = spread->runs;
  part.prediction = {n * spread->median, n * spread->lower, n * spread->upper, {}};
  out.parts.push_back(std::move(part));
}

void sum_up(Estimate& out) {
  if (out.parts.size() == 1) {
    out.sum = out.parts.front().prediction;
    return;
  }
  std::vector<regression::Prediction> parts;
  for (const EstimatePart& part : out.parts) {
    auto& prediction = parts.emplace_back(part.prediction);
    if (part.phase != "test") continue;
    for (std::string& input : prediction.extrapolates) {
      if (input == "batch_size" || input == "iterations")
        input.insert(0, "test_");  // as the parameter is named
    }
  }
  out.sum = regression::compose(parts);
  out.sum.mood = out.parts.front().prediction.mood;
}

void write_model(JsonWriter& json, const FittedModel& fitted) {
  const auto& model = fitted.model;
  json.key("model").begin_object();
  json.field("id", fitted.id).field("family", fitted.family).field("basis", model.basis);
  json.field("runs", model.runs)
      .field("segments", model.windows)
      .field("error_percent", fitted.error_percent());
  json.field("fitted_at", fitted.fitted_at).end_object();
}

void write_part(JsonWriter& json, const EstimatePart& part) {
  json.begin_object().field("phase", part.phase);
  if (part.model != nullptr) {
    json.field("batch_size", part.batch_size).field("iterations", part.iterations);
  }
  const auto& [seconds, lower, upper, extrapolates, mood] = part.prediction;
  json.field("seconds", seconds).field("lower", lower).field("upper", upper);
  if (part.model == nullptr) {
    json.field("count", part.iterations).field("runs", part.runs);
  } else {
    json.field("seconds_per_iteration", seconds / static_cast<double>(part.iterations));
    json.field("extrapolates", extrapolates).field("mood", mood);
    write_model(json, *part.model);
  }
  json.end_object();
}

std::string_view name_of(Question::Phase phase) {
  switch (phase) {
    case Question::Phase::train:
      return "train";
    case Question::Phase::test:
      return "test";
    case Question::Phase::total:
      return "total";
  }
  return "";
}

std::map<std::string, std::string> settings_from(Params& params) {
  const auto& known = regression::trait_names();
  auto out = params.prefixed("setting.");
  for (const auto& [name, value] : out) {
    if (std::ranges::find(known, name) != known.end()) continue;
    std::vector<std::string> candidates;
    for (const std::string& each : known) candidates.push_back("setting." + each);
    params.reject("setting." + name, "names no setting that estimates go by", std::move(candidates));
  }
  return out;
}

}  // namespace

Question question_from(Params& params) {
  constexpr std::int64_t kMostIterations = 1'000'000'000'000, kMostSamples = 1'000'000'000;
  Question out;
  out.network = params.text("network");
  out.architecture = params.text("architecture");
  out.framework = params.text("framework");
  out.host = params.text("host");
  out.device = params.text("device");
  out.devices = params.integer("devices", 1, 1'000'000);
  const std::string phase = params.choice("phase", {"train", "test", "total"});
  out.phase = phase == "test"    ? Question::Phase::test
              : phase == "total" ? Question::Phase::total
                                 : Question::Phase::train;
  out.batch_size = params.integer("batch_size", 1, kMostSamples);
  out.iterations = params.integer("iterations", 1, kMostIterations).value_or(0);
  out.settings = settings_from(params);
  out.confidence = params.number("confidence", 0, 1).value_or(0.9);
  if (!out.network && !out.architecture) params.require("network", "which network? (or architecture)");
  params.require("phase", "train, test or total");
  params.require("iterations", "how many iterations will it run?");
  if (out.phase == Question::Phase::total) {
    out.test_interval = params.integer("test_interval", 0, kMostIterations);
    out.test_iterations = params.integer("test_iterations", 0, kMostIterations);
    out.test_batch_size = params.integer("test_batch_size", 1, kMostSamples);
    out.snapshot_interval = params.integer("snapshot_interval", 0, kMostIterations);
    params.require("test_interval", "a total needs it; 0 for a training without tests");
    if (out.test_interval.value_or(0) > 0) params.require("test_iterations", "iterations of one test phase");
  }
  return out;
}

std::int64_t test_phases(std::int64_t iterations, std::int64_t interval) {
  return interval > 0 ? iterations / interval + 1 : 0;
}

Answer<Estimate> estimate(std::shared_ptr<const ModelSet> models, const Question& question,
                          std::optional<Instant> now) {
  auto chosen = select(*models, question);
  if (!chosen) return refuse(std::move(chosen.error()));
  Estimate out;
  out.models = std::move(models);
  out.question = question;
  out.now = now;
  const bool test_only = question.phase == Question::Phase::test;
  auto first = ask(test_only ? *chosen->test : *chosen->train, question.iterations, question.batch_size,
                   question, now, "batch_size");
  if (!first) return refuse(std::move(first.error()));
  out.parts.push_back(std::move(*first));
  if (question.phase == Question::Phase::total) {
    if (auto added = add_tests(*chosen, question, out); !added) return refuse(std::move(added.error()));
    add_measured("startup", chosen->train->startup, 1, out);
    // One after each interval, and one at the end where that is not one of them.
    const std::int64_t interval = question.snapshot_interval.value_or(0);
    const std::int64_t snapshots = interval > 0 ? (question.iterations + interval - 1) / interval : 0;
    add_measured("snapshot", chosen->train->snapshot, snapshots, out);
  }
  sum_up(out);
  return out;
}

std::string to_json(const Estimate& estimate) {
  const EstimatePart& main = estimate.parts.front();
  const ModelKey& key = main.model->key;
  const Question& question = estimate.question;
  const auto iterations = static_cast<double>(question.iterations);
  JsonWriter json;
  json.begin_object();
  json.field("network", key.network).field("architecture", key.architecture);
  json.field("framework", key.framework).field("host", key.host);
  json.field("device", key.device).field("devices", key.devices);
  json.field("phase", name_of(question.phase)).field("batch_size", main.batch_size);
  json.field("iterations", question.iterations);
  if (question.phase == Question::Phase::total) {
    json.field("test_interval", question.test_interval).field("test_iterations", question.test_iterations);
    json.field("test_batch_size", question.test_batch_size);
  }
  if (!question.settings.empty()) json.field("settings", question.settings);
  const auto& [seconds, lower, upper, extrapolates, mood] = estimate.sum;
  json.field("seconds", seconds).field("lower", lower).field("upper", upper);
  json.field("confidence", question.confidence);
  json.field("seconds_per_iteration", seconds / iterations);
  json.key("samples_per_second");
  if (main.batch_size && seconds > 0) {
    json.value(*main.batch_size * iterations / seconds);
  } else {
    json.null();
  }
  json.field("extrapolates", extrapolates).field("mood", mood);
  write_model(json, *main.model);
  json.key("parts").begin_array();
  if (question.phase == Question::Phase::total) {
    for (const EstimatePart& part : estimate.parts) write_part(json, part);
  }
  json.end_array().end_object();
  return json.take() + "\n";
}

}  // namespace etad::service
