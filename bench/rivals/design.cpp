#include "bench/rivals/design.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "regression/estimators/design.h"

namespace etad::bench {
namespace {

using namespace estimators;

constexpr std::size_t kFewest = 6;  // batch sizes of a series
constexpr int kDraws = 5;           // of random runs

// One series' batch sizes, ascending, one run each.
using Series = std::vector<Datum>;

std::map<std::string, Series> series_of(const History& history) {
  std::map<std::string, std::map<double, Datum>> sizes;
  for (const ReplicateGroup& group : replicate_groups(history)) {
    Datum datum{*group.what, std::exp(group.log_value), 0, 0, 0};
    sizes[key_of(*group.what, kAllFacts & ~kSamples)].emplace(group.what->samples, datum);
  }
  std::map<std::string, Series> out;
  for (const auto& [key, of] : sizes)
    if (of.size() >= kFewest)
      for (const auto& [size, datum] : of) out[key].push_back(datum);
  return out;
}

// Mean error in % at the series' other sizes, of which `chosen` (indices) are known beside `others`.
double error_of(const Series& series, std::vector<std::size_t> chosen, History known) {
  for (const std::size_t i : chosen) known.push_back(series[i]);
  const auto fitted = effects().learn(known, Target::seconds).fitted;
  double sum = 0;
  int asked = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (std::ranges::find(chosen, i) != chosen.end()) continue;
    const Reply reply = fitted->predict(series[i].what);
    if (!reply.estimate) continue;
    sum += std::abs(std::exp(reply.estimate->log_mean) / series[i].value - 1);
    ++asked;
  }
  return asked > 0 ? 100 * sum / asked : 0;
}

// The smallest size, and what the design adds to it.
std::vector<std::size_t> designed(const Series& series, const History& others, std::size_t runs) {
  History known = others;
  known.push_back(series.front());
  std::vector<Candidate> candidates;
  std::vector<Case> sizes;
  for (const Datum& each : series) {
    candidates.push_back({each.what, 1});
    sizes.push_back(each.what);
  }
  std::vector<std::size_t> out = {0};
  for (const Planned& each : plan_runs(known, candidates, to_choose_among(sizes), 1e9, runs - 1))
    if (std::ranges::find(out, each.candidate) == out.end()) out.push_back(each.candidate);
  return out;
}

struct Sum {
  double chosen = 0, random = 0;
  int series = 0;
};

void measure(const std::map<std::string, Series>& all, std::size_t runs, bool alone, Sum& sum) {
  std::mt19937 random(7);
  for (const auto& [key, series] : all) {
    if (series.size() < runs + 2) continue;
    History others;
    if (!alone)
      for (const auto& [other, of] : all)
        if (other != key && of.front().what.device == series.front().what.device &&
            of.front().what.network != series.front().what.network)
          others.insert(others.end(), of.begin(), of.end());
    sum.chosen += error_of(series, designed(series, others, runs), others);
    double drawn = 0;
    for (int draw = 0; draw < kDraws; ++draw) {
      std::vector<std::size_t> any(series.size());
      for (std::size_t i = 0; i < any.size(); ++i) any[i] = i;
      std::ranges::shuffle(any, random);
      any.resize(runs);
      drawn += error_of(series, any, others);
    }
    sum.random += drawn / kDraws;
    ++sum.series;
  }
}

}  // namespace

void print_design(const History& history) {
  const auto all = series_of(history);
  std::printf("| Known beside | Runs | Series | smallest and chosen by variance, %% | at random, %% |\n");
  std::printf("|---|---|---|---|---|\n");
  for (const bool alone : {true, false}) {
    for (const std::size_t runs : {2U, 3U, 4U}) {
      Sum sum;
      measure(all, runs, alone, sum);
      if (sum.series == 0) continue;
      std::printf("| %s | %zu | %d | %.1f | %.1f |\n", alone ? "nothing" : "the device's other networks",
                  runs, sum.series, sum.chosen / sum.series, sum.random / sum.series);
    }
  }
}

}  // namespace etad::bench
