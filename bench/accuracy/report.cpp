#include "bench/accuracy/report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "bench/accuracy/protocol.h"
#include "regression/statistics.h"

namespace etad::accuracy {
namespace {

constexpr double kConfidence = 0.9;
const char* const kAffine = "c0 + n*(c1 + c2*B)";
const char* const kLiteral = "b0 + b1*n + b2*B";

double share(int count, int all) {
  return all > 0 ? 100.0 * count / all : 0;
}

struct Accuracy : Totals {
  double error = 0;

  void add(const Trial& trial) {
    error += trial.error();
    ++estimates;
    wrong_estimates += trial.beyond_twice(trial.truth);
    runs += static_cast<int>(trial.actual.size());
    held += trial.held();
    wrong += trial.wrong_unsaid();
  }
  double percent() const { return estimates ? 100 * error / estimates : 0; }
  double coverage() const { return share(held, runs); }
  double wrong_percent() const { return share(wrong, runs); }
  double wrong_estimates_percent() const { return share(wrong_estimates, estimates); }
};

Totals totals_of(const std::vector<Trial>& trials) {
  Accuracy out;
  for (const Trial& trial : trials) out.add(trial);
  return out;
}

using Group = std::function<std::string(const SeriesKey&)>;

std::string device_of(const SeriesKey& key) {
  return key.device;
}

std::map<std::string, Accuracy> grouped(const std::vector<Trial>& trials, const Group& group) {
  std::map<std::string, Accuracy> out;
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

Totals table(const History& history, const char* title, HiddenSizes hidden) {
  struct Row {
    const char* name;
    Estimator estimator;
    bool interval;
  };
  const Row rows[] = {
      {"a + b B, plain relative NNLS", plain_least_squares(kAffine), false},
      {"etad's model of the series", our_regression(kConfidence), true},
  };
  std::printf(
      "\n### %s\n\n| Device | Estimator | Error %% | Coverage %% of 90 %% | Wrong unsaid: runs %% | "
      "estimates %% | "
      "Replicates' spread %% |\n",
      title);
  std::printf("|---|---|---|---|---|---|---|\n");
  Totals totals;
  for (const Row& row : rows) {
    const auto trials = leave_sizes_out(history, row.estimator, hidden);
    if (row.interval) totals += totals_of(trials);
    for (const auto& [name, accuracy] : grouped(trials, device_of)) {
      std::printf("| %s | %s | %.2f |", name.c_str(), row.name, accuracy.percent());
      if (row.interval) {
        std::printf(" %.1f | %.1f | %.1f |", accuracy.coverage(), accuracy.wrong_percent(),
                    accuracy.wrong_estimates_percent());
      } else {
        std::printf(" | | |");
      }
      std::printf(" %s |\n", floor_of(history, device_of, name).c_str());
    }
    std::fflush(stdout);
  }
  return totals;
}

}  // namespace

Totals& Totals::operator+=(const Totals& other) {
  estimates += other.estimates;
  wrong_estimates += other.wrong_estimates;
  runs += other.runs;
  held += other.held;
  wrong += other.wrong;
  return *this;
}

Totals report_batch_sizes(const History& history) {
  Totals totals = table(history, "Left-out batch sizes", each_size);
  return totals += table(history, "The larger half of the batch sizes from the smaller half", larger_half);
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
      "| Network, phase | Runs | Replicates' spread %% | etad, alone %% | etad, with the machine's runs %% | "
      "Coverage %% "
      "of 90 %% | Wrong unsaid %% | c0 + n(c1 + c2 B) plain %% | b0 + b1 n + b2 B plain %% |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  for (const auto& [name, accuracy] : alone) {
    std::printf("| %s | %d | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", name.c_str(), accuracy.runs,
                floor_of(history, network, name).c_str(), accuracy.percent(), taught[name].percent(),
                taught[name].coverage(), taught[name].wrong_percent(), affine[name].percent(),
                literal[name].percent());
  }
}

// Of the trials of runs that were repeated: as they are, and as the other replicates would have answered.
std::vector<Trial> repeated(const std::vector<Trial>& trials) {
  std::vector<Trial> out = trials;
  std::erase_if(out, [](const Trial& trial) { return trial.replicates.empty(); });
  return out;
}

using Middle = std::function<double(const std::vector<double>&)>;

std::vector<Trial> by_replicates(std::vector<Trial> trials, const Middle& middle) {
  for (Trial& trial : trials) trial.estimate = middle(trial.replicates);
  return trials;
}

// Of runs that were repeated, those further from the median of the others than twice the distance that holds
// 90 % of their series: what intervals of the right width would call wrong unsaid.
std::map<std::string, Totals> beyond_twice_their_own(const std::vector<Trial>& runs, const Group& group) {
  std::map<SeriesKey, std::vector<double>> distances;
  for (const Trial& trial : runs)
    distances[trial.key].push_back(std::abs(std::log(trial.truth / regression::median(trial.replicates))));
  std::map<std::string, Totals> out;
  for (auto& [key, each] : distances) {
    std::ranges::sort(each);
    const auto within = static_cast<std::size_t>(std::ceil(kConfidence * static_cast<double>(each.size())));
    const double held = each.at(within - 1);
    Totals series;
    series.runs = static_cast<int>(each.size());
    series.wrong = static_cast<int>(std::ranges::count_if(each, [&](double d) { return d > 2 * held; }));
    out[group(key)] += series;
    out["all"] += series;
  }
  return out;
}

// What an oracle would err that knows nothing but the other runs of exactly the same work.
void write_floor(const UnseenRuns& trials) {
  const std::vector<Trial> runs = repeated(trials.alone);
  if (runs.empty()) return;
  auto median = grouped(by_replicates(runs, regression::median), device_of);
  auto average = grouped(by_replicates(runs, regression::mean), device_of);
  auto alone = grouped(runs, device_of), taught = grouped(repeated(trials.taught), device_of);
  auto affine = grouped(repeated(trials.affine), device_of);
  auto own = beyond_twice_their_own(runs, device_of);
  std::printf(
      "\n### Repeated runs, each from the others of the same batch size and iterations\n\n"
      "| Device | Runs | Median of the other replicates %% | Mean of them %% | etad, alone %% | etad, with "
      "the machine's runs %% | c0 + n(c1 + c2 B) plain %% | Beyond twice what holds 90 %% of their series %% "
      "|\n|---|---|---|---|---|---|---|---|\n");
  for (const auto& [name, accuracy] : median) {
    std::printf("| %s | %d | %.2f | %.2f | %.2f | %.2f | %.2f | %.1f |\n", name.c_str(), accuracy.runs,
                accuracy.percent(), average[name].percent(), alone[name].percent(), taught[name].percent(),
                affine[name].percent(), share(own[name].wrong, own[name].runs));
  }
}

}  // namespace

Totals report_runs(const History& history, std::size_t least_runs) {
  const auto trials = [&](const Estimator& estimator, Knowledge knowledge) {
    return leave_one_run_out(history, estimator, knowledge, least_runs);
  };
  const UnseenRuns unseen{trials(our_regression(kConfidence), Knowledge::own),
                          trials(our_regression(kConfidence), Knowledge::machine),
                          trials(plain_least_squares(kAffine), Knowledge::own),
                          trials(plain_least_squares(kLiteral), Knowledge::own)};
  write_networks(history, unseen);
  write_floor(unseen);
  Totals totals = totals_of(unseen.alone);
  return totals += totals_of(unseen.taught);
}

void report_totals(const Totals& totals) {
  std::printf(
      "\nOver all of the above the 90 %% interval held for %.1f %% of %d runs; wrong unsaid: %.1f %% of the "
      "runs, "
      "%.1f %% of %d estimates.\n",
      share(totals.held, totals.runs), totals.runs, share(totals.wrong, totals.runs),
      share(totals.wrong_estimates, totals.estimates), totals.estimates);
}

}  // namespace etad::accuracy
