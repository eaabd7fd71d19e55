// Splitting and cleaning, beside the memchr that it can't beat. Bytes per second is the figure.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>

#include "parsers/lines/line.h"

namespace etad {
namespace {

constexpr std::size_t kBlock = 1024 * 1024;

// A training log of about 110 bytes a line, ended by `end`.
std::string block_of(const std::string& begin, const std::string& end) {
  std::string out;
  for (int i = 0; out.size() < kBlock; i += 20)
    out += begin + "I0711 10:15:28.123456  4711 solver.cpp:239] Iteration " + std::to_string(i) +
           " (17.25 iter/s, 1.159s/20 iters), loss = 0.6931" + end;
  return out;
}

void memchr_only(benchmark::State& state) {
  const std::string block = block_of("", "\n");
  for (auto _ : state) {
    std::size_t lines = 0;
    const char* at = block.data();
    const char* const end = at + block.size();
    while ((at = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at))))) {
      ++lines;
      if (++at == end) break;
    }
    benchmark::DoNotOptimize(lines);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(block.size()));
}
BENCHMARK(memchr_only);

void clean(benchmark::State& state, const std::string& begin, const std::string& end) {
  const std::string original = block_of(begin, end);
  std::string block = original;
  std::vector<std::string_view> lines;
  const bool dirty = needs_cleaning(original);
  for (auto _ : state) {
    if (dirty) std::memcpy(block.data(), original.data(), block.size());  // cleaning writes over it
    lines.clear();
    LineLosses losses;
    benchmark::DoNotOptimize(clean_lines(block, 64 * 1024, lines, losses));
    benchmark::DoNotOptimize(lines.data());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(block.size()));
}
BENCHMARK_CAPTURE(clean, plain, std::string(), std::string("\n"));
BENCHMARK_CAPTURE(clean, crlf, std::string(), std::string("\r\n"));
BENCHMARK_CAPTURE(clean, colours, std::string("\x1b[32m"), std::string("\x1b[0m\n"));
BENCHMARK_CAPTURE(clean, bar, std::string(" 10% [>  ]\r 50% [=> ]\r"), std::string("\n"));

}  // namespace
}  // namespace etad
