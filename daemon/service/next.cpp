// GET /v1/next: which runs to make so that estimates become surer.
#include "daemon/service/estimate.h"
#include "daemon/service/router.h"
#include "daemon/service/router_call.h"
#include "daemon/service/views.h"
#include "prediction/as_of.h"
#include "prediction/next_runs.h"

namespace etad::service {
namespace {

constexpr std::int64_t kMostNext = 10;
constexpr double kAnyTime = 1e12;  // seconds: no budget

Reply reply_to(const prediction::Answer<prediction::NextRuns>& answer) {
  if (!answer) return reply_of(problem_of(answer.error()));
  const ModelKey& key = answer->key;
  JsonWriter json;
  json.begin_object();
  write_key(json, key);
  json.field("phase", name_of(key.phase));
  json.list("runs", answer->runs, [](JsonWriter& out, const prediction::NextRun& run) {
    out.begin_object().field("batch_size", run.batch_size).field("devices", run.devices);
    out.field("iterations", run.iterations).field("seconds", run.seconds);
    out.field("half_width_before_percent", run.before_percent);
    out.field("half_width_after_percent", run.after_percent).end_object();
  });
  json.end_object();
  return json_reply(json);
}

}  // namespace

Outcome Router::next(Call& call) {
  Params& params = call.params;
  prediction::Question question = deployment_from(params);
  question.asker = call.request.uid;
  if (params.choice("phase", {"train", "test"}) == "test") question.phase = prediction::Question::Phase::test;
  const auto budget = params.number("budget", 0, kAnyTime);
  const auto limit = params.integer("limit", 1, kMostNext);
  if (!question.network && !question.architecture)
    params.require("network", "which network? (or \"architecture\")");
  if (auto problem = params.check()) return reply_of(*problem);
  return on_worker(backend_,
                   [&backend = backend_, question = std::move(question), budget, limit](Reader& reader) {
                     const auto now = backend.models();
                     const auto models = prediction::as_seen_by_asker(
                         now, prediction::own_models(*now, question), prediction::runs_in(reader));
                     return reply_to(prediction::next_runs(*models, question, budget.value_or(kAnyTime),
                                                           static_cast<std::size_t>(limit.value_or(3))));
                   });
}

}  // namespace etad::service
