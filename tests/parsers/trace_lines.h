// Lines through a trace reader, for the tests of the readers.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "parsers/traces/trace.h"

namespace etad {

struct TraceRun {
  Records records;
  std::vector<TraceLine> lines;
  std::string complaint;

  // "gpu.power{gpu=0} 71.5 W 2024-05-06T07:08:09Z", line by line.
  std::vector<std::string> texts() const { return texts_; }

  // After each line.
  void note_samples() {
    told_.resize(records.sampled.size());
    for (std::size_t i = 0; i < told_.size(); ++i) {
      const auto& [series, samples] = records.sampled[i];
      for (; told_[i] < samples.size(); ++told_[i]) note(*series, samples[told_[i]]);
    }
  }

 private:
  void note(const Series& series, const Sample& sample) {
    std::string value = std::to_string(sample.value);
    value.erase(value.find_last_not_of('0') + 1);
    if (value.ends_with('.')) value.pop_back();
    texts_.push_back(series.name + "{" + series.labels + "} " + value +
                     (series.unit.empty() ? "" : " " + series.unit) + " " + to_rfc3339(sample.at));
  }

  std::vector<std::size_t> told_;  // of each series
  std::vector<std::string> texts_;
};

struct TraceSetup {
  std::map<std::string, std::string> labels{};
  std::vector<std::string> columns{};
  std::optional<Instant> arrival{};
  ZoneOffset zone = utc_offset;
  std::string own_host{};
};

inline TimeContext trace_time(const TraceSetup& setup) {
  TimeContext time;
  time.zone = setup.zone;
  time.reference = std::chrono::sys_days(std::chrono::year(2026) / 11 / 22);
  return time;
}

inline std::unique_ptr<TraceReader> trace_reader(const std::string& format, const TraceSetup& setup = {}) {
  TraceOptions options = trace_options(setup.labels, setup.columns, setup.zone).value();
  options.own_host = setup.own_host;
  return make_trace_reader(format, options).value();
}

inline TraceRun read_trace(TraceReader& reader, const std::vector<std::string>& lines,
                           const TraceSetup& setup = {}) {
  TraceRun run;
  TimeContext time = trace_time(setup);
  for (const std::string& line : lines) {
    run.lines.push_back(reader.read(line, setup.arrival, time, run.records));
    run.note_samples();
  }
  run.complaint = reader.complaint();
  return run;
}

inline TraceRun read_trace(const std::string& format, const std::vector<std::string>& lines,
                           const TraceSetup& setup = {}) {
  return read_trace(*trace_reader(format, setup), lines, setup);
}

inline Instant trace_at(int hour, int minute, int second) {  // of 2024-05-06
  return std::chrono::sys_days(std::chrono::year(2024) / 5 / 6) + std::chrono::hours(hour) +
         std::chrono::minutes(minute) + std::chrono::seconds(second);
}

}  // namespace etad
