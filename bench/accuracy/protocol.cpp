#include "bench/accuracy/protocol.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "regression/statistics.h"

namespace etad::accuracy {
namespace {

using regression::Dataset;
using regression::Prior;
using regression::RunObservation;

// The curves of all series, from all their runs: what siblings can teach. Hiding a batch size hides its
// point.
class Siblings {
 public:
  explicit Siblings(const History& history) {
    for (const auto& [key, data] : history.series) {
      if (auto model = regression::fit(data)) models_.emplace(key, std::move(*model));
    }
  }

  Prior prior(const SeriesKey& self, const std::set<double>& hidden, Knowledge knowledge) const {
    Prior out;
    if (knowledge == Knowledge::own) return out;
    std::vector<const regression::Model*> others;
    const regression::Model* phase = nullptr;
    for (const auto& [key, model] : models_) {
      if (key.device != self.device || key == self) continue;
      if (key.network == self.network) phase = &model;
      others.push_back(&model);
    }
    out = prior_of(others, nullptr, phase);
    if (knowledge == Knowledge::networks) {
      for (auto& sibling : out.siblings) {
        if (!sibling.same_network) continue;
        std::erase_if(sibling.curve, [&](const auto& point) { return hidden.contains(point.samples); });
      }
    }
    return out;
  }

 private:
  std::map<SeriesKey, regression::Model> models_;
};

std::vector<double> sizes_of(const Dataset& data) {
  std::set<double> sizes;
  for (const RunObservation& run : data) sizes.insert(run.samples);
  return {sizes.begin(), sizes.end()};
}

// Asks for the runs of one batch size and one length at a time.
void ask(const SeriesKey& key, const Dataset& hidden, const Answer& answer, std::vector<Trial>& out) {
  std::map<std::tuple<double, double, regression::Traits>, std::vector<double>> groups;
  for (const RunObservation& run : hidden)
    groups[{run.samples, run.iterations, run.traits}].push_back(run.seconds);
  for (const auto& [what, seconds] : groups) {
    const auto& [samples, iterations, traits] = what;
    const auto prediction = answer({iterations, samples, traits});
    if (!prediction) continue;
    out.push_back({key, samples, prediction->seconds, prediction->lower, prediction->upper,
                   regression::median(seconds), seconds});
  }
}

void hide_sizes(const SeriesKey& key, const Dataset& data, const std::set<double>& hidden,
                const Siblings& siblings, const Estimator& estimator, Knowledge knowledge,
                std::vector<Trial>& out) {
  Dataset seen, asked;
  for (const RunObservation& run : data) (hidden.contains(run.samples) ? asked : seen).push_back(run);
  ask(key, asked, estimator(seen, siblings.prior(key, hidden, knowledge)), out);
}

}  // namespace

double Trial::error() const {
  return std::abs(estimate / truth - 1);
}

int Trial::held() const {
  return static_cast<int>(std::ranges::count_if(actual, [&](double t) { return t >= lower && t <= upper; }));
}

int Trial::wrong_unsaid() const {
  return static_cast<int>(std::ranges::count_if(actual, [&](double t) {
    return t > estimate + 2 * (upper - estimate) || t < estimate - 2 * (estimate - lower);
  }));
}

std::vector<Trial> leave_one_size_out(const History& history, const Estimator& estimator,
                                      Knowledge knowledge) {
  const Siblings siblings(history);
  std::vector<Trial> out;
  for (const auto& [key, data] : history.series) {
    const std::vector<double> sizes = sizes_of(data);
    if (sizes.size() < kLeastSizes) continue;
    for (const double size : sizes) hide_sizes(key, data, {size}, siblings, estimator, knowledge, out);
  }
  return out;
}

std::vector<Trial> larger_from_smaller(const History& history, const Estimator& estimator,
                                       Knowledge knowledge) {
  const Siblings siblings(history);
  std::vector<Trial> out;
  for (const auto& [key, data] : history.series) {
    const std::vector<double> sizes = sizes_of(data);
    if (sizes.size() < kLeastSizes) continue;
    const std::set<double> larger(sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2), sizes.end());
    hide_sizes(key, data, larger, siblings, estimator, knowledge, out);
  }
  return out;
}

std::vector<Trial> leave_one_run_out(const History& history, const Estimator& estimator, Knowledge knowledge,
                                     std::size_t least_runs) {
  const Siblings siblings(history);
  std::vector<Trial> out;
  for (const auto& [key, data] : history.series) {
    if (data.size() < least_runs) continue;
    for (std::size_t i = 0; i < data.size(); ++i) {
      Dataset seen = data;
      seen.erase(seen.begin() + static_cast<std::ptrdiff_t>(i));
      ask(key, {data[i]}, estimator(seen, siblings.prior(key, {}, knowledge)), out);
    }
  }
  return out;
}

std::optional<double> noise_floor(const std::vector<const Dataset*>& series) {
  double sum = 0, count = 0;
  for (const Dataset* data : series) {
    std::map<std::tuple<double, double, regression::Traits>, std::vector<double>> repeats;
    for (const RunObservation& run : *data) {
      repeats[{run.samples, run.iterations, run.traits}].push_back(run.seconds);
    }
    for (const auto& [what, seconds] : repeats) {
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
