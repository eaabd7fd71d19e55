#include "tests/parsers/log_reader.h"
#include "parsers/log/log_parser.h"
#include "parsers/rules/shape_memory.h"
#include "tests/places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace etad::test {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Instant reference_time() {
  using namespace std::chrono;
  return sys_days{2026y / December / 1};
}

SourceContext source_of(const Format& format) {
  return {format.framework(), "testhost", std::string(format.section_body()), {}};
}

Records records_of(const Format& format, const std::vector<std::string>& lines) {
  Tracker tracker(source_of(format));
  TimeContext context;
  context.reference = reference_time();
  Records records;
  for (const std::string& line : lines) tracker.feed(line, format.match(line, context), {}, records);
  tracker.close(records);
  tracker.flush(records);
  return records;
}

Run only_run(const std::vector<std::string>& lines) {
  const auto runs = runs_of(lines);
  EXPECT_EQ(runs.size(), 1U);
  return runs.size() == 1 ? runs.begin()->second : Run{};
}

double step_time(const Run& run) {
  return to_seconds(run.train.duration) / static_cast<double>(run.train.iterations);
}

std::vector<std::string> caffe_log(const std::string& name) {
  return lines_of(file_text(std::string(ETAD_TEST_DATA) + "/caffe/" + name));
}

std::vector<std::string> caffe_log_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(ETAD_TEST_DATA) + "/caffe"))
    if (entry.path().extension() == ".log" || entry.path().extension() == ".INFO")
      names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

std::map<std::int64_t, Run> runs_of(const std::vector<std::string>& lines,
                                    const std::function<bool(std::size_t)>& restarts) {
  ShapeMemory shapes;
  LogOptions options;
  options.shapes = &shapes;
  options.formats = &shipped_formats();
  LogParser parser(options);
  Records records;
  for (std::size_t i = 0; i <= lines.size(); ++i) {
    if (restarts(i)) {
      auto again = LogParser::restore(options, parser.save());
      EXPECT_TRUE(again);
      if (again) parser = std::move(*again);
    }
    if (i < lines.size()) parser.feed(lines[i], {}, reference_time(), records);
  }
  read_to_end(parser, records);
  return runs_of(records);
}

void read_to_end(LogParser& parser, Records& records) {
  parser.settle(records);
  parser.close(records);
  parser.flush(records);
}

std::map<std::int64_t, Run> runs_of(const Records& records) {
  std::map<std::int64_t, Run> runs;
  for (const Run& run : records.runs) runs[run.ordinal] = run;
  return runs;
}

std::map<std::int64_t, Run> runs_of(const std::vector<std::string>& lines, std::size_t restart) {
  return runs_of(lines, [restart](std::size_t i) { return i > 0 && i == restart; });
}

}  // namespace etad::test
