// The tracker against tests/oracle/caffe_oracle.py: tests/data/caffe/expected.csv is what that program prints
// for the logs beside it. It shares no code and no patterns with the daemon.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <sstream>

#include "tests/parsers/log_reader.h"

namespace etad::test {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line + ",");
  for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
  return cells;
}

std::vector<Row> expected_rows() {
  const std::vector<std::string> lines = caffe_log("expected.csv");
  const std::vector<std::string> names = cells_of(lines.at(0));
  std::vector<Row> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const std::vector<std::string> cells = cells_of(lines[i]);
    Row& row = rows.emplace_back();
    for (std::size_t c = 0; c < names.size(); ++c) row[names[c]] = cells.at(c);
  }
  return rows;
}

std::string text(const std::optional<std::int64_t>& n) {
  return n ? std::to_string(*n) : "";
}

std::string seconds(Duration d) {
  std::array<char, 32> out{};
  std::snprintf(out.data(), out.size(), "%.6f", to_seconds(d));
  return out.data();
}

Row row_of(const std::string& file, const etad::Run& run) {
  return {{"file", file},
          {"run", std::to_string(run.ordinal)},
          {"job", std::string(name_of(run.job))},
          {"network", run.network},
          {"train_batch", text(run.train.batch_size)},
          {"test_batch", text(run.test.batch_size)},
          {"max_iter", run.job == Job::train ? text(run.max_iterations) : ""},
          {"state", std::string(name_of(run.state))},
          {"train_iterations", std::to_string(run.train.iterations)},
          {"train_seconds", seconds(run.train.duration)},
          {"test_iterations", std::to_string(run.test.iterations)},
          {"test_seconds", seconds(run.test.duration)}};
}

TEST(CaffeOracle, EveryRunOfEveryFixture) {
  const auto caffe = format_named("caffe");
  std::vector<Row> rows;
  for (const std::string& name : caffe_log_names())
    for (const etad::Run& run : records_of(*caffe, caffe_log(name)).runs) rows.push_back(row_of(name, run));
  std::vector<Row> expected = expected_rows();
  std::sort(expected.begin(), expected.end());
  std::sort(rows.begin(), rows.end());
  ASSERT_EQ(rows.size(), expected.size());
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], expected[i]);
}

// What a run is said to amount to is what its segments add up to.
TEST(CaffeOracle, SumsAreThoseOfTheSegments) {
  const auto caffe = format_named("caffe");
  for (const std::string& name : caffe_log_names()) {
    const Records records = records_of(*caffe, caffe_log(name));
    for (const etad::Run& run : records.runs) {
      PhaseSummary train, test;
      for (const auto& [ordinal, segment] : records.segments) {
        if (ordinal != run.ordinal) continue;
        PhaseSummary& sums = segment.phase == Phase::train ? train : test;
        sums.iterations += segment.iterations;
        sums.duration += segment.duration;
        ++sums.segments;
        EXPECT_GT(segment.samples_per_iteration, 0) << name;
      }
      EXPECT_EQ(run.train.duration, train.duration) << name;
      EXPECT_EQ(run.train.segments, train.segments) << name;
      EXPECT_EQ(run.test.duration, test.duration) << name;
      EXPECT_EQ(run.test.iterations, test.iterations) << name;
    }
  }
}

}  // namespace
}  // namespace etad::test
