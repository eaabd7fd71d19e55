// Questions of how long it will take: from a request to an answer or the reason why there is none.
#include <algorithm>

#include "daemon/service/estimate.h"
#include "daemon/service/router.h"
#include "daemon/service/router_call.h"
#include "daemon/service/views.h"
#include "parsers/log/net_in_log.h"
#include "prediction/as_of.h"
#include "prediction/like.h"
#include "prediction/make_model.h"

namespace etad::service {
namespace {

using prediction::Question;
using prediction::Refusal;

// What the logs of a network without a model showed of it: the last one's.
Result<std::shared_ptr<const prediction::Description>> shown_by_logs(Reader& reader,
                                                                     const std::vector<NetworkRow>& rows) {
  const auto last = std::ranges::max_element(rows, {}, &NetworkRow::last_seen);
  if (last == rows.end()) return nullptr;
  const auto layers = reader.layers(last->architecture);
  if (!layers) return tl::unexpected(layers.error());
  return std::make_shared<prediction::Description>(
      prediction::described({{}, last->network, last->architecture, {}, {}, *layers}));
}

// Whether what other networks cost was asked, in vain.
bool rests_on_costs(Refusal::Kind kind) {
  return kind == Refusal::Kind::costs_unknown || kind == Refusal::Kind::nothing_alike;
}

// Of a network that has runs but no model: that there are some, and what the history knows of them.
// A refit makes no model of a time that is past: `at`.
void tell_of_runs(std::vector<NetworkRow> rows, const Refusal& refusal, bool at, Problem& problem) {
  if (rows.empty()) return;
  std::int64_t runs = 0;
  for (const NetworkRow& row : rows) runs += row.runs;
  problem.detail = "The history has " + std::to_string(runs) + (runs == 1 ? " run of " : " runs of ") +
                   rows.front().network +
                   (at ? ", but at that time there was no model of it" : ", but no model of it yet");
  problem.detail += refusal.value.empty() || !rests_on_costs(refusal.kind)
                        ? "."
                        : ", and no estimate by what it costs: " + refusal.value + ".";
  problem.hint =
      "a model comes with the next refit after a run's first measured interval: `etactl refit` asks for it "
      "now; `etactl runs --all` shows what the runs have";
  if (at) problem.hint = "`etactl runs --all` shows when they ran: ask about a time after that";
  if (refusal.kind == Refusal::Kind::costs_unknown)
    problem.hint += "; `etactl estimate --net FILE` takes a description of it";
  problem.candidates.clear();
  problem.more = [rows = std::move(rows)](JsonWriter& json) { json.list("known", rows, write_network); };
}

// The network in the body of a request: a description, or a log that prints one.
Result<prediction::Description> description_in(const std::string& body, const FormatSet& formats,
                                               const Question& question) {
  if (!shows_network(body)) {
    auto net = network_in_log(body, formats);
    if (!net) return tl::unexpected(net.error());
    return prediction::described(std::move(*net));
  }
  auto net = read_network(body, question.phase == Question::Phase::test ? Phase::test : Phase::train);
  if (!net) return tl::unexpected(net.error());
  if (question.phase == Question::Phase::total)
    if (const auto test = read_network(body, Phase::test)) net->test_batch_size = test->batch_size;
  return prediction::described(std::move(*net));
}

Reply answer_to(const prediction::Answer<prediction::Estimate>& answer, estimators::Target quantity) {
  if (!answer) return reply_of(problem_of(answer.error()));
  if (quantity == estimators::Target::seconds) return {200, "application/json", {}, to_json(*answer)};
  if (const auto cost = prediction::cost_of(*answer, quantity))
    return {200, "application/json", {}, to_json(*answer, quantity, *cost)};
  Refusal refusal;
  refusal.kind = Refusal::Kind::cost_unknown;
  refusal.network = answer->key.network;
  refusal.value = service::name_of(quantity);
  return reply_of(problem_of(refusal));
}

// The models to answer from where those of now do not do: of a time that is past, or for an asker with models of his own.
std::shared_ptr<const prediction::ModelSet> made_anew(
    Reader& reader, const std::shared_ptr<const prediction::ModelSet>& models, const Question& question,
    const prediction::OwnModels& own) {
  const auto runs = prediction::runs_in(reader);
  return question.at ? prediction::as_of(models, question, runs)
                     : prediction::as_seen_by_asker(models, own, runs);
}

// Of a network that is shown in the body. On a worker: a body may be long.
Reply estimate_shown(Backend& backend, const std::shared_ptr<const prediction::ModelSet>& models,
                     const FormatSet& formats, const std::string& body, Question question,
                     estimators::Target quantity, Instant now) {
  auto net = description_in(body, formats, question);
  if (!net) {
    return reply_of(Problem{422, "Unreadable network", "The body can't be used: " + net.error().message + ".",
                            net.error().hint});
  }
  const bool test = question.phase == Question::Phase::test;
  // A deployed net's batch is of the one picture that it is to answer: nobody trains so.
  if (!test && net->batch_size == 1) {
    net->batch_size.reset();
    if (net->test_batch_size == 1) net->test_batch_size.reset();
  }
  if (!question.batch_size)
    question.batch_size = test && net->test_batch_size ? net->test_batch_size : net->batch_size;
  if (!question.test_batch_size) question.test_batch_size = net->test_batch_size;
  question.shown = std::make_shared<prediction::Description>(std::move(*net));
  if (const auto problem = count_iterations(question, *models)) return reply_of(*problem);
  const auto own = prediction::own_models(*models, question);
  if (!question.at && own.empty()) return answer_to(prediction::estimate(models, question, now), quantity);
  const auto reader = backend.reader();
  if (!reader) return history_failed(reader.error());
  const auto seen = made_anew(**reader, models, question, own);
  return answer_to(prediction::estimate(seen, question, question.at.value_or(now)), quantity);
}

// Why a question may be answered by the run alone that it is like: no model has that run in it.
bool lacks_model_of_run(Refusal::Kind kind) {
  return kind == Refusal::Kind::unknown_network || kind == Refusal::Kind::unknown_architecture ||
         kind == Refusal::Kind::unknown_deployment || kind == Refusal::Kind::contradicting;
}

// Of a network that is named, or of one that a run had: `like`.
Reply estimate_named(Reader& reader, const std::shared_ptr<const prediction::ModelSet>& models,
                     Question question, const std::optional<RunRow>& like, estimators::Target quantity,
                     Instant now) {
  take_only_batch_size(question, models, now);
  if (auto problem = count_iterations(question, *models)) return reply_of(*problem);
  auto answer = prediction::estimate(models, question, now);
  const auto unknown = [&] {
    return !answer && (answer.error().kind == Refusal::Kind::unknown_network ||
                       answer.error().kind == Refusal::Kind::unknown_architecture);
  };
  // A model of one run knows its time alone, and that of now.
  const bool about_now = quantity == estimators::Target::seconds && !question.at;
  if (!answer && like && about_now && lacks_model_of_run(answer.error().kind)) {
    const auto alone = prediction::models_of_run(reader, *like, now);
    if (!alone) return history_failed(alone.error());
    if (const auto said = prediction::estimate(*alone, question, now)) return answer_to(said, quantity);
  }
  if (!unknown()) return answer_to(answer, quantity);
  NetworkFilter filter;
  filter.network = question.network;
  filter.architecture = question.architecture;
  const auto rows = reader.networks(filter);
  if (!rows) return history_failed(rows.error());
  auto shown_before = shown_by_logs(reader, *rows);
  if (!shown_before) return history_failed(shown_before.error());
  question.shown = std::move(*shown_before);
  if (question.shown) answer = prediction::estimate(models, question, now);
  if (answer) return answer_to(answer, quantity);
  Problem problem = problem_of(answer.error());
  if (rests_on_costs(answer.error().kind) || (question.at && unknown()))
    tell_of_runs(*rows, answer.error(), question.at.has_value(), problem);
  return reply_of(problem);
}

}  // namespace

std::optional<Problem> count_iterations(Question& question, const prediction::ModelSet& models) {
  if (question.epochs)
    if (auto counted = prediction::count_tokens(question, models); !counted)
      return problem_of(counted.error());
  if (!prediction::count_epochs(question)) {
    const std::string lacking = question.batch_size ? "samples_per_epoch" : "batch_size";
    return Problem{
        400,
        "Missing parameter",
        "Parameter \"" + lacking + "\" is missing: epochs are counted by it, and nothing else says it.",
        "",
        {},
        [lacking](JsonWriter& json) { json.field("parameter", lacking); }};
  }
  if (question.iterations <= 0)
    return Problem{400, "Missing parameter",
                   "The run does not say how long it was to be: \"iterations\" or \"epochs\" is needed."};
  return std::nullopt;
}

void take_only_batch_size(Question& question, const std::shared_ptr<const prediction::ModelSet>& models,
                          Instant now) {
  if (!question.epochs || question.batch_size || question.tokens) return;
  Question one = question;
  one.epochs.reset();
  one.iterations = 1;
  const auto answer = prediction::estimate(models, one, now);
  if (!answer) return;
  if (const auto only = answer->parts.front().batch_size)
    question.batch_size = static_cast<std::int64_t>(*only);
}

tl::expected<std::optional<RunRow>, Reply> Router::take_from_run(Call& call, Question& question) {
  if (!question.like) return std::nullopt;
  auto row = find_run(reader_, std::to_string(*question.like));
  if (!row) return tl::unexpected(std::move(row.error()));
  // Of a run that only tested there is no training to ask about.
  if (!call.params.has("phase") && row->run.job == Job::test) question.phase = Question::Phase::test;
  const auto settings = question.settings;
  const auto host = question.host;
  question = prediction::like(row->run, std::move(question));
  if (privacy_.hides(row->owner, call.request)) {  // how long it goes on is its size, which is shown
    question.settings = settings;
    question.host = host;
    row->run.settings.clear();
    row->run.host.clear();
  }
  return std::move(*row);
}

// What must be made anew for the answer is made on a worker.
Outcome Router::answered(const Question& question, Answering answering) {
  const auto models = backend_.models();
  auto own = prediction::own_models(*models, question);
  if (!question.at && own.empty()) return answering(reader_, models, options_.now());
  return on_worker(backend_, [models, question, own = std::move(own), answering = std::move(answering),
                              now = options_.now()](Reader& reader) {
    return answering(reader, made_anew(reader, models, question, own), question.at.value_or(now));
  });
}

Outcome Router::estimate(Call& call) {
  const bool shown = call.request.method == "POST";
  Question question = question_from(call.params, shown, *backend_.models());
  question.asker = call.request.uid;
  const auto quantity = quantity_from(call.params);
  if (auto problem = call.params.check()) return reply_of(*problem);
  auto like = take_from_run(call, question);
  if (!like) return std::move(like.error());
  if (shown)
    return Work{[&backend = backend_, models = backend_.models(), formats = backend_.formats(),
                 body = std::move(call.request.body), question = std::move(question), quantity,
                 now = options_.now()] {
      return estimate_shown(backend, models, *formats, body, question, quantity, now);
    }};
  return answered(question, [=, like = std::move(*like)](Reader& reader, const auto& models, Instant now) {
    return estimate_named(reader, models, question, like, quantity, now);
  });
}

// Every estimator's record in every kind of question, and who answers it: Madougou's table.
Outcome Router::estimators(Call& call) {
  const auto quantity = quantity_from(call.params);
  if (auto problem = call.params.check()) return reply_of(*problem);
  const auto set = backend_.models();
  JsonWriter json;
  json.begin_object().key("estimators").begin_array();
  const auto& knowledge = set->of(quantity);
  if (knowledge)
    for (std::size_t i = 0; i < estimators::estimators().size(); ++i) write_estimator(json, *knowledge, i);
  json.end_array().key("next").null().end_object();
  return json_reply(json);
}

}  // namespace etad::service
