// log_records RULES LOG…: what a log's lines amount to, one JSON object a log. RULES is one rule file, or a
// folder of them, where each log's format is found by its content. A tool for people and for the scripts that
// compare logs with what is known of them.
#include <boost/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "parsers/lines/log_lines.h"
#include "parsers/log/log_parser.h"
#include "parsers/rules/format.h"
#include "parsers/rules/shape_memory.h"

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
          {"devices", r.devices == 0 ? json::value(nullptr) : json::value(r.devices)},
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

[[noreturn]] void give_up(const std::vector<Error>& errors) {
  for (const Error& e : errors) std::cerr << e.text() << '\n';
  std::exit(1);
}

FormatSet formats_of(const std::filesystem::path& rules) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(rules)) {
    files.push_back(rules);
  } else {
    for (const auto& entry : std::filesystem::directory_iterator(rules))
      if (entry.path().extension() == ".toml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::shared_ptr<const Format>> formats;
  for (const auto& file : files) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    auto format = Format::load(file.string(), text.str());
    if (!format) give_up(format.error());
    formats.push_back(std::move(*format));
  }
  auto set = FormatSet::make(std::move(formats));
  if (!set) give_up(set.error());
  return std::move(*set);
}

json::object records_of(const FormatSet& formats, const std::string& only, const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  ShapeMemory line_shapes;
  LogOptions options;
  options.shapes = &line_shapes;
  options.formats = &formats;
  options.format = only;
  options.beside = [folder = std::filesystem::path(path).parent_path()](const std::string& name) {
    std::ifstream file(folder / name, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(file)), {});
  };
  LogParser parser(options);
  constexpr Instant kLaterThanAnyLog{std::chrono::seconds(1811808000)};  // 2027-06-01
  constexpr std::size_t kLineLimit = 64 * 1024;                          // the daemon's
  Records records;
  std::int64_t lines = 0;
  LogLines content(kLineLimit, [&](std::string_view line, std::optional<Instant> time) {
    const auto before = records.rejected;
    parser.feed(line, time, kLaterThanAnyLog, records);
    ++lines;
    if (records.rejected > before) std::cerr << path << ':' << lines << ": rejected: " << line << '\n';
  });
  content.feed(std::string((std::istreambuf_iterator<char>(in)), {}));
  content.finish();
  parser.settle(records);
  parser.close(records);
  parser.flush(records);
  json::array runs;
  std::map<std::int64_t, const Run*> latest;  // a run is told anew at every change
  for (const Run& r : records.runs) latest[r.ordinal] = &r;
  for (const auto& [ordinal, r] : latest) runs.push_back(run_object(*r));
  json::array layers;
  for (const auto& [run, list] : records.layers)
    for (const Layer& l : list) {
      json::array shapes;
      for (const auto& dims : l.shapes) shapes.push_back(json::value_from(dims));
      layers.push_back(json::array{run, l.name, l.type, l.parameters, shapes});
    }
  return {{"file", path},
          {"format", parser.format()},
          {"lines", lines},
          {"matched", parser.matched()},
          {"runs", runs},
          {"layers", layers},
          {"segments", records.segments.size()},
          {"points", std::count_if(records.points.begin(), records.points.end(),
                                   [](const auto& point) { return !point.value.snapshot; })},
          {"layer_times", records.layer_times.size()},
          {"samples", records.samples()},
          {"rejected", records.rejected}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: log_records RULES LOG...\n";
    return 2;
  }
  const FormatSet formats = formats_of(argv[1]);
  const std::string only = formats.all().size() == 1 ? formats.all().front()->name() : "auto";
  for (int i = 2; i < argc; ++i) std::cout << records_of(formats, only, argv[i]) << '\n';
}
