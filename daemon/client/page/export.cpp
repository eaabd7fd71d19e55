#include "daemon/client/page/export.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "parsers/base/printable.h"
#include "parsers/base/timestamp.h"

namespace etad::client {
namespace {

using boost::json::object;
using boost::json::value;

constexpr std::size_t kMostRuns = 40;                   // in full, with what they did over time
constexpr std::size_t kMostNetworkRuns = 8000;          // of all networks together, each as many
constexpr std::size_t kMostBytes = 24UL * 1024 * 1024;  // of data: a file that can still be mailed
constexpr std::int64_t kSeriesPoints = 400;             // of a series over a run's time

// Seconds since 1970, as page/js counts them.
std::optional<std::int64_t> unix_time(const value& rfc3339) {
  const auto at = from_rfc3339(rfc3339.get_string());
  if (!at) return std::nullopt;
  return std::chrono::floor<std::chrono::seconds>(*at).time_since_epoch().count();
}

std::string encoded(const value& part) {
  if (part.is_null()) return {};
  const std::string text = part.is_string() ? std::string(part.get_string()) : boost::json::serialize(part);
  return percent_encoded(text);
}

// The targets that page/js asks for, in the same words: the answers are found by them.
class Collector {
 public:
  explicit Collector(const std::function<Result<Response>(const std::string&)>& ask) : ask_(ask) {}

  // The answer, kept under its target; an empty object where there is none to be had. `what`: what is missing
  // without it.
  object get(const std::string& target, const std::string& what) {
    if (failed_) return {};
    auto response = ask_(target);
    if (!response) {
      failed_ = response.error();
      return {};
    }
    boost::json::error_code error;
    value parsed = boost::json::parse(response->body, error);
    if (error || !parsed.is_object() || !response->ok()) return {};
    if (bytes_ + response->body.size() > kMostBytes) {
      if (left_out_.empty() || left_out_.back() != what) left_out_.push_back(what);
      return {};
    }
    bytes_ += response->body.size();
    answers_[target] = parsed;
    return std::move(parsed.get_object());
  }

  const std::optional<Error>& failed() const { return failed_; }
  object& answers() { return answers_; }
  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  const std::function<Result<Response>(const std::string&)>& ask_;
  std::optional<Error> failed_;
  std::size_t bytes_ = 0;
  object answers_;
  std::vector<std::string> left_out_;
};

const boost::json::array& list_in(const object& answer, std::string_view name) {
  static const boost::json::array kNone;
  const value* const list = answer.if_contains(name);
  return list != nullptr && list->is_array() ? list->get_array() : kNone;
}

// The curve of a model over the batch size; the parameters are those of curveQuestion in network.js.
std::string curve_target(const object& model) {
  std::string out = "/v1/whatif?vary=batch_size";
  for (const char* const name :
       {"network", "architecture", "framework", "host", "device", "devices", "phase"}) {
    const value* const part = model.if_contains(name);
    if (part != nullptr) out += "&" + std::string(name) + "=" + encoded(*part);
  }
  return out + "&iterations=1000";
}

// What the traces say of a run's GPUs; the series and the window are those of page/js/traces.js.
void collect_traces(Collector& collector, const object& run, const std::string& what) {
  const value* const usage = run.if_contains("usage");
  if (usage == nullptr || !usage->is_object() || list_in(usage->get_object(), "gpus").empty()) return;
  const value* const from = usage->get_object().if_contains("from");
  const value* const to = usage->get_object().if_contains("to");
  if (from == nullptr || to == nullptr || !from->is_string() || !to->is_string()) return;
  const auto begin = unix_time(*from), end = unix_time(*to);
  if (!begin || !end) return;
  const std::int64_t step = std::max<std::int64_t>(1, (*end - *begin) / kSeriesPoints);
  for (const char* const series : {"gpu.utilization", "gpu.power", "gpu.clock_sm", "gpu.memory_used"}) {
    collector.get("/v1/series/" + std::string(series) + "?from=" + encoded(*from) + "&to=" + encoded(*to) +
                      "&step=" + std::to_string(step),
                  what);
  }
}

void collect_runs(Collector& collector, const object& runs) {
  std::size_t taken = 0;
  for (const value& run : list_in(runs, "runs")) {
    if (++taken > kMostRuns || !run.is_object()) break;
    const value* const id = run.get_object().if_contains("id");
    if (id == nullptr) continue;
    const std::string number = boost::json::serialize(*id), target = "/v1/runs/" + number;
    const std::string what = "run " + number;
    collect_traces(collector, collector.get(target, what), what);
    collector.get(target + "/segments?points=1000", what);
    collector.get(target + "/progress?points=1000", what);
  }
}

// Each network's curves before any one's runs: those are many, and fewer of each show a network, too.
void collect_networks(Collector& collector, const object& networks) {
  std::vector<std::string> names;
  for (const value& network : list_in(networks, "networks")) {
    const value* const name = network.is_object() ? network.get_object().if_contains("network") : nullptr;
    if (name == nullptr || !name->is_string()) continue;
    std::string text(name->get_string());
    if (std::ranges::find(names, text) != names.end()) continue;  // of another architecture
    names.push_back(std::move(text));
    const std::string what = "the curves of " + names.back();
    const object models = collector.get("/v1/models?network=" + encoded(*name), what);
    for (const value& model : list_in(models, "models"))
      if (model.is_object()) collector.get(curve_target(model.get_object()), what);
  }
  const std::size_t each =
      std::clamp<std::size_t>(kMostNetworkRuns / std::max<std::size_t>(1, names.size()), 1, 1000);
  collector.answers()["network_runs"] = each;  // as many does the page ask for
  for (const std::string& name : names)
    collector.get("/v1/runs?network=" + percent_encoded(name) + "&limit=" + std::to_string(each),
                  "the runs of " + name);
}

std::string as_markup(const value& cell) {
  const std::string text = cell.is_string() ? std::string(cell.get_string())
                           : cell.is_null() ? ""
                                            : boost::json::serialize(cell);
  std::string out;
  for (const char c : printable(text.substr(0, 200))) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

// What can be read where no script runs: the plain lists.
std::string plain_table(const object& answer, std::string_view name,
                        const std::vector<std::string_view>& columns) {
  std::string out = "<h2>" + std::string(name) + "</h2>\n<table><thead><tr>";
  for (const std::string_view column : columns) out += "<th>" + std::string(column) + "</th>";
  out += "</tr></thead><tbody>\n";
  for (const value& row : list_in(answer, name)) {
    if (!row.is_object()) continue;
    out += "<tr>";
    for (const std::string_view column : columns) {
      const value* const cell = row.get_object().if_contains(column);
      out += "<td>" + (cell == nullptr ? "" : as_markup(*cell)) + "</td>";
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

}  // namespace

Result<ExportedPage> exported_page(const std::function<Result<Response>(const std::string& target)>& ask,
                                   const PageAssets& assets) {
  Collector collector(ask);
  for (const char* const target : {"/v1/health", "/v1/accuracy", "/v1/predictions?limit=1000",
                                   "/v1/estimators", "/v1/sources?limit=1000", "/v1/series?limit=1000"}) {
    collector.get(target, target);
  }
  const object runs = collector.get("/v1/runs?limit=200", "the runs");
  collect_networks(collector, collector.get("/v1/networks?limit=200", "the networks"));
  collect_runs(collector, runs);
  if (collector.failed()) return tl::unexpected(*collector.failed());
  object& answers = collector.answers();
  const auto answer = [&](const char* target) {
    const value* const found = answers.if_contains(target);
    return found == nullptr ? object() : found->get_object();
  };
  const std::string tables =
      "<noscript>" +
      plain_table(answer("/v1/runs?limit=200"), "runs",
                  {"id", "network", "state", "framework", "device", "started_at", "ended_at"}) +
      plain_table(answer("/v1/networks?limit=200"), "networks",
                  {"network", "runs", "batch_sizes", "devices", "last_seen"}) +
      plain_table(answer("/v1/sources?limit=1000"), "sources",
                  {"path", "state", "format", "lines", "matched"}) +
      "</noscript>";
  answers["exported_at"] =
      to_rfc3339(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()));
  answers["left_out"] = boost::json::value_from(collector.left_out());
  auto text = assets.export_with(boost::json::serialize(answers), tables);
  if (!text) return tl::unexpected(text.error());
  return ExportedPage{std::move(*text), collector.left_out()};
}

bool write_private(const std::string& path, std::string_view text) {
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_EXCL, S_IRUSR | S_IWUSR);
  if (file < 0) return false;
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(file, text.data() + done, text.size() - done);
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  return close(file) == 0 && done == text.size();
}

bool replace_private(const std::string& path, std::string_view text) {
  struct stat there {};
  if (lstat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) return false;  // a device, a link
  const std::string beside = path + "." + std::to_string(getpid()) + ".new";
  if (write_private(beside, text) && std::rename(beside.c_str(), path.c_str()) == 0) return true;
  unlink(beside.c_str());
  return false;
}

}  // namespace etad::client
