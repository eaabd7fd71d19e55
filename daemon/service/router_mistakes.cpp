// Putting mistakes right: what was read wrongly is read again or forgotten.
#include "daemon/service/router.h"
#include "daemon/service/router_call.h"

namespace etad::service {
namespace {

// `done(id)` on a worker thread, and {"<did>": id}.
Work work(std::int64_t id, std::string_view did, std::function<Result<void>()> done) {
  return Work{[id, did, done = std::move(done)]() -> Reply {
    if (const auto result = done(); !result) return reply_of(problem_of(result.error()));
    JsonWriter json;
    json.begin_object().field("id", id).field(did, true).end_object();
    return json_reply(json);
  }};
}

Result<std::optional<std::int64_t>> known_source(Reader& reader, const std::string& argument) {
  const auto id = id_from(argument);
  const auto row = id ? reader.source(*id) : Result<std::optional<SourceRow>>(std::nullopt);
  if (!row) return tl::unexpected(row.error());
  return *row && !(*row)->pending ? id : std::nullopt;
}

constexpr char kSourcesHint[] = "`etactl --json sources` lists the sources with their ids";

}  // namespace

Outcome Router::forget_run(const Call& call) {
  const auto id = id_from(call.argument);
  auto row = id ? reader_.run(*id) : Result<std::optional<RunRow>>(std::nullopt);
  if (!row) return history_failed(row.error());
  if (!*row) return no_such("run", call.argument, "`etactl runs --all` lists the runs with their ids");
  return work(*id, "forgotten", [&backend = backend_, id = *id] { return backend.forget_run(id); });
}

Outcome Router::forget_source(const Call& call) {
  const auto id = known_source(reader_, call.argument);
  if (!id) return history_failed(id.error());
  if (!*id) return no_such("source", call.argument, kSourcesHint);
  return work(**id, "forgotten", [&backend = backend_, id = **id] { return backend.forget_source(id); });
}

Outcome Router::forget_owner(const Call& call) {
  const auto uid = id_from(call.argument, 0);
  if (!uid) return no_such("user", call.argument, "an owner is a uid; `id -u USER` tells it");
  return Work{[&backend = backend_, uid = *uid]() -> Reply {
    const auto forgotten = backend.forget_owner(uid);
    if (!forgotten) return reply_of(problem_of(forgotten.error()));
    JsonWriter json;
    json.begin_object().field("owner", uid).field("forgotten", true);
    json.field("runs", forgotten->runs).field("sources", forgotten->sources).end_object();
    return json_reply(json);
  }};
}

Outcome Router::reread(const Call& call) {
  const auto id = known_source(reader_, call.argument);
  if (!id) return history_failed(id.error());
  if (!*id) return no_such("source", call.argument, kSourcesHint);
  return work(**id, "reread", [&backend = backend_, id = **id] { return backend.reread(id); });
}

}  // namespace etad::service
