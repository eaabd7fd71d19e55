// The other routes: health, what the history and the models hold, and what changes the daemon.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>

#include "daemon/service/router.h"
#include "daemon/service/router_call.h"
#include "daemon/service/turn_queue.h"
#include "daemon/service/views.h"
#include "parsers/base/suggest.h"
#include "prediction/names.h"
#include "storage/fair_share.h"

namespace etad::service {
namespace {

using prediction::equal_ignoring_case;
using prediction::FittedModel;
using prediction::Models;

constexpr std::int64_t kPage = 1000, kMostOnPage = 10'000;

// A model of a page; nullptr: it is gone.
struct Listed {
  std::int64_t id = 0;
  std::shared_ptr<const FittedModel> model;
};

// The cursor of a page of networks names the last one and none of its runs, which may be forgotten before the next page
// is asked for. In digits, so that no name has to be escaped in a URL.
std::string cursor_at(const NetworkRow& last) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string cursor = last.architecture + ".";
  for (const char each : last.network) {
    const auto byte = static_cast<unsigned char>(each);
    cursor += {kDigits[byte / 16], kDigits[byte % 16]};
  }
  return cursor;
}

std::optional<NetworkName> network_at(std::string_view cursor) {
  const std::size_t dot = cursor.rfind('.');
  if (dot == std::string_view::npos || (cursor.size() - dot) % 2 == 0) return std::nullopt;
  NetworkName name{{}, std::string(cursor.substr(0, dot))};
  for (std::size_t at = dot + 1; at < cursor.size(); at += 2) {
    const char* const end = cursor.data() + at + 2;
    unsigned byte = 0;
    if (std::from_chars(cursor.data() + at, end, byte, 16).ptr != end) return std::nullopt;
    name.network += static_cast<char>(byte);
  }
  return name;
}

struct SourceView {
  SourceRow row;
  std::string status;
  bool unread = false;
};

// Cursors from here on are of the files that the daemon only looked at, which come behind the history's sources.
constexpr std::int64_t kUnread = std::int64_t{1} << 52;

// A page of the history's sources with what the daemon says of them now, and of the files it only looked at; one more
// where there are more. `owner`: whose alone.
Result<std::vector<SourceView>> source_views(Reader& reader, const Page& page,
                                             const std::optional<std::int64_t>& owner,
                                             const std::map<std::string, std::string>& statuses) {
  auto rows = reader.sources({page.cursor, page.limit + 1, owner});
  if (!rows) return tl::unexpected(rows.error());
  std::vector<SourceView> out;
  for (SourceRow& row : *rows) {
    SourceView& view = out.emplace_back();
    // An import may bear a followed file's name; the file's state is not the import's.
    const auto status = statuses.find(row.path);
    if (status != statuses.end() && row.kind != "import" && !row.gone) view.status = status->second;
    view.row = std::move(row);
  }
  const auto room = static_cast<std::size_t>(page.limit + 1) - out.size();
  if (room == 0 || owner) return out;  // nobody's are these
  std::vector<std::string> paths;
  for (const auto& [path, status] : statuses) paths.push_back(path);
  const auto unread = reader.paths_without_source(paths);
  if (!unread) return tl::unexpected(unread.error());
  const auto before = static_cast<std::size_t>(std::max<std::int64_t>(page.cursor - kUnread, 0));
  for (std::size_t i = before; i < unread->size() && i < before + room; ++i) {
    SourceView& view = out.emplace_back();
    view.row.id = kUnread + static_cast<std::int64_t>(i) + 1;
    view.row.path = (*unread)[i];
    view.status = statuses.at(view.row.path);
    view.unread = true;
  }
  return out;
}

// `list`: etactl's command that lists what there is.
Reply unknown(std::string_view what, const std::string& name, std::string_view list,
              const std::vector<std::string>& known) {
  return reply_of(Problem{404, "Unknown " + std::string(what),
                          "There is no " + std::string(what) + " " + valid_utf8(name.substr(0, 200)) + ".",
                          "`etactl " + std::string(list) + "` lists what there is", near_names(name, known)});
}

// As much of a trace as is asked for, and by default the last hour in some 360 steps.
SeriesQuery series_query(Params& params, Instant now) {
  constexpr std::int64_t kDefaultSteps = 360;
  SeriesQuery query;
  query.to = params.instant("to", now).value_or(now);
  query.from = params.instant("from", now).value_or(query.to - std::chrono::hours{1});
  const auto length = std::chrono::duration_cast<std::chrono::seconds>(query.to - query.from);
  const std::int64_t fitting = std::max<std::int64_t>(1, length.count() / kDefaultSteps);
  const std::int64_t step = params.integer("step", 0, 366 * 86'400).value_or(fitting);
  if (query.from >= query.to) params.reject("from", "must be before \"to\"");
  if (step > 0 && length.count() / step > kMostOnPage) {
    params.reject("step", "is too fine for that time: at most " + std::to_string(kMostOnPage) + " steps");
  }
  if (step == 0 && length > std::chrono::hours{24}) {
    params.reject("step", "of 0, the samples themselves, is for a day at most");
  }
  query.step = std::chrono::seconds{step};
  query.labels = params.prefixed("label.");
  return query;
}

// About how many of a series' samples are of that time.
std::int64_t samples_between(const SeriesRow& row, Instant from, Instant to) {
  if (!row.first_at || !row.last_at) return 0;
  const std::chrono::duration<double> all = *row.last_at - *row.first_at;
  const std::chrono::duration<double> asked = std::min(to, *row.last_at) - std::max(from, *row.first_at);
  if (all.count() <= 0 || asked.count() <= 0) return std::min<std::int64_t>(row.samples, 1);
  return static_cast<std::int64_t>(static_cast<double>(row.samples) * (asked / all));
}

// `known`: the series of that name.
Reply points_of(Reader& reader, const SeriesQuery& query, const std::vector<SeriesRow>& known) {
  const auto found = reader.series_points(query);
  if (!found) return history_failed(found.error());
  if (found->empty() && !query.labels.empty()) {
    std::string labels;
    for (const auto& [name, value] : query.labels) labels += (labels.empty() ? "" : ",") + name + "=" + value;
    std::vector<std::string> there;
    for (const SeriesRow& row : known) there.push_back(row.labels);
    return reply_of(
        Problem{404, "Unknown label",
                "No series " + query.name + " has the label " + valid_utf8(labels.substr(0, 200)) + ".",
                "`etactl series` lists the series with their labels", std::move(there)});
  }
  JsonWriter json;
  json.begin_object().field("name", query.name).field("from", query.from).field("to", query.to);
  json.list("series", *found, write_series_points);
  // Of an empty interval: when there are samples.
  if (std::all_of(found->begin(), found->end(), [](const auto& each) { return each.points.empty(); }))
    json.list("known", known, write_series);
  json.key("next").null().end_object();
  return json_reply(json);
}

// Networks that have no model because nobody says what their runs ran on.
void add_contradictions(const prediction::ModelSet& models, Health& health) {
  if (models.contradictions.empty()) return;
  Health::Note note{Health::Noted::models,
                    "have no device and contradict each other: there is no model of them",
                    "say what each ran on: `etactl label RUN device=NAME`",
                    {},
                    0};
  TurnQueue<std::int64_t, std::string> queue;
  for (const prediction::Contradiction& each : models.contradictions) {
    ++note.count;
    queue.push(each.owner,
               "runs of " + (each.key.network.empty() ? "a network without a name" : each.key.network) +
                   ", " + std::string(name_of(each.key.phase)) + ": such as " +
                   std::to_string(each.fast.runs.front()) + " and " + std::to_string(each.slow.runs.front()));
  }
  while (!queue.empty() && note.subjects.size() < Health::kMostSubjects) note.subjects.push_back(queue.pop());
  health.notes.push_back(std::move(note));
}

// Paths and users, whosever they are; patterns are the configuration's.
void hide_names(Health& health) {
  for (Health::Failure& each : health.failures)
    if (each.part == "sources") each.why = "some can't be read";
  for (Health::Note& each : health.notes)
    if (each.part != Health::Noted::patterns) each.subjects.clear();
}

}  // namespace

Outcome Router::health(const Call& call) {
  Health health = backend_.health();
  const auto size = reader_.size();
  if (!size) health.failures.push_back({"history", size.error().text(), size.error().hint});
  if (auto unrecognised = reader_.unrecognised_sources(Health::kMostSubjects);
      unrecognised && unrecognised->count > 0) {
    health.notes.push_back({Health::Noted::files,
                            unrecognised->count == 1 ? "fits no format so far" : "fit no format so far",
                            "`etactl check-rules --try FILE` shows how far the rules understand one; "
                            "`format` in its [[source]] "
                            "decides, a rule file of one's own teaches a new one: etad-rules(5)",
                            std::move(unrecognised->paths), unrecognised->count});
  }
  if (privacy_.hides({}, call.request)) hide_names(health);
  add_contradictions(*backend_.models(), health);
  std::int64_t running = 0;
  if (const auto counts = reader_.running())
    for (const RunningCount& each : *counts) running += each.runs;
  JsonWriter json;
  write_health(json, health, size ? std::optional(*size) : std::nullopt, running,
               backend_.models()->models->count().value_or(0), options_.version, options_.now());
  return json_reply(json);
}

Outcome Router::networks(Call& call) {
  const Page page{limit_from(call.params, kPage, kMostOnPage)};
  NetworkFilter filter;
  if (const auto cursor = call.params.text("cursor")) {
    filter.after = network_at(*cursor);
    if (!filter.after) call.params.reject("cursor", "this is no page's `next`");
  }
  if (auto problem = call.params.check()) return reply_of(*problem);
  filter.limit = page.limit + 1;
  return Work{[&backend = backend_, filter, page]() -> Reply {
    const auto rows = backend.networks(filter);
    if (!rows) return history_failed(rows.error());
    return list_reply("networks", *rows, page, write_network,
                      [&](std::size_t i) { return cursor_at((*rows)[i]); });
  }};
}

Outcome Router::models(Call& call) {
  const auto network = call.params.text("network");
  const Page page = page_from(call.params, kPage, kMostOnPage);
  if (auto problem = call.params.check()) return reply_of(*problem);
  ModelFilter filter;
  if (network) filter.network = ModelFilter::Name{*network, true};
  filter.after_id = page.cursor;
  filter.limit = page.limit + 1;
  return Work{[models = backend_.models()->models, filter, page]() -> Reply {
    const auto rows = models->list(filter);
    if (!rows) return history_failed(rows.error());
    std::vector<Listed> listed;
    for (const ModelRow& row : *rows) {
      const bool more = listed.size() == static_cast<std::size_t>(page.limit);
      auto model = more ? nullptr : models->load(row.key);  // the next page's first is not shown
      if (!model) return history_failed(model.error());
      listed.push_back({row.id, std::move(*model)});
    }
    return list_reply(
        "models", listed, page,
        [](JsonWriter& json, const Listed& each) {
          if (each.model) write_model(json, *each.model);  // else it went meanwhile
        },
        [&](std::size_t i) { return listed[i].id; });
  }};
}

Outcome Router::model(const Call& call) {
  ModelFilter filter;
  const std::string& id = call.argument;
  filter.id = id_from(id, std::numeric_limits<std::int64_t>::min());
  if (!filter.id) return unknown("model", id, "models", {});
  Models& models = *backend_.models()->models;
  const auto rows = models.list(filter);
  if (!rows) return history_failed(rows.error());
  const auto found = rows->empty() ? nullptr : models.load(rows->front().key);
  if (!found) return history_failed(found.error());
  if (*found == nullptr) return unknown("model", id, "models", {});
  JsonWriter json;
  write_model(json, **found);
  return json_reply(json);
}

Outcome Router::accuracy(Call& call) {
  const auto network = call.params.text("network");
  if (auto problem = call.params.check()) return reply_of(*problem);
  // All predictions that there are go into it.
  return on_worker(backend_, [network](Reader& reader) -> Reply {
    const auto rows = reader.accuracy();
    if (!rows) return history_failed(rows.error());
    JsonWriter json;
    json.begin_object().key("overall").begin_array();
    for (const AccuracyRow& row : *rows) {
      if (!row.network && !network) write_accuracy(json, row);
    }
    json.end_array().key("networks").begin_array();
    for (const AccuracyRow& row : *rows) {
      if (row.network && (!network || equal_ignoring_case(*network, *row.network))) write_accuracy(json, row);
    }
    json.end_array().key("next").null().end_object();
    return json_reply(json);
  });
}

Outcome Router::predictions(Call& call) {
  const std::int64_t limit = call.params.integer("limit", 1, 1000).value_or(200);
  if (auto problem = call.params.check()) return reply_of(*problem);
  const auto scored = reader_.scored_predictions(limit);
  if (!scored) return history_failed(scored.error());
  JsonWriter json;
  json.begin_object().list("predictions", *scored, write_prediction).end_object();
  return json_reply(json);
}

Outcome Router::sources(Call& call) {
  const Page page = page_from(call.params, kPage, kMostOnPage);
  if (auto problem = call.params.check()) return reply_of(*problem);
  std::optional<std::int64_t> owner;
  if (privacy_.hides(std::nullopt, call.request))
    owner = call.request.uid ? std::int64_t{*call.request.uid} : kUnknownOwner;
  return on_worker(backend_, [page, owner, statuses = backend_.source_statuses()](Reader& reader) -> Reply {
    const auto views = source_views(reader, page, owner, statuses);
    if (!views) return history_failed(views.error());
    return list_reply(
        "sources", *views, page,
        [](JsonWriter& json, const SourceView& view) {
          view.unread ? write_unread_source(json, view.row.path, view.status)
                      : write_source(json, view.row, view.status);
        },
        [&](std::size_t i) { return (*views)[i].row.id; });
  });
}

Outcome Router::series(Call& call) {
  const Page page = page_from(call.params, kPage, kMostOnPage);
  if (auto problem = call.params.check()) return reply_of(*problem);
  const auto rows = reader_.series();
  if (!rows) return history_failed(rows.error());
  return slice_reply("series", *rows, page, write_series);
}

Outcome Router::series_points(Call& call) {
  SeriesQuery query = series_query(call.params, options_.now());
  query.name = call.argument;
  if (auto problem = call.params.check()) return reply_of(*problem);
  const auto known = reader_.series(query.name);
  if (!known) return history_failed(known.error());
  if (known->empty()) {
    std::vector<std::string> names;
    if (const auto all = reader_.series(); all) {
      for (const SeriesRow& row : *all) names.push_back(row.name);
    }
    return unknown("series", query.name, "series", names);
  }
  std::int64_t samples = 0;
  for (const SeriesRow& row : *known) samples += samples_between(row, query.from, query.to);
  if (samples <= kFewRows) return points_of(reader_, query, *known);
  return on_worker(backend_, [query = std::move(query), known = *known](Reader& reader) {
    return points_of(reader, query, known);
  });
}

Outcome Router::metrics(const Call& call) {
  RunFilter filter;
  filter.state = RunState::running;
  filter.limit = kMostSets;
  filter.fair = true;
  const auto rows = reader_.runs(filter);
  const auto models = backend_.models();
  RunningView running{reader_.running().value_or(std::vector<RunningCount>()), {}};
  const Instant now = options_.now();
  if (rows) {
    for (const RunRow& row : *rows) running.shown.push_back({&row.run, live_.forecast(row, models, now)});
  }
  const auto health = backend_.health();
  const auto read = reader_.size();
  const auto size = read ? std::optional(*read) : std::nullopt;
  const auto counters = options_.counters();
  const auto form = metrics_form(call.request.accept);
  const auto total = models->models->count();
  const auto listed = models->models->fair_share(kMostSets, kAlwaysTheirs);
  const ModelsView fitted{total.value_or(0), listed.value_or(std::vector<ModelRow>())};
  const MetricsView view{health, size, fitted, running, counters, options_.version, now};
  return Reply{200, content_type(form), {}, metrics_text(view, form)};
}

Outcome Router::import(Call& call) {
  constexpr std::size_t kLongestName = 4096;
  ImportRequest request;
  request.name = call.params.text_or("name", "import");
  if (request.name.empty() || request.name.size() > kLongestName) {
    call.params.reject("name", "must have 1 to " + std::to_string(kLongestName) + " bytes");
  }
  request.format = call.params.text_or("format");
  if (request.format == "auto") request.format.clear();
  request.modified = call.params.instant("modified");
  request.labels = call.params.prefixed("label.");
  request.beside = call.params.prefixed("beside.");
  request.owner = call.request.uid;
  request.replaces = call.params.integer("replaces", 1, std::int64_t{1} << 62).value_or(0);
  if (auto problem = call.params.check()) return reply_of(*problem);
  return Import{std::move(request)};
}

Outcome Router::refit(const Call&) {
  return Work{[&backend = backend_]() -> Reply {
    const auto report = backend.refit();
    if (!report) return reply_of(problem_of(report.error()));
    JsonWriter json;
    json.begin_object().field("fitted", report->fitted).field("unchanged", report->unchanged);
    json.field("failed", report->failed).field("seconds", report->seconds).end_object();
    return json_reply(json);
  }};
}

Outcome Router::backup(const Call&) {
  return Backup{};
}

Outcome Router::reload(const Call&) {
  return Work{[&backend = backend_]() -> Reply {
    // A mistake in the files on disk: the daemon goes on with what it had.
    const auto done = backend.reload();
    if (!done) return reply_of(problem_of(done.error()));
    JsonWriter json;
    json.begin_object().field("reloaded", true).field("after_restart", *done).end_object();
    return json_reply(json);
  }};
}

}  // namespace etad::service
