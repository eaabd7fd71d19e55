#include "daemon/service/metrics.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "daemon/service/json_writer.h"
#include "parsers/base/printable.h"

namespace etad::service {
namespace {

using Labels = std::vector<std::pair<std::string, std::string>>;
using Type = Metric::Type;

bool is_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : valid_utf8(text)) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

std::string number(double value) {
  JsonWriter json;
  json.exact(value);
  std::string out = json.take();
  return out == "null" ? "NaN" : out;
}

// Collects points by family: OpenMetrics wants a family's points in one piece.
class Exposition {
 public:
  void add(std::string name, std::string_view help, Type type, std::string_view unit, double value,
           Labels labels = {}) {
    if (!is_name(name)) return;
    Family& family = families_["etad_" + std::move(name)];
    if (family.points.size() >= kMostSets) return;
    family.help = help;
    family.unit = unit;
    family.type = type;
    family.points.emplace_back(written(labels), value);
  }

  std::string text(MetricsForm form) const {
    std::string out;
    for (const auto& [name, family] : families_) {
      const bool counter = family.type == Type::counter;
      const std::string point = counter ? name + "_total" : name;
      const std::string& introduced = form == MetricsForm::open_metrics ? name : point;
      // A unit is stated only where the name ends in it, as the format demands.
      const bool has_unit = !family.unit.empty() && name.ends_with("_" + family.unit);
      out += "# HELP " + introduced + " " + escaped(family.help) + "\n";
      out += "# TYPE " + introduced + (counter ? " counter\n" : " gauge\n");
      if (has_unit) out += "# UNIT " + introduced + " " + family.unit + "\n";
      for (const auto& [labels, value] : family.points) {
        out += point + labels + " " + number(value) + "\n";
      }
    }
    return out + "# EOF\n";
  }

 private:
  struct Family {
    std::string help, unit;
    Type type = Type::gauge;
    std::vector<std::pair<std::string, double>> points;
  };

  static std::string written(const Labels& labels) {
    std::string out;
    for (const auto& [name, value] : labels) {
      if (!is_name(name)) continue;
      out += (out.empty() ? "{" : ",") + name + "=\"" + escaped(printable(value)) + "\"";
    }
    return out.empty() ? out : out + "}";
  }

  std::map<std::string, Family> families_;
};

double seconds_since_epoch(Instant at) {
  return std::chrono::duration<double>(at.time_since_epoch()).count();
}

void add_health(Exposition& out, const Health& health, const std::string& version, Instant now) {
  const auto uptime = std::chrono::duration<double>(now - health.started_at).count();
  out.add("build", "The daemon's version; always 1", Type::gauge, "", 1, {{"version", version}});
  out.add("uptime_seconds", "Time since the daemon started", Type::gauge, "seconds", uptime);
  out.add("healthy", "1 where GET /v1/health says ok, else 0", Type::gauge, "",
          health.failures.empty() ? 1 : 0);
  std::map<std::string, int> parts;
  for (const auto& each : health.failures) ++parts[each.part];
  for (const auto& [part, count] : parts) {
    out.add("failing", "Failures at present, by part of the daemon", Type::gauge, "", count,
            {{"part", part}});
  }
  out.add("sources", "Files followed", Type::gauge, "", static_cast<double>(health.sources));
  out.add("failing_sources", "Followed files that can't be read at present", Type::gauge, "",
          static_cast<double>(health.failing_sources));
  out.add("lag_bytes", "Bytes in followed files that are not yet in the history", Type::gauge, "bytes",
          static_cast<double>(health.lag_bytes));
  out.add("lag_seconds", "Age of the oldest of these bytes", Type::gauge, "seconds", health.lag_seconds);
  if (health.last_commit) {
    out.add("last_commit_timestamp_seconds", "When records were last committed", Type::gauge, "seconds",
            seconds_since_epoch(*health.last_commit));
  }
  if (health.last_refit) {
    out.add("last_refit_timestamp_seconds", "When models were last fitted", Type::gauge, "seconds",
            seconds_since_epoch(*health.last_refit));
  }
  for (const Metric& each : health.metrics) {
    out.add(each.name, each.help, each.type, each.unit, each.value, each.labels);
  }
}

void add_models(Exposition& out, const ModelsView& models) {
  out.add("models", "Fitted models", Type::gauge, "", static_cast<double>(models.count));
  for (const ModelRow& each : models.shown) {
    const ModelKey& key = each.key;
    const Labels labels = {{"network", key.network},
                           {"architecture", key.architecture},
                           {"framework", key.framework},
                           {"host", key.host},
                           {"device", key.device},
                           {"devices", key.devices == 0 ? "" : std::to_string(key.devices)},
                           {"phase", std::string(name_of(key.phase))}};
    if (const auto& error = each.error_percent; error) {
      out.add("model_error_ratio", "Cross-validated mean relative error of the model", Type::gauge, "ratio",
              *error / 100, labels);
    }
    out.add("model_runs", "Runs the model rests on", Type::gauge, "", static_cast<double>(each.runs), labels);
  }
}

void add_running(Exposition& out, const RunningView& running) {
  struct Network {
    std::int64_t runs = 0;
    double remaining = 0, slowdown = 1;
  };
  std::map<std::pair<std::string, std::string>, Network> by_network;
  std::map<std::string_view, std::int64_t> by_state = {{"running", 0}, {"slow", 0}, {"stalled", 0}};
  for (const auto& [run, forecast] : running.shown) {
    Network& network = by_network[{run->network, run->framework}];
    if (forecast.remaining) network.remaining = std::max(network.remaining, forecast.remaining->seconds);
    if (forecast.anomaly) network.slowdown = std::max(network.slowdown, forecast.anomaly->slowdown);
    if (forecast.stalled || forecast.anomaly) ++by_state[forecast.stalled ? "stalled" : "slow"];
  }
  std::int64_t all = 0;
  for (const RunningCount& each : running.counts) {
    all += each.runs;
    const auto network = by_network.find({each.network, each.framework});
    if (network != by_network.end()) network->second.runs = each.runs;
  }
  by_state["running"] = all - by_state["slow"] - by_state["stalled"];
  for (const auto& [state, count] : by_state) {
    out.add("runs", "Runs under way, by how they go: as usual, slower than their model allows, or silent",
            Type::gauge, "", static_cast<double>(count), {{"state", std::string(state)}});
  }
  out.add("runs_running", "Runs under way", Type::gauge, "", static_cast<double>(all));
  for (const auto& [key, value] : by_network) {
    const Labels labels = {{"network", key.first}, {"framework", key.second}};
    out.add("network_runs_running", "Runs under way, by network", Type::gauge, "",
            static_cast<double>(value.runs), labels);
    out.add("network_remaining_seconds", "Longest remaining time of the network's runs", Type::gauge,
            "seconds", value.remaining, labels);
    out.add("network_slowdown_ratio",
            "How many times as long as usual the network's slowest run takes; 1: none is slow", Type::gauge,
            "ratio", value.slowdown, labels);
  }
}

void add_service(Exposition& out, const ServiceCounters& service) {
  const auto add = [&](const char* name, const char* help, Type type, std::int64_t value) {
    out.add(name, help, type, "", static_cast<double>(value));
  };
  add("http_requests", "Requests answered", Type::counter, service.requests);
  add("http_failed_requests", "Requests answered with an error", Type::counter, service.failed_requests);
  add("http_connections", "Open connections", Type::gauge, service.connections);
  add("http_refused_connections", "Connections refused as one too many", Type::counter,
      service.refused_connections);
  out.add("http_held_bytes", "Bytes of requests at work and of answers not yet read", Type::gauge, "bytes",
          static_cast<double>(service.held_bytes));
  add("http_refused_requests", "Requests refused, since their user has not read what was answered before",
      Type::counter, service.refused_requests);
  add("http_timeouts", "Connections closed because the client was too slow", Type::counter, service.timeouts);
  add("imports", "Imports completed", Type::counter, service.imports);
}

}  // namespace

MetricsForm metrics_form(std::string_view accept) {
  const bool asked = accept.find("application/openmetrics-text") != std::string_view::npos;
  return asked ? MetricsForm::open_metrics : MetricsForm::prometheus;
}

const char* content_type(MetricsForm form) {
  return form == MetricsForm::open_metrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                           : "text/plain; version=0.0.4; charset=utf-8";
}

std::string metrics_text(const MetricsView& view, MetricsForm form) {
  Exposition out;
  add_health(out, view.health, view.version, view.now);
  add_models(out, view.models);
  add_running(out, view.running);
  add_service(out, view.service);
  if (view.size) {
    out.add("history_bytes", "Size of the history on disk", Type::gauge, "bytes",
            static_cast<double>(view.size->bytes));
    out.add("history_runs", "Runs in the history", Type::gauge, "", static_cast<double>(view.size->runs));
    for (const RefusedRow& row : view.size->refused) {
      const std::string owner = row.owner == kUnknownOwner ? "" : std::to_string(row.owner);
      out.add("refused", "What was refused for a user's budget: runs, samples of series, bytes of log",
              Type::counter, "", static_cast<double>(row.count), {{"owner", owner}, {"what", row.what}});
    }
    out.add("history_segments", "Measurements in the history", Type::gauge, "",
            static_cast<double>(view.size->segments));
  }
  return out.text(form);
}

}  // namespace etad::service
