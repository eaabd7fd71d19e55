// From cleaned lines to records: matching and tracking of one Caffe log, as a daemon that catches up does it.
// A log of 64 MiB made from a fixture: its header once, then its displayed windows over and over, iterations
// counted on.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "parsers/rules/format.h"
#include "parsers/training/tracker.h"

namespace {

using namespace etad;

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::shared_ptr<const Format> caffe() {
  const std::string path = ETAD_RULES "/caffe.toml";
  return Format::load(path, file_text(path)).value();
}

// A training log's header from a fixture, and `bytes` of windows behind it, a test phase every tenth.
std::string long_log(std::size_t bytes) {
  const std::string log = file_text(ETAD_TEST_DATA "/caffe/odd_unaligned_lenet.log");
  std::string out = log.substr(0, log.find('\n', log.find("Solving LeNet")) + 1);
  std::int64_t second = 0;
  const auto head = [&](const char* file) {
    const std::int64_t t = 3600 + second;
    char buffer[256];
    std::snprintf(buffer, sizeof buffer, "I202611%02d %02d:%02d:%02d.250000 24565 %s",
                  static_cast<int>(21 + t / 86400 % 9), static_cast<int>(t / 3600 % 24),
                  static_cast<int>(t / 60 % 60), static_cast<int>(t % 60), file);
    return std::string(buffer);
  };
  for (std::int64_t i = 0; out.size() < bytes; i += 30) {
    const std::string n = std::to_string(i);
    if (i % 300 == 0) {
      out += head("solver.cpp:347] Iteration ") + n + ", Testing net (#0)\n";
      ++second;
      out += head("solver.cpp:414]     Test net output #0: accuracy = 0.91\n");
      out += head("solver.cpp:414]     Test net output #1: loss = 0.31 (* 1 = 0.31 loss)\n");
    }
    ++second;
    out += head("solver.cpp:239] Iteration ") + n + " (30.1 iter/s, 1.0s/30 iters), loss = 0.713\n";
    out += head("solver.cpp:258]     Train net output #0: loss = 0.713 (* 1 = 0.713 loss)\n");
    out += head("sgd_solver.cpp:112] Iteration ") + n + ", lr = 0.0098\n";
  }
  return out;
}

std::vector<std::string_view> lines_of(const std::string& text) {
  std::vector<std::string_view> lines;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    lines.emplace_back(text.data() + from, end - from);
    from = end + 1;
  }
  return lines;
}

void match_and_track(benchmark::State& state) {
  const auto format = caffe();
  const std::string log = long_log(64u << 20);
  const auto lines = lines_of(log);
  for (auto _ : state) {
    Tracker tracker({"caffe", "bench", "prototext", {}});
    TimeContext context;
    Records records;
    std::size_t segments = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      tracker.feed(lines[i], format->match(lines[i], context), {}, records);
      if (i % 20'000 != 0) continue;  // about a MiB: then a daemon commits
      tracker.flush(records);
      segments += records.segments.size();
      records.clear();
    }
    benchmark::DoNotOptimize(segments);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(log.size()));
}
BENCHMARK(match_and_track)->Unit(benchmark::kMillisecond);

// The tracker's share: events made beforehand.
void track_only(benchmark::State& state) {
  const auto format = caffe();
  const std::string log = long_log(16u << 20);
  const auto lines = lines_of(log);
  TimeContext context;
  std::vector<Event> events;
  events.reserve(lines.size());
  for (const auto line : lines) events.push_back(format->match(line, context));
  for (auto _ : state) {
    Tracker tracker({"caffe", "bench", "prototext", {}});
    Records records;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      tracker.feed(lines[i], events[i], {}, records);
      if (i % 20'000 == 0) records.clear();
    }
    benchmark::DoNotOptimize(records);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(log.size()));
}
BENCHMARK(track_only)->Unit(benchmark::kMillisecond);

// A header: mostly protobuf text, which is read line by line.
void header_only(benchmark::State& state) {
  const auto format = caffe();
  const std::string log = file_text(ETAD_TEST_DATA "/caffe/googlenet_mini_snap.log");
  const auto lines = lines_of(log);
  for (auto _ : state) {
    Tracker tracker({"caffe", "bench", "prototext", {}});
    TimeContext context;
    Records records;
    for (const auto line : lines) tracker.feed(line, format->match(line, context), {}, records);
    benchmark::DoNotOptimize(records);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(log.size()));
}
BENCHMARK(header_only)->Unit(benchmark::kMillisecond);

void save_and_restore(benchmark::State& state) {
  const auto format = caffe();
  const std::string log = long_log(1u << 20);
  Tracker tracker({"caffe", "bench", "prototext", {}});
  TimeContext context;
  Records records;
  for (const auto line : lines_of(log)) tracker.feed(line, format->match(line, context), {}, records);
  for (auto _ : state)
    benchmark::DoNotOptimize(Tracker::restore({"caffe", "bench", "prototext", {}}, tracker.save()));
}
BENCHMARK(save_and_restore)->Unit(benchmark::kMicrosecond);

}  // namespace
