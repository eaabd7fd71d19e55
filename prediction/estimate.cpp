#include "prediction/estimate.h"
#include "prediction/plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "prediction/like.h"
#include "prediction/names.h"
#include "prediction/never_ran.h"
#include "prediction/selection.h"
#include "regression/compose.h"
#include "regression/covariates.h"
#include "regression/statistics.h"

namespace etad::prediction {
namespace {

// What all parts of an answer are told by.
struct Asking {
  const ModelSet& models;
  std::optional<Instant> now;
};

Refusal too_large(std::string parameter) {
  return {.kind = Refusal::Kind::too_large, .parameter = std::move(parameter)};
}

// Only what was asked: of a setting that the question leaves out, the most common value is meant.
regression::Covariates covariates_of(const Question& question) {
  regression::Covariates out;
  for (const auto& [name, value] : question.settings) out.push_back(name + "=" + value);
  return out;
}

Answer<EstimatePart> answer_of_model(const std::shared_ptr<const FittedModel>& model, std::int64_t iterations,
                                     std::optional<std::int64_t> batch_size, const Question& question) {
  const FittedModel& fitted = *model;
  std::optional<double> samples;
  if (batch_size) samples = static_cast<double>(*batch_size);
  const auto& seen = fitted.model.samples;
  const auto predicted = fitted.model.predict(static_cast<double>(iterations), samples, question.confidence,
                                              covariates_of(question));
  if (!predicted) return refuse(batch_size_missing(question, fitted.key.phase, fitted.key.network, seen));
  if (!samples && seen.min == seen.max && seen.max > 0) samples = seen.max;
  EstimatePart part;
  part.phase = std::string(name_of(fitted.key.phase));
  part.key = fitted.key;
  part.model = model;
  part.batch_size = samples;
  part.iterations = iterations;
  part.runs = fitted.model.runs;
  part.prediction = *predicted;
  return part;
}

Refusal nothing_ran_there(const Knowledge& knowledge, std::string_view parameter, const Asked& asked) {
  return {.kind = Refusal::Kind::nothing_ran_there,
          .parameter = std::string(parameter),
          .value = parameter == "device" ? asked.key.device
                   : parameter == "host" ? asked.key.host
                                         : asked.key.framework,
          .network = asked.key.network,
          .candidates = shown(knowledge.values_of(parameter))};
}

// How the machine's last runs went says as much of a run whoever estimates it. A network's own model has learnt from its
// runs as they were, all others from what these would have been without the machine's drift.
void move_by_drift(const Asking& asking, EstimatePart& part) {
  const auto& knowledge = asking.models.knowledge;
  if (!asking.now || !knowledge) return;
  regression::Prediction& out = part.prediction;
  out.drift = part.said ? knowledge->drift_of(part.key, *asking.now, out.seconds)
                        : knowledge->drift_beside_runs_of(part.key, *asking.now, out.seconds);
  for (double* const each : {&out.seconds, &out.lower, &out.upper}) *each *= out.drift;
}

// What all the history says where no model of the very deployment does. The farther an answer must reach, the
// less the length of the run matters to it. nullopt: nobody says anything, so ask somebody else; a refusal: do not.
std::optional<Answer<EstimatePart>> answer_of_history(const Asking& asking, const Question& question,
                                                      Phase phase, std::int64_t iterations,
                                                      std::optional<std::int64_t> batch) {
  const auto& knowledge = asking.models.knowledge;
  if (!knowledge) return std::nullopt;
  const auto asked = knowledge->asked(question, phase, batch, *asking.models.models);
  if (!asked) return std::nullopt;
  if (const auto untold = knowledge->untold_of(question, asked->what); !untold.empty())
    return refuse(nothing_ran_there(*knowledge, untold, *asked));
  if (const auto& sizes = asked->batch_sizes; !batch && sizes.min < sizes.max)
    return refuse(batch_size_missing(question, phase, asked->key.network, sizes));
  const auto said = knowledge->ask(asked->what, question.confidence);
  if (!said) return std::nullopt;
  auto part = part_of(*said, *asked, iterations);
  if (part) move_by_drift(asking, *part);
  return part;
}

// The same of a network that is only shown.
Answer<EstimatePart> answer_of_description(const Asking& asking, const Question& question, Phase phase,
                                           std::int64_t iterations) {
  auto part = never_ran(asking.models, question, phase, iterations);
  if (part) move_by_drift(asking, *part);
  return part;
}

// The model, or the asker's own where that answers him; of settings that his runs never had the others' speak.
std::shared_ptr<const FittedModel> model_for(const Question& question,
                                             const std::shared_ptr<const FittedModel>& model) {
  auto own = model_for(model, question.asker);
  return own == model || own->model.unseen(covariates_of(question)).empty() ? own : model;
}

// A model's answer, or that of all the history where such questions are for that.
Answer<EstimatePart> best_answer(const Asking& asking, const Question& question,
                                 const std::shared_ptr<const FittedModel>& model, std::int64_t iterations,
                                 std::optional<std::int64_t> batch) {
  const FittedModel& fitted = *model;
  const auto& knowledge = asking.models.knowledge;
  auto part = answer_of_model(model, iterations, batch, question);
  if (!part) return part;
  move_by_drift(asking, *part);
  if (fitted.own_runs || !knowledge || !part->batch_size) return part;
  const auto samples = static_cast<std::int64_t>(*part->batch_size);
  const Question exact = about(fitted, question);
  const bool its_settings = fitted.model.unseen(covariates_of(question)).empty();
  // For whom such questions are is known before anybody else is asked, which may have to learn first.
  if (const auto asked = knowledge->asked(exact, fitted.key.phase, samples, *asking.models.models)) {
    const estimators::Kind kind = knowledge->kind_of(asked->what);
    if (its_settings && kind <= estimators::Kind::settings && knowledge->prefers_models(asked->what, kind)) {
      part->said = knowledge->record_of(kind, fitted.model.runs);
      return part;
    }
  }
  auto answer = answer_of_history(asking, exact, fitted.key.phase, iterations, samples);
  if (!answer || !*answer || !(*answer)->said) return part;  // where the others disagree its own runs speak
  auto& other = *answer;
  const estimators::Kind kind = other->said->kind;
  if (kind > estimators::Kind::settings) return part;  // its data came to be known after the model was made
  other->model = model;
  other->key = fitted.key;
  // Runs of other settings may have seen what the model's have not.
  if (its_settings || kind == estimators::Kind::settings)
    other->prediction.extrapolates = part->prediction.extrapolates;
  return *other;
}

// Runs that the question may be about, of which there is no model because they contradict each other.
const Contradiction* contradiction_in(const ModelSet& models, const Question& question, Phase phase) {
  const Contradiction* out = nullptr;
  std::array<Fit, 5> best{};
  for (const Contradiction& each : models.contradictions) {
    const ModelKey& key = each.key;
    if (key.phase != phase || question.devices.value_or(key.devices) != key.devices) continue;
    const std::array fit = {fit_of(question.network, key.network),
                            fit_of(question.architecture, key.architecture),
                            fit_of(question.framework, key.framework), fit_of(question.host, key.host),
                            fit_of(question.device, key.device)};
    if (std::ranges::min(fit) == Fit::none || (out != nullptr && fit <= best)) continue;
    out = &each;
    best = fit;
  }
  return out;
}

// Testing for so many iterations, on the machine of the first part.
Answer<EstimatePart> test_part(const Deployment& chosen, std::int64_t iterations, const Estimate& out) {
  const Question& question = out.question;
  const Asking asking{*out.models, out.now};
  if (chosen.test != nullptr)
    return best_answer(asking, question, model_for(question, chosen.test), iterations,
                       question.test_batch_size);
  const Question exact = about(out.key, question);
  if (question.shown) return answer_of_description(asking, exact, Phase::test, iterations);
  if (auto part = answer_of_history(asking, exact, Phase::test, iterations, question.test_batch_size))
    return std::move(*part);
  return refuse({.kind = Refusal::Kind::no_model_of_tests, .network = out.key.network});
}

Answer<void> add_tests(const Deployment& chosen, Estimate& out) {
  const Question& question = out.question;
  if (question.test_interval.value_or(0) == 0 || question.test_iterations.value_or(0) == 0) return {};
  std::int64_t iterations = 0;
  if (__builtin_mul_overflow(test_phases(question.iterations, *question.test_interval),
                             *question.test_iterations, &iterations))
    return refuse(too_large("test_iterations"));
  auto part = test_part(chosen, iterations, out);
  if (!part) return refuse(std::move(part.error()));
  out.parts.push_back(std::move(*part));
  return {};
}

// What the runs of that network took for it, `times` over; of a share: of so many seconds. A spread is of 90 %: of another
// confidence its bounds lie as much nearer or farther, in the logarithm, as a normal distribution's.
EstimatePart part_of_spread(std::string_view phase, const Spread& spread, double times, double confidence) {
  const double reach = regression::normal_quantile(0.5 + confidence / 2) / regression::normal_quantile(0.95);
  const auto bound = [&](double at) {
    return spread.median > 0 ? times * spread.median * std::pow(at / spread.median, reach) : times * at;
  };
  EstimatePart part;
  part.phase = std::string(phase);
  part.runs = spread.runs;
  part.prediction = {times * spread.median, bound(spread.lower), bound(spread.upper), {}};
  return part;
}

void add_counted(std::string_view phase, const std::optional<Spread>& spread, std::int64_t times,
                 Estimate& out) {
  if (!spread || times == 0) return;
  out.parts.push_back(part_of_spread(phase, *spread, static_cast<double>(times), out.question.confidence));
  out.parts.back().iterations = times;
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
  out.sum.drift = out.parts.front().prediction.drift;
}

// Of what is shown, or of the model of the very deployment (which `chosen` then is), or of all the history.
Answer<EstimatePart> first_part(const Estimate& out, Deployment& chosen) {
  const Question& question = out.question;
  const Asking asking{*out.models, out.now};
  const Phase phase = question.phase == Question::Phase::test ? Phase::test : Phase::train;
  if (question.shown) return answer_of_description(asking, question, phase, question.iterations);
  auto selected = select(*out.models->models, question);
  if (selected) {
    chosen = std::move(*selected);
    const auto fitted = model_for(question, phase == Phase::test ? chosen.test : chosen.train);
    return best_answer(asking, question, fitted, question.iterations, question.batch_size);
  }
  const Refusal::Kind kind = selected.error().kind;
  if (kind != Refusal::Kind::ambiguous) {
    if (const auto* found = contradiction_in(*out.models, question, phase))
      return refuse(
          {.kind = Refusal::Kind::contradicting, .network = found->key.network, .contradiction = *found});
  }
  if (kind == Refusal::Kind::unknown_deployment || kind == Refusal::Kind::no_model_of_phase) {
    if (auto part = answer_of_history(asking, question, phase, question.iterations, question.batch_size))
      return std::move(*part);
  }
  return refuse(std::move(selected.error()));
}

// What a training takes beside its iterations.
Answer<void> add_rest(const Deployment& chosen, Estimate& out) {
  const Question& question = out.question;
  if (auto added = add_tests(chosen, out); !added) return added;
  if (chosen.train == nullptr) return {};
  const auto train = model_for(chosen.train, question.asker);
  add_counted("startup", train->startup, 1, out);
  // One after each interval, and one at the end where that is not one of them.
  const std::int64_t interval = question.snapshot_interval.value_or(0);
  const std::int64_t snapshots = interval > 0 ? (question.iterations - 1) / interval + 1 : 0;
  add_counted("snapshot", train->snapshot, snapshots, out);
  if (train->other && train->other->median > 0)
    out.parts.push_back(
        part_of_spread("other", *train->other, out.parts.front().prediction.seconds, question.confidence));
  return {};
}

Answer<Estimate> answer(Estimate out) {
  Deployment chosen;
  auto first = first_part(out, chosen);
  if (!first) return refuse(std::move(first.error()));
  out.key = first->key;
  out.parts.push_back(std::move(*first));
  if (out.question.phase == Question::Phase::total) {
    if (auto added = add_rest(chosen, out); !added) return refuse(std::move(added.error()));
  }
  sum_up(out);
  return out;
}

// Where it makes no difference which of the deployments that fit is meant, that is no reason to refuse.
std::optional<Estimate> alike(const Estimate& asked, const Refusal& ambiguous) {
  if (ambiguous.known.size() < ambiguous.deployments) return std::nullopt;  // too many to ask each
  std::vector<Estimate> all;
  for (const KnownDeployment& each : ambiguous.known) {
    Estimate one = asked;
    one.question = about(each.key, asked.question);
    auto answered = answer(std::move(one));
    if (!answered) return std::nullopt;
    all.push_back(std::move(*answered));
  }
  double lower = all.front().sum.lower, upper = all.front().sum.upper;
  for (const Estimate& one : all) {
    lower = std::min(lower, one.sum.lower);
    upper = std::max(upper, one.sum.upper);
    for (const Estimate& other : all)
      if (other.sum.seconds < one.sum.lower || other.sum.seconds > one.sum.upper) return std::nullopt;
  }
  Estimate out = std::move(
      *std::ranges::max_element(all, {}, [](const Estimate& each) { return each.parts.front().runs; }));
  out.question = asked.question;
  out.sum.lower = lower;
  out.sum.upper = upper;
  out.alike = all.size();
  return out;
}

}  // namespace

Question about(const ModelKey& key, Question question) {
  question.network = key.network;
  question.architecture = key.architecture;
  question.framework = key.framework;
  question.host = key.host;
  question.device = key.device;
  question.devices = key.devices;
  return question;
}

Question about(const FittedModel& fitted, Question question) {
  question = about(fitted.key, std::move(question));
  for (const std::string& setting : fitted.model.covariates) {
    const std::string name(regression::covariate_name(setting));
    question.settings.emplace(name, setting.substr(name.size() + 1));
  }
  return question;
}

Answer<EstimatePart> part_of(const Said& said, const Asked& asked, std::int64_t iterations) {
  if (!said.contradicted_by.empty()) return refuse(abstained(said, asked.key.network));
  const auto n = static_cast<double>(iterations);
  EstimatePart part;
  part.phase = asked.what.phase;
  part.key = asked.key;
  part.batch_size = asked.what.samples;
  part.iterations = iterations;
  part.runs = said.rests_on.runs;
  part.prediction = {n * said.value, n * said.lower, n * said.upper, {}};
  if (said.kind != estimators::Kind::seen) part.prediction.extrapolates.emplace_back(name_of(said.kind));
  part.said = said;
  return part;
}

Refusal abstained(const Said& said, std::string network) {
  const auto says = [](std::string_view name, double seconds) {
    char text[64];
    std::snprintf(text, sizeof text, "%.*s says %.4g s", static_cast<int>(name.size()), name.data(), seconds);
    return std::string(text);
  };
  return {.kind = Refusal::Kind::abstained,
          .value = says(said.estimator, said.value) + " an iteration, " +
                   says(said.contradicted_by, said.contradicted_value),
          .network = std::move(network)};
}

Refusal batch_size_missing(const Question& question, Phase phase, std::string network,
                           const regression::Range& seen) {
  const bool of_total = phase == Phase::test && question.phase == Question::Phase::total;
  return {.kind = Refusal::Kind::batch_size_missing,
          .parameter = of_total ? "test_batch_size" : "batch_size",
          .network = std::move(network),
          .batch_sizes = seen};
}

std::int64_t test_phases(std::int64_t iterations, std::int64_t interval) {
  return interval > 0 ? iterations / interval + 1 : 0;
}

Answer<Estimate> estimate(std::shared_ptr<const ModelSet> models, const Question& asked,
                          std::optional<Instant> now) {
  if (asked.epochs && asked.iterations == std::numeric_limits<std::int64_t>::max())  // see count_epochs
    return refuse(too_large("epochs"));
  Estimate out;
  out.question = recognized(*models, asked);
  if (auto counted = count_tokens(out.question, *models); !counted) return refuse(std::move(counted.error()));
  out.now = now;
  out.models = std::move(models);
  auto answered = answer(out);
  if (!answered && answered.error().kind == Refusal::Kind::ambiguous) {
    if (auto same = alike(out, answered.error())) return std::move(*same);
  }
  return answered;
}

}  // namespace etad::prediction
