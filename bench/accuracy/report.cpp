#include "bench/accuracy/report.h"

#include <cstdio>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "bench/accuracy/protocol.h"
#include "regression/statistics.h"

namespace etad::accuracy {
namespace {

constexpr double kConfidence = 0.9;
const char* const kAffine = "c0 + n*(c1 + c2*B)";
const char* const kLiteral = "b0 + b1*n + b2*B";

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

void table(const History& history, const char* title, HiddenSizes hidden) {
  const Group device = [](const SeriesKey& key) { return key.device; };
  struct Row {
    const char* name;
    Estimator estimator;
    Knowledge knowledge;
    bool interval;
  };
  const Row rows[] = {
      {"a + b B, plain relative NNLS", plain_least_squares(kAffine), Knowledge::own, false},
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
    for (const auto& [name, score] :
         grouped(leave_sizes_out(history, row.estimator, row.knowledge, hidden), device)) {
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
  table(history, "Left-out batch sizes", each_size);
  table(history, "The larger half of the batch sizes from the smaller half", larger_half);
}

namespace {

struct UnseenRuns {
  std::vector<Trial> alone, taught, affine, literal;
};

void write_networks(const History& history, const UnseenRuns& trials) {
  const Group network = [](const SeriesKey& key) { return key.network + ", " + key.phase; };
  auto alone = grouped(trials.alone, network), taught = grouped(trials.taught, network);
  auto affine = grouped(trials.affine, network), literal = grouped(trials.literal, network);
  std::printf(
      "\n### Unseen runs, each from the others\n\n"
      "| Network, phase | Runs | Repeats' spread %% | etad, alone %% | etad, with siblings %% | Coverage %% "
      "of 90 %% | Wrong unsaid %% | c0 + n(c1 + c2 B) plain %% | b0 + b1 n + b2 B plain %% |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& [name, score] : alone) {
    std::printf("| %s | %d | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", name.c_str(), score.runs,
                floor_of(history, network, name).c_str(), score.percent(), taught[name].percent(),
                taught[name].coverage(), taught[name].wrong_percent(), affine[name].percent(),
                literal[name].percent());
  }
}

// Of the trials of runs that were repeated: as they are, and as the other repeats would have answered.
std::vector<Trial> repeated(const std::vector<Trial>& trials) {
  std::vector<Trial> out = trials;
  std::erase_if(out, [](const Trial& trial) { return trial.repeats.empty(); });
  return out;
}

using Middle = double (*)(std::vector<double>);

std::vector<Trial> by_repeats(std::vector<Trial> trials, Middle middle) {
  for (Trial& trial : trials) trial.estimate = middle(trial.repeats);
  return trials;
}

double mean(std::vector<double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// What an oracle would err that knows nothing but the other runs of exactly the same work.
void write_floor(const UnseenRuns& trials) {
  const Group device = [](const SeriesKey& key) { return key.device; };
  const std::vector<Trial> runs = repeated(trials.alone);
  if (runs.empty()) return;
  auto median = grouped(by_repeats(runs, regression::median), device);
  auto average = grouped(by_repeats(runs, mean), device);
  auto alone = grouped(runs, device), taught = grouped(repeated(trials.taught), device);
  auto affine = grouped(repeated(trials.affine), device);
  std::printf(
      "\n### Repeated runs, each from the others of the same batch size and iterations\n\n"
      "| Device | Runs | Median of the other repeats %% | Mean of them %% | etad, alone %% | etad, with "
      "siblings %% | c0 + n(c1 + c2 B) plain %% |\n|---|---|---|---|---|---|---|\n");
  for (const auto& [name, score] : median) {
    std::printf("| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name.c_str(), score.runs, score.percent(),
                average[name].percent(), alone[name].percent(), taught[name].percent(),
                affine[name].percent());
  }
}

}  // namespace

void report_runs(const History& history, std::size_t least_runs) {
  const auto trials = [&](const Estimator& estimator, Knowledge knowledge) {
    return leave_one_run_out(history, estimator, knowledge, least_runs);
  };
  const UnseenRuns unseen{trials(our_regression(kConfidence), Knowledge::own),
                          trials(our_regression(kConfidence), Knowledge::everything),
                          trials(plain_least_squares(kAffine), Knowledge::own),
                          trials(plain_least_squares(kLiteral), Knowledge::own)};
  write_networks(history, unseen);
  write_floor(unseen);
}

}  // namespace etad::accuracy
