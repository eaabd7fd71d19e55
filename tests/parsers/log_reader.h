// Reads whole logs through a format and a tracker, for the tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "parsers/log/log_parser.h"
#include "parsers/rules/format.h"
#include "parsers/training/tracker.h"
#include "tests/parsers/shipped_rules.h"

namespace etad::test {

std::vector<std::string> lines_of(const std::string& text);

// A line as printf would write it, of at most 511 bytes.
template <class... Values>
std::string written(const char* form, Values... values) {
  char text[512];
  std::snprintf(text, sizeof text, form, values...);
  return text;
}

// "10:05:12": so many seconds behind the full hour.
inline std::string time_of_day(int hour, int seconds) {
  return written("%02d:%02d:%02d", hour + seconds / 3600, seconds / 60 % 60, seconds % 60);
}

// The lines of 0, 1, … up to count.
inline std::vector<std::string> lines_by(int count, const std::function<std::string(int)>& line) {
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) lines.push_back(line(i));
  return lines;
}

// A moment after every log among the fixtures.
Instant reference_time();

SourceContext source_of(const Format& format);

// Everything a log says, to its end.
Records records_of(const Format& format, const std::vector<std::string>& lines);

// The runs of an old log by their ordinals, read as the daemon reads it: whatever format is recognised. The parser is
// saved and restored before each line (or the end) of whose index `restarts` says so, or once; 0: never.
std::map<std::int64_t, Run> runs_of(const std::vector<std::string>& lines,
                                    const std::function<bool(std::size_t)>& restarts);
std::map<std::int64_t, Run> runs_of(const std::vector<std::string>& lines, std::size_t restart = 0);

// Nothing more comes of the log: what a parser has held back goes to the records, too.
void read_to_end(LogParser& parser, Records& records);

// The runs in records, each as it was told last, by their ordinals.
std::map<std::int64_t, Run> runs_of(const Records& records);

// The only run of such a log; that there is another number of them fails the test.
Run only_run(const std::vector<std::string>& lines);

// Mean seconds of a training iteration that was measured.
double step_time(const Run& run);

// tests/data/caffe/NAME
std::vector<std::string> caffe_log(const std::string& name);
std::vector<std::string> caffe_log_names();

}  // namespace etad::test
