#include "fleet/export/metrics.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>

namespace etad::fleet {
namespace {

void head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
  const std::string full = "etad_export_" + std::string(name);
  out += "# HELP " + full + " " + std::string(help) + "\n# TYPE " + full + " " + std::string(type) + "\n";
}

void sample(std::string& out, std::string_view name, double value) {
  char number[40];
  std::snprintf(number, sizeof number, "%.15g", value);
  out += "etad_export_" + std::string(name) + " " + number + "\n";
}

void metric(std::string& out, std::string_view name, std::string_view type, std::string_view help,
            double value) {
  head(out, name, type, help);
  sample(out, name, value);
}

}  // namespace

std::string metrics_text(const Status& status, double lag) {
  const auto count = [](std::int64_t number) { return static_cast<double>(number); };
  const Counters& c = status.counters;
  std::string out;
  metric(out, "up", "gauge", "Whether the last pass succeeded.", status.error ? 0 : 1);
  metric(out, "backlog_changes", "gauge", "Changes of the history that are not yet in the fleet's database.",
         count(status.waiting));
  metric(out, "lag_seconds", "gauge", "Since all of the history was last in the database.", lag);
  metric(out, "runs_total", "counter", "Runs written, each time that they changed.", count(c.runs));
  metric(out, "architectures_total", "counter", "Architectures written.", count(c.architectures));
  metric(out, "minutes_total", "counter", "Minutes of series written.", count(c.minutes));
  head(out, "failures_total", "counter",
       "Passes that failed, by what the database said (SQLSTATE) or what was lost.");
  for (const auto& [reason, failures] : c.failures)
    sample(out, "failures_total{reason=\"" + reason + "\"}", count(failures));
  metric(out, "refused_total", "counter", "Changes that the database does not take, passed over.",
         count(c.refused));
  metric(out, "carried_anew_total", "counter", "Times that all of the history was carried again.",
         count(c.anew));
  metric(out, "foreign_runs_total", "counter", "Runs left out, because another machine made them.",
         count(c.foreign));
  return out;
}

Result<void> write_metrics(const std::string& path, const std::string& text) {
  const std::string part = path + ".new";
  const auto failed = [&] {
    return fail(std::string("the metrics can't be written: ") + std::strerror(errno),
                "let this user write into the folder, or take `metrics` out of export.toml", path);
  };
  {
    std::ofstream file(part, std::ios::trunc);
    file << text;
    file.close();
    if (!file) return failed();
  }
  chmod(part.c_str(), 0644);
  if (std::rename(part.c_str(), path.c_str()) != 0) return failed();
  return {};
}

}  // namespace etad::fleet
