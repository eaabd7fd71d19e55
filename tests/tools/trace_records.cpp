// trace_records RULES FILE… [-- LABEL=VALUE…]: what files amount to as the daemon would read them, a line a
// file: format, lines, samples, series, what was rejected and why. With --series each file's series and their
// extremes below it. A tool for people who have real traces at hand.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <limits>
#include <map>

#include "daemon/rules.h"
#include "parsers/lines/line.h"
#include "parsers/log/log_parser.h"

namespace {

using namespace etad;

struct Extent {
  std::string unit;
  double min = std::numeric_limits<double>::infinity(), max = -min;
  std::int64_t count = 0;
  Instant first{}, last{};
};

void take(const Records& records, std::map<std::string, Extent>& series) {
  for (const auto& [named, samples] : records.sampled) {
    Extent& of = series[named->name + "{" + named->labels + "}"];
    of.unit = named->unit;
    for (const Sample& sample : samples) {
      of.min = std::min(of.min, sample.value);
      of.max = std::max(of.max, sample.value);
      of.first = of.count == 0 ? sample.at : std::min(of.first, sample.at);
      of.last = of.count == 0 ? sample.at : std::max(of.last, sample.at);
      ++of.count;
    }
  }
}

void read(const std::string& path, const LogOptions& options, bool with_series) {
  std::ifstream in(path, std::ios::binary);
  LogParser parser(options);
  Records records;
  LineLosses losses;
  std::map<std::string, Extent> series;
  std::int64_t lines = 0, samples = 0, rejected = 0;
  const auto flush = [&] {
    samples += static_cast<std::int64_t>(records.samples());
    rejected += records.rejected;
    take(records, series);
    records.clear();
  };
  const Instant modified = std::chrono::sys_days(std::chrono::year(2027) / 6 / 1);  // later than any at hand
  for (std::string line; std::getline(in, line); ++lines) {
    parser.feed(clean_line(line, 64 * 1024, losses), std::nullopt, modified, records);
    flush();
  }
  parser.settle(records);
  flush();
  std::cout << (parser.format().empty() ? "none" : parser.format()) << "\t" << lines << " lines\t"
            << parser.matched() << " matched\t" << samples << " samples\t" << series.size() << " series\t"
            << rejected << " rejected\t" << path << "\t" << parser.complaint() << "\n";
  if (!with_series) return;
  for (const auto& [name, of] : series) {
    std::cout << "    " << name << " " << of.count << ": " << of.min << " to " << of.max << " " << of.unit
              << ", " << to_rfc3339(of.first) << " to " << to_rfc3339(of.last) << "\n";
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> files;
  LogOptions options;
  bool with_series = false, labels = false;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    if (word == "--") {
      labels = true;
    } else if (word == "--series") {
      with_series = true;
    } else if (!labels) {
      files.push_back(word);
    } else if (equals != std::string::npos) {
      options.labels[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
  if (files.empty()) {
    std::cerr << "trace_records RULES [--series] FILE... [-- LABEL=VALUE...]\n";
    return 2;
  }
  const auto formats = load_rules({argv[1]});
  if (!formats) {
    for (const Error& error : formats.error()) std::cerr << error.text() << "\n";
    return 1;
  }
  options.formats = formats->get();
  if (options.labels.contains("format")) options.format = options.labels["format"];
  if (options.labels.contains("columns")) options.columns = split_columns(options.labels["columns"]);
  for (const std::string& file : files) read(file, options, with_series);
  return 0;
}
