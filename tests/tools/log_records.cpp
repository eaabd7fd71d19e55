// log_records RULES LOG…: what a log's lines amount to, one JSON object a log. A tool for people and for the
// scripts that compare logs with manifests; the daemon's own reading is daemon/'s.
#include <boost/json.hpp>

#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "parsers/format.h"
#include "parsers/tracker.h"

namespace {

namespace json = boost::json;
using namespace etad;

template <class T>
json::value maybe(const std::optional<T>& x) {
  return x ? json::value(*x) : json::value(nullptr);
}

json::value maybe(const std::optional<Instant>& x) {
  return x ? json::value(to_rfc3339(*x)) : json::value(nullptr);
}

json::value maybe(const std::optional<Duration>& x) {
  return x ? json::value(to_seconds(*x)) : json::value(nullptr);
}

json::object phase(const PhaseSummary& p) {
  return {{"batch_size", maybe(p.batch_size)},
          {"samples_per_iteration", maybe(p.samples_per_iteration)},
          {"iterations", p.iterations},
          {"seconds", to_seconds(p.duration)},
          {"segments", p.segments}};
}

json::object run_object(const Run& r) {
  json::object settings;
  for (const auto& [key, value] : r.settings) settings.emplace(key, value);
  return {{"ordinal", r.ordinal},
          {"job", std::string(name_of(r.job))},
          {"state", std::string(name_of(r.state))},
          {"framework", r.framework},
          {"network", r.network},
          {"architecture", r.architecture},
          {"host", r.host},
          {"device", r.device},
          {"devices", r.devices},
          {"started_at", maybe(r.started_at)},
          {"ended_at", maybe(r.ended_at)},
          {"settings", settings},
          {"train", phase(r.train)},
          {"test", phase(r.test)},
          {"iteration", maybe(r.iteration)},
          {"max_iterations", maybe(r.max_iterations)},
          {"first_iteration", maybe(r.first_iteration)},
          {"startup", maybe(r.startup)},
          {"snapshot_seconds", to_seconds(r.snapshot_time)},
          {"snapshots", r.snapshots},
          {"stalls", r.stalls},
          {"loss_is_nan", r.loss_is_nan},
          {"message", r.message}};
}

// Lines as the follower gives them: no CR at the end, nothing of ANSI's colours.
std::string cleaned(const std::string& raw) {
  std::string line;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == '\x1b' && i + 1 < raw.size() && raw[i + 1] == '[') {
      i += 2;
      while (i < raw.size() && !(raw[i] >= '@' && raw[i] <= '~')) ++i;
    } else if (raw[i] != '\r' || i + 1 < raw.size()) {
      line.push_back(raw[i]);
    }
  }
  return line;
}

json::object records_of(const Format& format, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  Tracker tracker({format.framework(), "", std::string(format.section_body()), {}});
  TimeContext context;
  context.reference = Instant(std::chrono::seconds(1811808000));  // 2027-06-01: later than any log at hand
  Records records;
  std::int64_t lines = 0, matched = 0;
  for (std::string raw; std::getline(in, raw); ++lines) {
    const std::string line = cleaned(raw);
    const Event event = format.match(line, context);
    if (event.kind != EventKind::none) ++matched;
    const auto before = records.rejected;
    tracker.feed(line, event, {}, records);
    if (records.rejected > before) std::cerr << path << ':' << lines + 1 << ": rejected: " << line << '\n';
  }
  tracker.close(records);
  tracker.flush(records);
  json::array runs;
  for (const Run& r : records.runs) runs.push_back(run_object(r));
  json::array layers;
  for (const auto& [run, list] : records.layers)
    for (const Layer& l : list) {
      json::array shapes;
      for (const auto& dims : l.shapes) shapes.push_back(json::value_from(dims));
      layers.push_back(json::array{run, l.name, l.type, l.parameters, shapes});
    }
  return {{"file", path},
          {"lines", lines},
          {"matched", matched},
          {"runs", runs},
          {"layers", layers},
          {"segments", records.segments.size()},
          {"points", records.points.size()},
          {"layer_times", records.layer_times.size()},
          {"rejected", records.rejected}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: log_records RULES LOG...\n";
    return 2;
  }
  std::ifstream rules(argv[1]);
  std::ostringstream text;
  text << rules.rdbuf();
  const auto format = Format::load(argv[1], text.str());
  if (!format) {
    for (const Error& e : format.error()) std::cerr << e.text() << '\n';
    return 1;
  }
  for (int i = 2; i < argc; ++i) std::cout << records_of(**format, argv[i]) << '\n';
}
