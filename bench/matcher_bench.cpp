// How fast lines become events, with all of Caffe's rules: bytes a second, beside what merely finding the
// newlines costs.
#include <benchmark/benchmark.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "parsers/rules/format.h"

namespace {

// A displayed iteration in the form of Caffe 1.0, as often as fills about a megabyte.
std::string log_text(const char* const* lines, std::size_t count) {
  constexpr std::size_t kBytes = 1 << 20;
  std::string text;
  int iteration = 0;
  while (text.size() < kBytes) {
    for (std::size_t i = 0; i < count; ++i) {
      char line[256];
      const int second = iteration / 20 % 60;
      std::snprintf(line, sizeof line, lines[i], second, iteration * 50'000 % 1'000'000, iteration);
      text += line;
      text += '\n';
    }
    iteration += 20;
  }
  return text;
}

constexpr const char* kProgress =
    "I20261121 00:40:%02d.%06d 30270 solver.cpp:239] Iteration %d (8.53971 iter/s, 1.171s/10 iters), loss = "
    "4.32793";
constexpr const char* kOutput =
    "I20261121 00:40:%02d.%06d 30270 solver.cpp:258]     Train net output #0: loss = 4.32793 (* 1 = 4.32793 "
    "loss)";
constexpr const char* kRate = "I20261121 00:40:%02d.%06d 30270 sgd_solver.cpp:112] Iteration %d, lr = 0.001";
constexpr const char* kOldProgress =
    "I1121 00:40:%02d.%06d 30270 solver.cpp:228] Iteration %d, loss = 4.32793";
constexpr const char* kMixed[] = {kProgress, kOutput, kRate};

std::shared_ptr<const etad::Format> caffe() {
  std::ifstream in(ETAD_RULES "/caffe.toml", std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  auto format = etad::Format::load("caffe.toml", text.str());
  if (!format) throw std::runtime_error(format.error().front().text());
  return *format;
}

void match_all(benchmark::State& state, const std::string& text) {
  const auto format = caffe();
  for (auto _ : state) {
    etad::TimeContext context;
    context.reference = etad::Instant{std::chrono::seconds{1'800'000'000}};
    std::size_t events = 0;
    for (std::size_t at = 0; at < text.size();) {
      const auto end = text.find('\n', at);
      events += format->match({text.data() + at, end - at}, context).kind != etad::EventKind::none;
      at = end + 1;
    }
    benchmark::DoNotOptimize(events);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void find_newlines(benchmark::State& state) {
  const std::string text = log_text(kMixed, 3);
  for (auto _ : state) {
    std::size_t lines = 0;
    for (std::size_t at = 0; at < text.size(); ++lines) at = text.find('\n', at) + 1;
    benchmark::DoNotOptimize(lines);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(find_newlines);

void match_mixed(benchmark::State& state) {
  match_all(state, log_text(kMixed, 3));
}
BENCHMARK(match_mixed);

void match_progress(benchmark::State& state) {
  match_all(state, log_text(&kProgress, 1));
}
BENCHMARK(match_progress);

void match_old_progress(benchmark::State& state) {
  match_all(state, log_text(&kOldProgress, 1));
}
BENCHMARK(match_old_progress);

void match_output(benchmark::State& state) {
  match_all(state, log_text(&kOutput, 1));
}
BENCHMARK(match_output);

void read_glog_header(benchmark::State& state) {
  const std::string line = "I1121 00:40:04.200322 30270 solver.cpp:239] Iteration 10, loss = 4.3";
  etad::TimeContext context;
  context.reference = etad::Instant{std::chrono::seconds{1'800'000'000}};
  for (auto _ : state) benchmark::DoNotOptimize(etad::read_header(etad::HeaderForm::glog, line, context));
}
BENCHMARK(read_glog_header);

}  // namespace
