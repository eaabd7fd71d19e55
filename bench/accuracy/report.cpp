#include "bench/accuracy/report.h"

#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "bench/accuracy/protocol.h"

namespace etad::accuracy {
namespace {

constexpr double kConfidence = 0.9;

struct Score {
  double error = 0;
  int trials = 0, runs = 0, held = 0, wrong = 0;

  void add(const Trial& trial) {
    error += trial.error();
    ++trials;
    runs += static_cast<int>(trial.actual.size());
    held += trial.held();
    wrong += trial.wrong_unsaid();
  }
  double percent() const { return trials ? 100 * error / trials : 0; }
  double coverage() const { return runs ? 100.0 * held / runs : 0; }
  double wrong_percent() const { return runs ? 100.0 * wrong / runs : 0; }
};

using Group = std::function<std::string(const SeriesKey&)>;

std::map<std::string, Score> grouped(const std::vector<Trial>& trials, const Group& group) {
  std::map<std::string, Score> out;
  for (const Trial& trial : trials) {
    out[group(trial.key)].add(trial);
    out["all"].add(trial);
  }
  return out;
}

std::string floor_of(const History& history, const Group& group, const std::string& name) {
  std::vector<const regression::Dataset*> data;
  for (const auto& [key, series] : history.series) {
    if (name == "all" || group(key) == name) data.push_back(&series);
  }
  const auto noise = noise_floor(data);
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", noise ? 100 * *noise : 0);
  return noise ? text : "none repeated";
}

using Protocol = std::vector<Trial> (*)(const History&, const Estimator&, Knowledge);

void table(const History& history, const char* title, Protocol protocol) {
  const Group device = [](const SeriesKey& key) { return key.device; };
  struct Row {
    const char* name;
    Estimator estimator;
    Knowledge knowledge;
    bool interval;
  };
  const Row rows[] = {
      {"a + b B, plain relative NNLS", plain_least_squares("c0 + n*(c1 + c2*B)"), Knowledge::own, false},
      {"etad, the series alone", our_regression(kConfidence), Knowledge::own, true},
      {"etad, with the device's other networks", our_regression(kConfidence), Knowledge::networks, true},
      {"etad, and the network's other phase", our_regression(kConfidence), Knowledge::everything, true},
  };
  std::printf(
      "\n### %s\n\n| Device | Estimator | Error %% | Coverage %% of 90 %% | Wrong unsaid %% | Repeats' "
      "spread %% |\n",
      title);
  std::printf("|---|---|---|---|---|---|\n");
  for (const Row& row : rows) {
    for (const auto& [name, score] : grouped(protocol(history, row.estimator, row.knowledge), device)) {
      std::printf("| %s | %s | %.2f |", name.c_str(), row.name, score.percent());
      if (row.interval) {
        std::printf(" %.1f | %.1f |", score.coverage(), score.wrong_percent());
      } else {
        std::printf(" | |");
      }
      std::printf(" %s |\n", floor_of(history, device, name).c_str());
    }
    std::fflush(stdout);
  }
}

}  // namespace

void report_batch_sizes(const History& history) {
  table(history, "Left-out batch sizes", leave_one_size_out);
  table(history, "The larger half of the batch sizes from the smaller half", larger_from_smaller);
}

void report_runs(const History& history, std::size_t least_runs) {
  const Group network = [](const SeriesKey& key) { return key.network + ", " + key.phase; };
  const auto trials = [&](const Estimator& estimator, Knowledge knowledge) {
    return grouped(leave_one_run_out(history, estimator, knowledge, least_runs), network);
  };
  auto ours = trials(our_regression(kConfidence), Knowledge::own);
  auto taught = trials(our_regression(kConfidence), Knowledge::everything);
  auto affine = trials(plain_least_squares("c0 + n*(c1 + c2*B)"), Knowledge::own);
  auto literal = trials(plain_least_squares("b0 + b1*n + b2*B"), Knowledge::own);
  std::printf("\n### Unseen runs, each from the others\n\n");
  std::printf(
      "| Network, phase | Runs | Repeats' spread %% | etad, alone %% | etad, with siblings %% | Coverage %% "
      "of 90 %% | "
      "Wrong unsaid %% | c0 + n(c1 + c2 B) plain %% | b0 + b1 n + b2 B plain %% "
      "|\n|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& [name, score] : ours) {
    std::printf("| %s | %d | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", name.c_str(), score.runs,
                floor_of(history, network, name).c_str(), score.percent(), taught[name].percent(),
                taught[name].coverage(), taught[name].wrong_percent(), affine[name].percent(),
                literal[name].percent());
  }
}

}  // namespace etad::accuracy
