#include "regression/estimators/design.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace etad::estimators {
namespace {

constexpr double kLeast = 0.01;  // share of the deviation that a run must take away

// nullopt: one of the questions has no answer.
std::optional<double> deviation_of(const Fitted& fitted, const std::vector<Wanted>& questions) {
  double sum = 0, weights = 0;
  for (const Wanted& wanted : questions) {
    const Reply reply = fitted.predict(wanted.what);
    if (!reply.estimate) return std::nullopt;
    sum += wanted.weight * reply.estimate->deviation * reply.estimate->deviation;
    weights += wanted.weight;
  }
  return std::sqrt(sum / weights);
}

}  // namespace

std::vector<Wanted> to_choose_among(const std::vector<Case>& sizes) {
  std::vector<Wanted> out;
  for (const Case& what : sizes) out.push_back({what});
  std::map<std::string, std::vector<Wanted*>> series;
  for (Wanted& wanted : out) series[key_of(wanted.what, kSeries)].push_back(&wanted);
  for (const auto& [key, of] : series) {
    const auto samples = [](const Wanted* wanted) { return wanted->what.samples; };
    (*std::ranges::max_element(of, {}, samples))->weight += static_cast<double>(of.size());
  }
  return out;
}

std::vector<Planned> plan_runs(const History& history, const std::vector<Candidate>& candidates,
                               const std::vector<Wanted>& questions, double budget, std::size_t most) {
  std::vector<Planned> out;
  const Estimator estimator = effects();
  if (questions.empty() || history.empty()) return out;
  History supposed = history;
  std::shared_ptr<const Fitted> fitted = estimator.learn(supposed, Target::seconds).fitted;
  auto before = deviation_of(*fitted, questions);
  while (before && out.size() < most) {
    struct Best {
      std::size_t candidate = 0;
      double gain = 0, after = 0;
      std::shared_ptr<const Fitted> fitted;
      Datum run;
    } best;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Candidate& each = candidates[i];
      if (!(each.cost > 0) || each.cost > budget) continue;
      const Reply expected = fitted->predict(each.what);
      if (!expected.estimate) continue;
      Datum run{each.what, std::exp(expected.estimate->log_mean), 0, 0, 0};
      supposed.push_back(run);
      std::shared_ptr<const Fitted> then = estimator.learn(supposed, Target::seconds, fitted.get()).fitted;
      supposed.pop_back();
      const auto after = deviation_of(*then, questions);
      if (!after) continue;
      const double gain = (*before - *after) / each.cost;
      if (gain > best.gain && *before - *after > kLeast * *before)
        best = {i, gain, *after, std::move(then), std::move(run)};
    }
    if (!best.fitted) break;
    out.push_back({best.candidate, *before, best.after});
    supposed.push_back(std::move(best.run));
    fitted = std::move(best.fitted);
    before = best.after;
    budget -= candidates[best.candidate].cost;
  }
  return out;
}

}  // namespace etad::estimators
