#include "bench/replay/accuracy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "regression/statistics.h"

namespace etad::replay {
namespace {

// A silence of this many usual windows, and this long, is no part of training: the process was stopped and
// started again by hand, or its machine was asleep.
constexpr double kBreakWindows = 100;
constexpr double kBreakSeconds = 600;

std::size_t take_out_breaks(ReplayRun& run) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < run.moments.size(); ++i)
    gaps.push_back(run.moments[i].at - run.moments[i - 1].at);
  const double usual = regression::median(gaps);
  double taken = 0;
  std::size_t breaks = 0;
  for (std::size_t i = 1; i < run.moments.size(); ++i) {
    const double gap = gaps[i - 1];
    if (gap > kBreakWindows * usual && gap > kBreakSeconds) {
      taken += gap - usual;
      ++breaks;
    }
    run.moments[i].at -= taken;
  }
  return breaks;
}

std::size_t moment_at(const ReplayRun& run, double fraction) {
  const double at = fraction * run.moments.back().at;
  std::size_t last = 0;
  for (std::size_t i = 0; i < run.moments.size() && run.moments[i].at <= at; ++i) last = i;
  return last;
}

void count(Accuracy& accuracy, const regression::Remaining& said, double actual, bool interval) {
  accuracy.errors.push_back(100 * (said.seconds - actual) / actual);
  if (!interval) return;
  const double below = said.seconds - said.lower, above = said.upper - said.seconds;
  if (actual >= said.lower && actual <= said.upper) ++accuracy.covered;
  if (actual > said.seconds + 2 * above || actual < said.seconds - 2 * below) ++accuracy.misleading;
  accuracy.widths += 50 * (said.upper - said.lower) / said.seconds;
}

std::string cell(const char* format, double a, double b) {
  char text[64];
  std::snprintf(text, sizeof text, format, a, b);
  return text;
}

void print_details(const ReplayRun& run, const std::vector<Accuracy>& accuracies,
                   const std::vector<bool>& answered) {
  std::printf("%-60.60s %8.0f", run.file.c_str(), run.first_iteration);
  for (std::size_t m = 0; m < accuracies.size(); ++m) {
    if (answered[m])
      std::printf(" %+8.2f", accuracies[m].errors.back());
    else
      std::printf(" %8s", "-");
  }
  std::printf("\n");
}

}  // namespace

double Accuracy::mean() const {
  double sum = 0;
  for (const double e : errors) sum += std::abs(e);
  return errors.empty() ? 0 : sum / static_cast<double>(errors.size());
}

double Accuracy::median() const {
  std::vector<double> sizes;
  for (const double e : errors) sizes.push_back(std::abs(e));
  return regression::median(std::move(sizes));
}

Result replay(std::vector<ReplayRun> runs, const Options& options) {
  const auto& all = forecasters();
  Result result;
  result.accuracies.assign(all.size(), std::vector<Accuracy>(options.fractions.size()));
  if (!options.breaks)
    for (ReplayRun& run : runs) result.breaks += take_out_breaks(run);
  for (const ReplayRun& run : runs) {
    if (run.moments.size() < std::max<std::size_t>(options.min_windows, 2)) continue;
    ++result.runs;
    std::vector<bool> answered(options.fractions.size());
    for (std::size_t m = 0; m < options.fractions.size(); ++m) {
      Situation situation{&run, moment_at(run, options.fractions[m]), {}, {}, {}};
      situation.plan = plan_at(run, situation.moment);
      add_history(situation, runs, options.history);
      const double actual = run.moments.back().at - situation.now().at;
      if (!(actual > 0)) continue;
      for (std::size_t f = 0; f < all.size(); ++f) {
        const auto said = all[f].forecast(situation);
        if (said) count(result.accuracies[f][m], *said, actual, all[f].interval);
        if (f == 0) answered[m] = said.has_value();
      }
    }
    if (options.details) print_details(run, result.accuracies[0], answered);
  }
  return result;
}

std::string table(const Result& result, const Options& options) {
  const auto& all = forecasters();
  std::string out = "| Seen of the time |";
  for (const Forecaster& f : all) out += " " + f.name + " |";
  out += " 90 % interval holds | half-width | wrong beyond twice | answered |\n|---|";
  for (std::size_t i = 0; i < all.size() + 4; ++i) out += "---|";
  out += "\n";
  for (std::size_t m = 0; m < options.fractions.size(); ++m) {
    out += cell("| %.0f %% |", 100 * options.fractions[m], 0);
    for (const auto& accuracies : result.accuracies) {
      out += accuracies[m].errors.empty()
                 ? " - |"
                 : cell(" %.2f (%.2f) |", accuracies[m].mean(), accuracies[m].median());
    }
    const Accuracy& own = result.accuracies[0][m];
    const double n = std::max(1.0, static_cast<double>(own.errors.size()));
    out += cell(" %.1f %% |", 100 * static_cast<double>(own.covered) / n, 0);
    out += cell(" %.1f %% |", own.widths / n, 0);
    out += cell(" %.1f %% |", 100 * static_cast<double>(own.misleading) / n, 0);
    out +=
        cell(" %.0f of %.0f |\n", static_cast<double>(own.errors.size()), static_cast<double>(result.runs));
  }
  return out;
}

}  // namespace etad::replay
