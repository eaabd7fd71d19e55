#include "bench/accuracy/protocol.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "regression/statistics.h"

namespace etad::accuracy {
namespace {

using regression::Dataset;
using regression::RunObservation;

// The device's runs that were over when that one began, of all its series.
Background before(const History& history, const SeriesKey& self, const RunObservation& asked) {
  Background out;
  for (const auto& [key, data] : history.series) {
    if (key.device != self.device) continue;
    for (const RunObservation& run : data) {
      estimators::Datum datum;
      datum.started_at = run.started_at;
      datum.ended_at = std::max(run.ended_at, run.started_at + run.seconds);
      if (!(run.started_at > 0) || datum.ended_at > asked.started_at) continue;
      datum.what.network = key.network;
      datum.what.phase = key.phase;
      datum.what.device = key.device;
      datum.what.samples = run.samples;
      datum.what.settings = run.covariates;
      datum.value = run.seconds / run.iterations;
      out.push_back(std::move(datum));
    }
  }
  return out;
}

std::vector<double> sizes_of(const Dataset& data) {
  std::set<double> sizes;
  for (const RunObservation& run : data) sizes.insert(run.samples);
  return {sizes.begin(), sizes.end()};
}

Trial trial_of(const SeriesKey& key, double samples, const regression::Prediction& prediction,
               std::vector<double> seconds) {
  return {key,
          samples,
          prediction.seconds,
          prediction.lower,
          prediction.upper,
          regression::median(seconds),
          std::move(seconds),
          {}};
}

bool same_work(const RunObservation& a, const RunObservation& b) {
  return a.samples == b.samples && a.iterations == b.iterations && a.covariates == b.covariates;
}

// Asks for the runs of one batch size and one length at a time.
void ask(const SeriesKey& key, const Dataset& hidden, const Answer& answer, std::vector<Trial>& out) {
  std::map<std::tuple<double, double, regression::Covariates>, std::vector<double>> groups;
  for (const RunObservation& run : hidden)
    groups[{run.samples, run.iterations, run.covariates}].push_back(run.seconds);
  for (auto& [what, seconds] : groups) {
    const auto& [samples, iterations, covariates] = what;
    const auto prediction = answer({iterations, samples, covariates, 0});
    if (prediction) out.push_back(trial_of(key, samples, *prediction, std::move(seconds)));
  }
}

}  // namespace

double Trial::error() const {
  return std::abs(estimate / truth - 1);
}

int Trial::held() const {
  return static_cast<int>(std::ranges::count_if(actual, [&](double t) { return t >= lower && t <= upper; }));
}

bool Trial::beyond_twice(double t) const {
  return t > estimate + 2 * (upper - estimate) || t < estimate - 2 * (estimate - lower);
}

int Trial::wrong_unsaid() const {
  return static_cast<int>(std::ranges::count_if(actual, [&](double t) { return beyond_twice(t); }));
}

std::vector<std::set<double>> each_size(const std::vector<double>& sizes) {
  std::vector<std::set<double>> out;
  for (const double size : sizes) out.push_back({size});
  return out;
}

std::vector<std::set<double>> larger_half(const std::vector<double>& sizes) {
  return {{sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2), sizes.end()}};
}

std::vector<Trial> leave_sizes_out(const History& history, const Estimator& estimator, HiddenSizes choose) {
  std::vector<Trial> out;
  for (const auto& [key, data] : history.series) {
    const std::vector<double> sizes = sizes_of(data);
    if (sizes.size() < kLeastSizes) continue;
    for (const std::set<double>& hidden : choose(sizes)) {
      Dataset seen, asked;
      for (const RunObservation& run : data) (hidden.contains(run.samples) ? asked : seen).push_back(run);
      ask(key, asked, estimator(seen, {}), out);
    }
  }
  return out;
}

std::vector<Trial> leave_one_run_out(const History& history, const Estimator& estimator, Knowledge knowledge,
                                     std::size_t least_runs) {
  std::vector<Trial> out;
  for (const auto& [key, data] : history.series) {
    if (data.size() < least_runs) continue;
    for (std::size_t i = 0; i < data.size(); ++i) {
      const RunObservation& hidden = data[i];
      const Background background =
          knowledge == Knowledge::machine ? before(history, key, hidden) : Background();
      Dataset seen = data;
      seen.erase(seen.begin() + static_cast<std::ptrdiff_t>(i));
      const auto prediction = estimator(
          seen, background)({hidden.iterations, hidden.samples, hidden.covariates, hidden.started_at});
      if (!prediction) continue;
      out.push_back(trial_of(key, hidden.samples, *prediction, {hidden.seconds}));
      for (const RunObservation& run : seen) {
        if (same_work(run, hidden)) out.back().replicates.push_back(run.seconds);
      }
    }
  }
  return out;
}

std::optional<double> noise_floor(const std::vector<const Dataset*>& series) {
  double sum = 0, count = 0;
  for (const Dataset* data : series) {
    std::map<std::tuple<double, double, regression::Covariates>, std::vector<double>> replicates;
    for (const RunObservation& run : *data) {
      replicates[{run.samples, run.iterations, run.covariates}].push_back(run.seconds);
    }
    for (const auto& [what, seconds] : replicates) {
      if (seconds.size() < 2) continue;
      const double middle = regression::median(seconds);
      for (const double t : seconds) sum += std::abs(t / middle - 1);
      count += static_cast<double>(seconds.size());
    }
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

}  // namespace etad::accuracy
