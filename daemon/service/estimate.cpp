#include "daemon/service/estimate.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "daemon/service/views.h"
#include "prediction/like.h"
#include "regression/covariates.h"

namespace etad::service {
namespace {

using prediction::Estimate;
using prediction::EstimatePart;
using prediction::FittedModel;
using prediction::Question;

// What was bridged to the question and who did it, with its record.
void write_said(JsonWriter& json, const prediction::Said& said) {
  json.field("kind", estimators::name_of(said.kind));
  json.key("estimator").begin_object();
  json.field("name", said.estimator).field("source", said.source);
  json.field("left_out_error_percent", said.left_out_error_percent).field("tested_on", said.tested_on);
  json.end_object();
  json.key("rests_on").begin_object();
  json.field("runs", said.rests_on.runs).field("networks", said.rests_on.networks);
  json.field("devices", said.rests_on.devices).end_object();
  json.field("new_here", said.new_here);
}

// The error beside the model is that of who answers: where another estimator does, its own.
void write_answering_model(JsonWriter& json, const FittedModel& fitted,
                           const std::optional<prediction::Said>& said) {
  const auto& model = fitted.model;
  json.key("model").begin_object();
  json.key("id");
  fitted.id > 0 ? json.value(fitted.id) : json.null();  // of one run alone
  json.field("family", prediction::kEndToEnd).field("basis", model.basis);
  json.field("runs", model.runs)
      .field("segments", model.windows)
      .field("error_percent", said && said->estimator != prediction::kEndToEnd ? said->left_out_error_percent
                                                                               : fitted.model.error_percent);
  write_change(json, fitted);
  write_dispute(json, fitted);
  json.field("fitted_at", fitted.fitted_at).end_object();
}

void write_part(JsonWriter& json, const EstimatePart& part) {
  json.begin_object().field("phase", part.phase);
  if (part.model != nullptr || part.said) {
    json.field("batch_size", part.batch_size).field("iterations", part.iterations);
  }
  const auto& [seconds, lower, upper, extrapolates, drift] = part.prediction;
  json.field("seconds", seconds).field("lower", lower).field("upper", upper);
  if (part.model == nullptr && !part.said) {
    if (part.iterations > 0) json.field("count", part.iterations);
    json.field("runs", part.runs);
  } else {
    json.field("seconds_per_iteration", seconds / static_cast<double>(part.iterations));
    json.field("extrapolates", extrapolates).field("mood", drift);
    if (part.said) write_said(json, *part.said);
    if (part.model != nullptr) write_answering_model(json, *part.model, part.said);
  }
  json.end_object();
}

// Of a total's parts the one that had to reach farthest. nullptr: not known.
const prediction::Said* farthest(const Estimate& estimate) {
  const prediction::Said* out = nullptr;
  for (const EstimatePart& part : estimate.parts) {
    if (part.said && (out == nullptr || part.said->kind > out->kind)) out = &*part.said;
  }
  return out;
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

std::map<std::string, std::string> settings_from(Params& params, const prediction::ModelSet& models) {
  const auto& always = regression::covariate_names();
  static const std::set<std::string, std::less<>> kNone;
  // Those that tables of measurements had columns for.
  const auto& more = models.knowledge ? models.knowledge->setting_names() : kNone;
  auto out = params.prefixed("setting.");
  for (const auto& [name, value] : out) {
    if (std::ranges::find(always, name) != always.end() || more.contains(name)) continue;
    std::vector<std::string> candidates;
    for (const std::string& each : always) candidates.push_back("setting." + each);
    for (const std::string& each : more)
      if (std::ranges::find(always, each) == always.end()) candidates.push_back("setting." + each);
    params.reject("setting." + name, "names no setting that estimates go by", std::move(candidates));
  }
  return out;
}

}  // namespace

std::string_view name_of(estimators::Target quantity) {
  switch (quantity) {
    case estimators::Target::seconds:
      return "time";
    case estimators::Target::joules:
      return "energy";
    case estimators::Target::peak_bytes:
      return "memory";
  }
  return "";
}

Question deployment_from(Params& params) {
  Question out;
  out.network = params.text("network");
  out.architecture = params.text("architecture");
  out.framework = params.text("framework");
  out.host = params.text("host");
  out.device = params.text("device");
  out.devices = params.text("devices") == "" ? 0 : params.integer("devices", 1, 1'000'000);
  out.batch_size = params.integer("batch_size", 1, 1'000'000'000);
  out.confidence = std::min(params.number("confidence", 0, 1).value_or(0.9), Question::kMostConfidence);
  if (out.network == "") params.reject("network", "must be a name");
  return out;
}

Question question_from(Params& params, bool shown, const prediction::ModelSet& models) {
  constexpr std::int64_t kMostIterations = 1'000'000'000'000, kMostSamples = 1'000'000'000;
  Question out = deployment_from(params);
  const std::string phase = params.choice("phase", {"train", "test", "total"});
  out.phase = phase == "test"    ? Question::Phase::test
              : phase == "total" ? Question::Phase::total
                                 : Question::Phase::train;
  out.tokens = params.integer("tokens", 1, 1'000'000'000'000);
  if (out.tokens && out.batch_size)
    params.reject("tokens", "says the same as \"batch_size\": one of the two");
  out.iterations = params.integer("iterations", 1, kMostIterations).value_or(0);
  out.settings = settings_from(params, models);
  out.at = params.instant("at");
  out.like = params.integer("like", 1, std::numeric_limits<std::int64_t>::max());
  out.epochs = params.number("epochs", 0, 1e9);
  out.samples_per_epoch = params.integer("samples_per_epoch", 1, kMostIterations);
  if (out.epochs && out.iterations > 0)
    params.reject("epochs", "says the same as \"iterations\": one of the two");
  if (!out.like) {
    if (!out.network && !out.architecture && !shown)
      params.require("network", "which network? (or \"architecture\")");
    params.require("phase", "train, test or total");
    if (!out.epochs) params.require("iterations", "how many iterations will it run? (or \"epochs\")");
  } else if (phase.empty()) {
    out.phase = Question::Phase::total;
  }
  if (out.phase == Question::Phase::total) {
    out.test_interval = params.integer("test_interval", 0, kMostIterations);
    out.test_iterations = params.integer("test_iterations", 0, kMostIterations);
    out.test_batch_size = params.integer("test_batch_size", 1, kMostSamples);
    out.snapshot_interval = params.integer("snapshot_interval", 0, kMostIterations);
    if (!out.like) params.require("test_interval", "a total needs it; 0 for a training without tests");
    if (out.test_interval.value_or(0) > 0) params.require("test_iterations", "iterations of one test phase");
  } else {
    for (const char* const name :
         {"test_interval", "test_iterations", "test_batch_size", "snapshot_interval"})
      if (params.has(name)) params.reject(name, "is of a total alone: \"phase\" must be total");
  }
  return out;
}

estimators::Target quantity_from(Params& params) {
  const std::string quantity = params.choice("quantity", {"time", "energy", "memory"});
  for (const auto target : estimators::kAllTargets)
    if (name_of(target) == quantity) return target;
  return estimators::Target::seconds;
}

namespace {

// What the question came to be: the members that every answer begins with.
void begin_answer(JsonWriter& json, const Estimate& estimate) {
  const EstimatePart& main = estimate.parts.front();
  const ModelKey& key = estimate.key;
  const Question& question = estimate.question;
  json.begin_object();
  write_key(json, key);
  json.field("devices", known_devices(key.devices));
  json.field("phase", name_of(question.phase)).field("batch_size", main.batch_size);
  json.field("iterations", question.iterations);
  if (question.phase == Question::Phase::total) {
    json.field("test_interval", question.test_interval).field("test_iterations", question.test_iterations);
    json.field("test_batch_size", question.test_batch_size);
  }
  if (!question.settings.empty()) json.field("settings", question.settings);
}

}  // namespace

std::string to_json(const Estimate& estimate, estimators::Target quantity,
                    const prediction::CostEstimate& cost) {
  JsonWriter json;
  begin_answer(json, estimate);
  json.field("quantity", name_of(quantity))
      .field("unit", quantity == estimators::Target::joules ? "J" : "B")
      .field("value", cost.value);
  json.field("lower", cost.lower)
      .field("upper", cost.upper)
      .field("confidence", estimate.question.confidence);
  write_said(json, cost.said);
  json.end_object();
  return json.take() + "\n";
}

void begin_estimate(JsonWriter& json, const Estimate& estimate) {
  const EstimatePart& main = estimate.parts.front();
  const Question& question = estimate.question;
  const auto iterations = static_cast<double>(question.iterations);
  begin_answer(json, estimate);
  const auto& [seconds, lower, upper, extrapolates, drift] = estimate.sum;
  json.field("quantity", "time").field("unit", "s").field("value", seconds);
  json.field("seconds", seconds).field("lower", lower).field("upper", upper);
  json.field("confidence", question.confidence);
  json.field("seconds_per_iteration", seconds / iterations);
  std::optional<double> samples_per_second, tokens, tokens_per_second;
  if (main.batch_size && seconds > 0) samples_per_second = *main.batch_size * iterations / seconds;
  json.field("samples_per_second", samples_per_second);
  if (const auto length = prediction::sequence_length(question, main.model.get());
      length && main.batch_size) {
    tokens = *main.batch_size * static_cast<double>(*length);
    if (seconds > 0) tokens_per_second = *tokens * iterations / seconds;
  }
  json.field("tokens_per_iteration", tokens).field("tokens_per_second", tokens_per_second);
  json.field("extrapolates", extrapolates).field("mood", drift);
  if (estimate.alike > 1) json.field("alike", static_cast<std::int64_t>(estimate.alike));
  if (const auto* said = farthest(estimate)) write_said(json, *said);
  if (main.model != nullptr) write_answering_model(json, *main.model, main.said);
  json.key("parts").begin_array();
  if (question.phase == Question::Phase::total) {
    for (const EstimatePart& part : estimate.parts) write_part(json, part);
  }
  json.end_array();
}

std::string to_json(const Estimate& estimate) {
  JsonWriter json;
  begin_estimate(json, estimate);
  json.end_object();
  return json.take() + "\n";
}

void write_estimator(JsonWriter& json, const prediction::Knowledge& knowledge, std::size_t i) {
  const estimators::Estimator& estimator = estimators::estimators()[i];
  const std::string_view missing = knowledge.missing(i);
  const auto chosen = knowledge.chosen();
  json.begin_object().field("name", estimator.name).field("source", estimator.source);
  json.key("needs").begin_object().field("met", missing.empty());
  json.field("missing", missing).end_object();
  json.key("kinds").begin_object();
  for (std::size_t at = 0; at < estimators::kKinds; ++at) {
    const auto kind = static_cast<estimators::Kind>(at);
    const estimators::Performance& performance = knowledge.records().in(kind)[i];
    if (performance.cases == 0) continue;
    json.key(estimators::column_of(kind)).begin_object();
    std::optional<double> error, coverage;
    if (performance.answered > 0) {
      error = performance.error_percent;
      coverage = 100 * performance.coverage;
    }
    json.field("left_out_error_percent", error).field("coverage_percent", coverage);
    json.field("cases", performance.cases).field("answered", performance.answered);
    json.field("weight", performance.weight).field("chosen", chosen[at] == estimator.name).end_object();
  }
  json.end_object().end_object();
}

}  // namespace etad::service
