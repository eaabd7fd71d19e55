// etactl check-rules --try: what rule files would make of a log, without a daemon and without a history.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <map>

#include "daemon/client/commands.h"
#include "daemon/client/text.h"
#include "parsers/lines/line.h"
#include "parsers/log/log_parser.h"
#include "parsers/lines/event_records.h"
#include "parsers/rules/line_templates.h"

namespace etad::client {
namespace {

constexpr std::size_t kLineLimit = 64 * 1024;
constexpr std::size_t kTemplatesShown = 12;

// Every line of the log, as the daemon would read it.
template <class Take>
bool each_line(const std::string& path, Take&& take) {
  std::ifstream in(path, std::ios::binary);
  if (!in) return false;
  LineLosses losses;
  std::vector<std::string_view> states;
  std::string head(kRecordHead, '\0');
  if (in.read(head.data(), static_cast<std::streamsize>(head.size())) && begins_event_file(head)) {
    const std::string rest((std::istreambuf_iterator<char>(in)), {});
    for (const std::string& line : event_lines(head + rest, kLineLimit)) take(line);
    return true;
  }
  in.clear();
  in.seekg(0);
  for (std::string raw; std::getline(in, raw);) {
    states.clear();
    clean_states(raw, kLineLimit, states, losses);
    for (const std::string_view line : states) take(line);
  }
  return true;
}

void show(const Run& run) {
  std::cout << "  run " << run.ordinal + 1 << ": " << name_of(run.job) << ", " << name_of(run.state)
            << ", framework " << printable(run.framework) << ", network "
            << (run.network.empty() ? "unknown" : printable(run.network));
  if (run.iteration) std::cout << ", iteration " << *run.iteration;
  if (run.max_iterations) std::cout << " of " << *run.max_iterations;
  std::cout << '\n';
  for (const auto& [name, phase] : {std::pair("train", &run.train), std::pair("test", &run.test)}) {
    if (phase->segments == 0) continue;
    std::cout << "    " << name << ": " << phase->segments << " segments, " << phase->iterations
              << " iterations in " << to_seconds(phase->duration) << " s, "
              << to_seconds(phase->duration) / static_cast<double>(phase->iterations)
              << " s each; samples per iteration ";
    if (phase->samples_per_iteration) {
      std::cout << *phase->samples_per_iteration << '\n';
    } else {
      std::cout << "unknown\n";
    }
  }
  if (run.train.segments + run.test.segments == 0) std::cout << "    no segments: no line gives it times\n";
}

void show(const LineTemplates& unmatched) {
  if (unmatched.lines() == 0) return;
  std::cout << "\nLines that no rule matches (" << unmatched.lines()
            << "), by how often they come; <numbers> are marked:\n";
  for (const LineTemplates::Template& found : unmatched.most_frequent(kTemplatesShown)) {
    std::cout << std::setw(8) << found.lines << "  " << printable(with_numbers_marked(found.example)) << '\n'
              << "          pattern = '''" << printable(pattern_for(found.example)) << "'''\n";
  }
}

}  // namespace

int try_rules(const FormatSet& formats, const std::string& path) {
  LogOptions options;
  options.formats = &formats;
  LogParser parser(options);
  Records records;
  const auto now = std::chrono::time_point_cast<Instant::duration>(std::chrono::system_clock::now());
  std::int64_t lines = 0;
  const bool read = each_line(path, [&](std::string_view line) {
    parser.feed(line, std::nullopt, now, records);
    ++lines;
  });
  if (!read) {
    std::cerr << "etactl: " << printable(path) << ": can't be read\n";
    return kUsage;
  }
  parser.settle(records);
  parser.close(records);
  parser.flush(records);
  std::map<std::int64_t, Run> runs;
  for (const Run& run : records.runs) runs[run.ordinal] = run;
  const std::string& name = parser.format();
  std::cout << printable(path) << ": " << lines << " lines, "
            << (name.empty() ? std::string("of no format that these rules know") : "format " + name) << ", "
            << runs.size() << (runs.size() == 1 ? " run" : " runs");
  if (!records.samples.empty()) std::cout << ", " << records.samples.size() << " samples";
  if (records.rejected > 0) std::cout << ", " << records.rejected << " measurements rejected";
  std::cout << '\n';
  for (const auto& [ordinal, run] : runs) show(run);
  if (!records.samples.empty()) return kDone;  // a trace's lines are no rule file's

  // Which lines are unmatched, the format that came out tells best; it was not known from the first line on.
  const auto format = formats.find(name);
  if (format && format->is_table()) return kDone;
  LineTemplates unmatched;
  TimeContext time;
  time.reference = now;
  each_line(path, [&](std::string_view line) {
    const bool blank = line.find_first_not_of(" \t") == std::string_view::npos;
    if (!blank && (!format || format->match(line, time).rule == Event::kNoRule)) unmatched.add(line);
  });
  show(unmatched);
  return runs.empty() ? kRefused : kDone;
}

}  // namespace etad::client
