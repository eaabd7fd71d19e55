// Lines of MLPerf's logs, made by hand, and what is read of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "parsers/log/log_parser.h"
#include "tests/parsers/log_reader.h"

namespace etad::test::mlperf {

// A line of MLPerf's at `second` after the start of the day.
inline std::string said(double second, const std::string& key, const std::string& value = "null",
                        const std::string& metadata = "") {
  const auto ms = static_cast<std::int64_t>(1'700'000'000'000.0 + 1000 * second);
  return R"(:::MLLOG {"namespace": "", "time_ms": )" + std::to_string(ms) +
         R"(, "event_type": "POINT_IN_TIME", "key": ")" + key + R"(", "value": )" + value +
         R"(, "metadata": {"file": "a.py", "lineno": 1)" + (metadata.empty() ? "" : ", " + metadata) + "}}";
}

// What stands before a training: its benchmark, its global batch and its samples.
inline std::vector<std::string> head(const std::string& benchmark, int batch, int samples) {
  return {said(-9, "submission_benchmark", '"' + benchmark + '"'),
          said(-8, "global_batch_size", std::to_string(batch)),
          said(-7, "train_samples", std::to_string(samples)), said(-1, "init_stop"), said(0, "run_start")};
}

inline std::string end(double second) {
  return said(second, "run_stop", "null", R"("status": "success")");
}

inline std::string number(const char* name, int value) {
  return std::string("\"") + name + "\": " + std::to_string(value);
}

// The only run of these lines.
inline etad::Run run_of(const std::vector<std::string>& lines) {
  LogOptions options;
  options.formats = &shipped_formats();
  LogParser parser(options);
  Records records;
  for (const std::string& line : lines) parser.feed(line, {}, reference_time(), records);
  read_to_end(parser, records);
  EXPECT_EQ(parser.format(), "mlperf");
  auto runs = runs_of(records);
  EXPECT_EQ(runs.size(), 1U);
  return runs.empty() ? etad::Run{} : runs.begin()->second;
}

inline double step_of(const etad::Run& run) {
  return to_seconds(run.train.duration) /
         static_cast<double>(std::max<std::int64_t>(1, run.train.iterations));
}

inline void expect_finished(const etad::Run& run, const std::string& benchmark, int iterations, double step) {
  EXPECT_EQ(run.network, benchmark);
  EXPECT_EQ(run.state, RunState::finished);
  EXPECT_EQ(run.iteration, iterations);
  EXPECT_NEAR(step_of(run), step, 1e-6);
}

}  // namespace etad::test::mlperf
