#include "daemon/service/router.h"

#include <algorithm>
#include <limits>

#include "daemon/service/openapi.h"
#include "daemon/service/router_call.h"
#include "daemon/service/views.h"
#include "parsers/base/number.h"
#include "parsers/base/suggest.h"
#include "prediction/names.h"

namespace etad::service {
namespace {

using prediction::equal_ignoring_case;

std::string_view path_of(std::string_view target) {
  return target.substr(0, target.find('?'));
}

std::string_view query_of(std::string_view target) {
  const std::size_t mark = target.find('?');
  return mark == std::string_view::npos ? std::string_view{} : target.substr(mark + 1);
}

// Whether `path` is of the form `pattern`; what stands for its one {…} goes to `argument`, still encoded.
bool matches(std::string_view pattern, std::string_view path, std::string_view& argument) {
  const std::size_t open = pattern.find('{');
  if (open == std::string_view::npos) return pattern == path;
  const std::string_view tail = pattern.substr(pattern.find('}') + 1);
  if (path.size() <= open + tail.size() || !path.starts_with(pattern.substr(0, open)) ||
      !path.ends_with(tail)) {
    return false;
  }
  argument = path.substr(open, path.size() - open - tail.size());
  return argument.find('/') == std::string_view::npos;
}

// HEAD is answered as GET is; the connection leaves the body out.
bool answers(std::string_view route_method, std::string_view method) {
  return route_method == method || (route_method == "GET" && method == "HEAD");
}

// A browser can be talked into sending requests anywhere, but not without an Origin or with our Host.
bool foreign(const Request& request) {
  if (request.has_origin) return true;
  const std::string_view host = std::string_view(request.host).substr(0, request.host.find(':'));
  return !(host.empty() || equal_ignoring_case(host, "localhost") || equal_ignoring_case(host, "etad"));
}

Problem unknown_path(std::string_view path, std::vector<std::string> known) {
  return {404, "", "There is nothing at " + valid_utf8(path.substr(0, 200)) + ".",
          "GET /v1 lists what there is", near_names(path, std::move(known), 3)};
}

}  // namespace

Router::Router(Options options, Backend& backend, Reader& reader, prediction::LiveRuns& live)
    : options_(std::move(options)),
      backend_(backend),
      reader_(reader),
      live_(live),
      privacy_(options_.private_runs) {}

const std::vector<Router::Route>& Router::routes() {
  static const std::vector<Route> kRoutes = {
      {"GET", "/v1", &Router::index},
      {"GET", "/v1/openapi.json", &Router::description},
      {"GET", "/v1/health", &Router::health},
      {"GET", "/v1/estimate", &Router::estimate},
      {"POST", "/v1/estimate", &Router::estimate},
      {"GET", "/v1/whatif", &Router::what_if},
      {"GET", "/v1/next", &Router::next},
      {"GET", "/v1/estimators", &Router::estimators},
      {"GET", "/v1/runs", &Router::runs},
      {"GET", "/v1/runs/{id}", &Router::run},
      {"GET", "/v1/runs/{id}/segments", &Router::segments},
      {"GET", "/v1/runs/{id}/progress", &Router::progress},
      {"GET", "/v1/networks", &Router::networks},
      {"GET", "/v1/models", &Router::models},
      {"GET", "/v1/models/{id}", &Router::model},
      {"GET", "/v1/accuracy", &Router::accuracy},
      {"GET", "/v1/predictions", &Router::predictions},
      {"GET", "/v1/sources", &Router::sources},
      {"GET", "/v1/series", &Router::series},
      {"GET", "/v1/series/{name}", &Router::series_points},
      {"POST", "/v1/imports", &Router::import, true, true},
      {"POST", "/v1/runs/{id}/labels", &Router::label, true},
      {"DELETE", "/v1/runs/{id}", &Router::forget_run, true},
      {"POST", "/v1/sources/{id}/reread", &Router::reread, true},
      {"DELETE", "/v1/sources/{id}", &Router::forget_source, true},
      {"DELETE", "/v1/owners/{uid}", &Router::forget_owner, true},
      {"POST", "/v1/refit", &Router::refit, true},
      {"POST", "/v1/reload", &Router::reload, true},
      {"POST", "/v1/backup", &Router::backup, true},
      {"GET", "/metrics", &Router::metrics},
  };
  return kRoutes;
}

std::optional<Reply> Router::objection(const Request& request) const {
  Problem problem;
  if (foreign(request)) {
    problem.status = 403;
    problem.title = "Foreign request";
    problem.detail = "Requests from web pages or for another host are not answered here.";
    problem.hint = "send no Origin and no Referer, and Host: localhost";
    return reply_of(problem);
  }
  const std::string_view path = path_of(request.target);
  std::string_view argument;
  std::string allowed;
  std::vector<std::string> known;
  for (const Route& route : routes()) {
    known.emplace_back(route.path);
    if (!matches(route.path, path, argument)) continue;
    if (!answers(route.method, request.method)) {
      allowed +=
          (allowed.empty() ? "" : ", ") + std::string(route.method == "GET" ? "GET, HEAD" : route.method);
      continue;
    }
    if (!route.changes || request.may_change) return std::nullopt;
    problem.status = 403;
    problem.detail = "Only root, the daemon's own user and its admin group may do that.";
    problem.hint = "run it with sudo, or ask to be made a member of the admin group";
    return reply_of(problem);
  }
  if (allowed.empty()) return reply_of(unknown_path(path, std::move(known)));
  problem.status = 405;
  problem.detail = valid_utf8(request.method.substr(0, 32)) + " is not for " + std::string(path) + ".";
  problem.headers = {{"Allow", allowed}};
  return reply_of(problem);
}

bool Router::streams(const Request& request) const {
  std::string_view argument;
  return std::any_of(routes().begin(), routes().end(), [&](const Route& route) {
    return route.streams && route.method == request.method &&
           matches(route.path, path_of(request.target), argument);
  });
}

Outcome Router::handle(Request request) {
  if (auto reply = objection(request)) return std::move(*reply);
  return dispatch(request);
}

Outcome Router::dispatch(Request& request) {
  const std::string_view path = path_of(request.target);
  for (const Route& route : routes()) {
    std::string_view argument;
    if (!answers(route.method, request.method) || !matches(route.path, path, argument)) continue;
    auto decoded = percent_decoded(argument, false);
    if (!decoded) break;
    Call call{request, std::move(*decoded), Params(query_of(request.target))};
    if (const auto* takes_parameters = std::get_if<0>(&route.handler))
      return (this->**takes_parameters)(call);
    if (auto problem = call.params.check()) return reply_of(*problem);
    return (this->*std::get<1>(route.handler))(call);
  }
  return reply_of(unknown_path(path, {}));
}

std::optional<std::int64_t> id_from(const std::string& text, std::int64_t least) {
  return parse_number<std::int64_t>(text, least, std::numeric_limits<std::int64_t>::max());
}

Reply no_such(const std::string& what, const std::string& argument, std::string hint) {
  return reply_of(
      Problem{404, "Unknown " + what,
              "There is no " + what + " " + valid_utf8(argument.substr(0, 40)) + " in the history.",
              std::move(hint)});
}

tl::expected<RunRow, Reply> find_run(Reader& reader, const std::string& number) {
  const auto id = id_from(number);
  auto row = id ? reader.run(*id) : Result<std::optional<RunRow>>();
  if (!row) return tl::unexpected(history_failed(row.error()));
  if (!*row)
    return tl::unexpected(no_such("run", number, "`etactl runs --all` lists the runs with their ids"));
  return std::move(**row);
}

std::int64_t limit_from(Params& params, std::int64_t fallback, std::int64_t most) {
  return params.integer("limit", 1, most).value_or(fallback);
}

Page page_from(Params& params, std::int64_t fallback, std::int64_t most) {
  Page page;
  page.limit = limit_from(params, fallback, most);
  page.cursor = params.integer("cursor", 0, std::int64_t{1} << 62).value_or(0);
  return page;
}

Outcome Router::index(const Call&) {
  const Health health = backend_.health();
  JsonWriter json;
  json.begin_object().field("name", "etad").field("version", options_.version).field("api", "v1");
  json.key("extensions").begin_array().value("watch").value("gzip_imports").value("problem_details");
  json.end_array();
  json.field("beside", backend_.formats()->beside());
  json.field("started_at", health.started_at);
  json.field("uptime_seconds", std::chrono::duration<double>(options_.now() - health.started_at).count());
  json.key("endpoints").begin_array();
  for (const Route& route : routes()) json.value(std::string(route.method) + " " + std::string(route.path));
  json.end_array().end_object();
  return json_reply(json);
}

Outcome Router::description(const Call&) {
  return Reply{200, "application/json", {}, std::string(openapi())};
}

}  // namespace etad::service
