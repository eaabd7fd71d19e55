// The routes below /v1/runs, and watching.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <set>

#include "daemon/service/labels.h"
#include "daemon/service/router.h"
#include "daemon/service/router_call.h"
#include "daemon/service/thinning.h"
#include "daemon/service/views.h"
#include "prediction/names.h"

namespace etad::service {
namespace {

using prediction::AnomalyTraces;
using prediction::RunForecast;

constexpr std::int64_t kMostRuns = 1000;
constexpr std::int64_t kMostPoints = 10'000;  // of a thinned list

// Traces of a run that lasted for longer are read by a worker.
constexpr std::chrono::days kShortRun{7};
constexpr std::int64_t kAllRows = std::numeric_limits<std::int64_t>::max();

// Everything that `read(from, limit)` gives, a page at a time: one that a processor's cache holds. False: it was more
// than about `most`, and not all of it is read.
template <class Read, class Each>
Result<bool> for_each_in_pages(std::int64_t most, const Read& read, const Each& each) {
  constexpr std::int64_t kPage = 4096;
  for (std::int64_t from = 0; from < most; from += kPage) {
    const auto items = read(from, kPage);
    if (!items) return tl::unexpected(items.error());
    for (const auto& item : *items) each(item);
    if (static_cast<std::int64_t>(items->size()) < kPage) return true;
  }
  return false;
}

// The answer that needs all of a run; nothing where that is more than about `most` rows. Of a short run at once, of a
// long one, of which there may be a billion, by a worker.
using OfAll = std::function<std::optional<Reply>(Reader& reader, std::int64_t most)>;

Outcome of_all(Reader& reader, Backend& backend, OfAll answer) {
  if (auto few = answer(reader, kFewRows)) return std::move(*few);
  return on_worker(backend,
                   [answer = std::move(answer)](Reader& own) { return answer(own, kAllRows).value(); });
}

std::optional<Reply> all_segments(Reader& reader, std::int64_t run_id, std::size_t points,
                                  std::int64_t most) {
  Thinning<ThinnedSegment> train(points), test(points);
  const auto read = for_each_in_pages(
      most, [&](std::int64_t from, std::int64_t limit) { return reader.segments(run_id, from, limit); },
      [&](const Segment& each) { (each.phase == Phase::train ? train : test).add(ThinnedSegment(each)); });
  if (!read) return history_failed(read.error());
  if (!*read) return std::nullopt;
  JsonWriter json;
  json.begin_object().key("segments").begin_array();
  for (const auto* list : {&train, &test})
    for (const ThinnedSegment& each : list->items()) write_segment(json, each);
  json.end_array().key("next").null().end_object();
  return json_reply(json);
}

// As whoever may see the losses is shown it, or as others are.
ProgressPoint as_shown(ProgressPoint point, bool hidden) {
  if (hidden) point.loss = std::numeric_limits<double>::quiet_NaN();
  return point;
}

std::optional<Reply> all_points(Reader& reader, std::int64_t run_id, std::size_t points, bool hidden,
                                std::int64_t most) {
  Thinning<ThinnedPoint> thinned(points), snapshots(points);
  const auto read = for_each_in_pages(
      most, [&](std::int64_t from, std::int64_t limit) { return reader.points(run_id, from, limit); },
      [&](const ProgressPoint& each) {
        (each.snapshot ? snapshots : thinned).add(ThinnedPoint(as_shown(each, hidden)));
      });
  if (!read) return history_failed(read.error());
  if (!*read) return std::nullopt;
  JsonWriter json;
  json.begin_object().key("points").begin_array();
  for (const ThinnedPoint& each : thinned.items()) write_point(json, each);
  json.end_array().key("snapshots").begin_array();
  for (const ThinnedPoint& each : snapshots.items())
    json.begin_object().field("iteration", each.point.iteration).field("at", each.point.at).end_object();
  json.end_array().key("next").null().end_object();
  return json_reply(json);
}

std::optional<RunState> state_named(std::string_view name) {
  for (const RunState state :
       {RunState::running, RunState::finished, RunState::stopped, RunState::failed, RunState::lost}) {
    if (name == name_of(state)) return state;
  }
  return std::nullopt;
}

bool fits(const RunFilter& filter, const RunRow& row) {
  const Run& run = row.run;
  return run.state == filter.state.value_or(run.state) &&
         (filter.network.empty() || prediction::equal_ignoring_case(filter.network, run.network)) &&
         (filter.framework.empty() || filter.framework == run.framework) &&
         (!filter.since || (run.started_at && *run.started_at >= *filter.since));
}

// The last loss that a run showed, whatever snapshots it has written since.
std::optional<double> last_loss(Reader& reader, std::int64_t run_id) {
  const auto last = reader.points(run_id, -8, 8);
  if (!last) return std::nullopt;
  const auto point =
      std::find_if(last->rbegin(), last->rend(), [](const ProgressPoint& p) { return !p.snapshot; });
  if (point == last->rend() || !std::isfinite(point->loss)) return std::nullopt;
  return point->loss;
}

// Of a list only the running runs are worth a look at their points.
std::optional<double> live_loss(Reader& reader, const RunRow& row) {
  return row.run.state == RunState::running ? last_loss(reader, row.id) : std::nullopt;
}

struct SingleRun {
  RunRow row, shown;  // and as the asker is shown it
  RunForecast forecast;
  bool hidden = false;  // from the asker
  std::string host;     // this machine's
  Instant now{};
};

bool is_long(const Run& run, Instant now) {
  if (!run.started_at) return false;
  return (run.state == RunState::running ? now : run.ended_at.value_or(now)) - *run.started_at > kShortRun;
}

Reply single_run(Reader& reader, const SingleRun& asked) {
  const RunRow& row = asked.row;
  std::optional<AnomalyTraces> traces;
  if (asked.forecast.anomaly && !asked.hidden) {
    auto found = prediction::traces_of(reader, row, *asked.forecast.anomaly, asked.host, asked.now);
    if (!found) return history_failed(found.error());
    traces = std::move(*found);
  }
  JsonWriter json;
  write_run(json, asked.shown, asked.forecast, asked.hidden ? std::nullopt : last_loss(reader, row.id),
            traces ? &*traces : nullptr);
  std::string body = json.take();
  // The single run says more than the list does: what its GPUs did, what was predicted of it, and a timing
  // run's layers.
  JsonWriter more;
  if (!asked.hidden) {
    const auto usage = prediction::usage_of(reader, row, asked.host, asked.now);
    if (!usage) return history_failed(usage.error());
    more.key("usage");
    write_usage(more, *usage);
  }
  if (const auto predictions = reader.predictions(row.id); predictions && !predictions->empty()) {
    more.key("predictions");
    write_predictions(more, *predictions);
  }
  if (row.run.job == Job::time) {
    if (const auto times = reader.layer_times(row.id); times && !times->empty()) {
      more.key("layer_times");
      write_layer_times(more, *times);
    }
  }
  if (const std::string members = more.take(); !members.empty()) {
    body.pop_back();
    body += "," + members + "}";
  }
  return {200, "application/json", {}, body + "\n"};
}

}  // namespace

// The run as the request's peer is shown it.
void Router::write_shown(JsonWriter& json, const RunRow& row, const Request& request,
                         std::optional<Instant> now) {
  const bool hidden = privacy_.hides(row.owner, request);
  write_run(json, privacy_.shown(row, request), live_.forecast(row, backend_.models(), now),
            hidden ? std::nullopt : live_loss(reader_, row));
}

std::string Router::run_line(const RunRow& row, const Request& request, std::optional<Instant> now) {
  JsonWriter json;
  write_shown(json, row, request, now);
  return json.take();
}

Outcome Router::runs(Call& call) {
  RunFilter filter;
  filter.state =
      state_named(call.params.choice("state", {"running", "finished", "stopped", "failed", "lost"}));
  filter.network = call.params.text_or("network");
  filter.framework = call.params.text_or("framework");
  filter.since = call.params.instant("since", options_.now());
  const bool watch = call.params.flag("watch");
  const Page page = page_from(call.params, watch ? kMostRuns : 100, kMostRuns);
  if (auto problem = call.params.check()) return reply_of(*problem);
  filter.limit = page.limit;
  if (watch) {
    filter.fair = filter.state == RunState::running;  // of all there ever were, that would take long
    call.request.body.clear();
    return Watch{filter, std::move(call.request)};
  }
  filter.limit += 1;
  if (page.cursor > 0) filter.before_id = page.cursor;
  const auto rows = reader_.runs(filter);
  if (!rows) return history_failed(rows.error());
  const Instant now = options_.now();
  return list_reply(
      "runs", *rows, page,
      [&](JsonWriter& json, const RunRow& row) { write_shown(json, row, call.request, now); },
      [&](std::size_t i) { return (*rows)[i].id; });
}

Outcome Router::run(const Call& call) {
  const auto row = find_run(reader_, call.argument);
  if (!row) return row.error();
  const Instant now = options_.now();
  SingleRun asked{*row,
                  privacy_.shown(*row, call.request),
                  live_.forecast(*row, backend_.models(), now),
                  privacy_.hides(row->owner, call.request),
                  options_.host,
                  now};
  if (!is_long(asked.row.run, now)) return single_run(reader_, asked);
  return on_worker(backend_,
                   [asked = std::move(asked)](Reader& reader) { return single_run(reader, asked); });
}

// `points=N`: all of the run in at most so many items.
Outcome Router::segments(Call& call) {
  const Page page = page_from(call.params, 1000, 10'000);
  const auto points = call.params.integer("points", 2, kMostPoints);
  if (auto problem = call.params.check()) return reply_of(*problem);
  const auto row = find_run(reader_, call.argument);
  if (!row) return row.error();
  if (points) {
    return of_all(reader_, backend_,
                  [id = row->id, n = static_cast<std::size_t>(*points)](Reader& reader, std::int64_t most) {
                    return all_segments(reader, id, n, most);
                  });
  }
  const auto items = reader_.segments(row->id, page.cursor, page.limit + 1);
  if (!items) return history_failed(items.error());
  return list_reply(
      "segments", *items, page, [](JsonWriter& json, const Segment& each) { write_segment(json, each); },
      [&](std::size_t i) { return page.cursor + static_cast<std::int64_t>(i) + 1; });
}

Outcome Router::progress(Call& call) {
  const Page page = page_from(call.params, 1000, 10'000);
  const auto points = call.params.integer("points", 2, kMostPoints);
  if (auto problem = call.params.check()) return reply_of(*problem);
  const auto row = find_run(reader_, call.argument);
  if (!row) return row.error();
  const bool hidden = privacy_.hides(row->owner, call.request);
  if (points) {
    return of_all(reader_, backend_,
                  [id = row->id, n = static_cast<std::size_t>(*points), hidden](
                      Reader& reader, std::int64_t most) { return all_points(reader, id, n, hidden, most); });
  }
  const auto items = reader_.points(row->id, page.cursor, page.limit + 1);
  if (!items) return history_failed(items.error());
  return list_reply(
      "points", *items, page,
      [&](JsonWriter& json, const ProgressPoint& each) { write_point(json, as_shown(each, hidden)); },
      [&](std::size_t i) { return page.cursor + static_cast<std::int64_t>(i) + 1; });
}

std::string Router::changes(const Watch& watch, Watched& watched) {
  std::string out;
  const auto rows = reader_.runs(watch.filter);
  if (!rows) return out;  // the history will be readable again, and the change still there
  std::set<std::int64_t> present;
  const auto send = [&](const RunRow& row) {
    // Time that merely passes is no change: what counts is the run as of its last line, and whether it hangs.
    const Instant now = options_.now();
    const bool stalled = live_.forecast(row, backend_.models(), now).stalled;
    const std::size_t hash =
        std::hash<std::string>{}(run_line(row, watch.request, {}) + (stalled ? " stalled" : ""));
    auto& sent = watched.sent[row.id];
    if (sent != hash) out += run_line(row, watch.request, now) + "\n";
    sent = hash;
  };
  for (const RunRow& row : *rows) {
    present.insert(row.id);
    send(row);
  }
  std::int64_t beside = 0;
  for (auto at = watched.sent.begin(); at != watched.sent.end();) {
    if (present.contains(at->first)) {
      ++at;
      continue;
    }
    // It left the filter: said once more as it is now, then forgotten. What runs and has only been crowded out by newer
    // ones is told on until it is over, within reason.
    const auto row = reader_.run(at->first);
    if (!row) return out;
    if (*row) send(**row);
    const bool stays =
        *row && (*row)->run.state == RunState::running && fits(watch.filter, **row) && ++beside <= kMostRuns;
    at = stays ? std::next(at) : watched.sent.erase(at);
  }
  return out;
}

Outcome Router::label(Call& call) {
  auto labels = call.params.prefixed("label.");
  if (auto problem = call.params.check()) return reply_of(*problem);
  auto row = find_run(reader_, call.argument);
  if (!row) return row.error();
  auto given = labels_from(call.request.body);
  if (!given) return reply_of(given.error());
  for (const auto& [name, value] : *given)
    if (labels.try_emplace(name, value).first->second != value)
      return reply_of(Problem{400, "Invalid labels",
                              "Label \"" + valid_utf8(name) + "\" is given twice, with different values."});
  if (labels.empty()) {
    return reply_of(Problem{400, "", "No labels were given.",
                            "send a JSON object such as {\"network\": \"LeNet\", \"batch_size\": 64}"});
  }
  return Work{[&backend = backend_, id = row->id, labels = std::move(labels)]() -> Reply {
    if (const auto done = backend.label(id, labels); !done) return reply_of(problem_of(done.error()));
    JsonWriter json;
    json.begin_object().field("id", id).field("labels", labels).end_object();
    return json_reply(json);
  }};
}

}  // namespace etad::service
