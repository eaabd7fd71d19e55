#include "regression/estimators/design.h"

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "regression/estimators/methods.h"

namespace etad::estimators {
namespace {

constexpr double kLeast = 0.01;  // share of the deviation that a run must take away

// Root mean square; nullopt: one of the questions has no answer.
std::optional<double> deviation_of(const Fitted& fitted, const std::vector<Case>& questions) {
  double sum = 0;
  for (const Case& what : questions) {
    const Reply reply = fitted.predict(what);
    if (!reply.estimate) return std::nullopt;
    sum += reply.estimate->deviation * reply.estimate->deviation;
  }
  return std::sqrt(sum / static_cast<double>(questions.size()));
}

}  // namespace

std::vector<Planned> plan_runs(const History& history, const std::vector<Candidate>& candidates,
                               const std::vector<Case>& questions, double budget, std::size_t most) {
  std::vector<Planned> out;
  const Estimator estimator = effects();
  if (questions.empty() || estimator.needs(history)) return out;
  History supposed = history;
  std::shared_ptr<const Fitted> fitted = estimator.fit(supposed, Target::seconds);
  auto before = deviation_of(*fitted, questions);
  while (before && out.size() < most) {
    struct Best {
      std::size_t candidate = 0;
      double gain = 0, after = 0;
      std::shared_ptr<const Fitted> fitted;
    } best;
    Datum best_run;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Candidate& each = candidates[i];
      if (!(each.cost > 0) || each.cost > budget) continue;
      const Reply expected = fitted->predict(each.what);
      if (!expected.estimate) continue;
      Datum run{each.what, std::exp(expected.estimate->log_mean), 0, 0, 0};
      supposed.push_back(run);
      std::shared_ptr<const Fitted> then = estimator.refit(supposed, Target::seconds, *fitted);
      supposed.pop_back();
      const auto after = deviation_of(*then, questions);
      if (!after) continue;
      const double gain = (*before - *after) / each.cost;
      if (gain > best.gain && *before - *after > kLeast * *before) {
        best = {i, gain, *after, std::move(then)};
        best_run = std::move(run);
      }
    }
    if (!best.fitted) break;
    out.push_back({best.candidate, *before, best.after});
    supposed.push_back(std::move(best_run));
    fitted = std::move(best.fitted);
    before = best.after;
    budget -= candidates[best.candidate].cost;
  }
  return out;
}

}  // namespace etad::estimators
