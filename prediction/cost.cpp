#include "prediction/cost.h"

#include <algorithm>
#include <vector>

#include "regression/compose.h"

namespace etad::prediction {
namespace {

// The case that a part of an estimate in time is about, so that its costs are of the same settings: what the runs' times
// know of it, whether or not anybody measured the network's costs; of one that never ran what its description says.
std::optional<estimators::Case> case_of_part(const Estimate& estimate, const EstimatePart& part,
                                             const Knowledge& knowledge) {
  Question exact =
      part.model != nullptr ? about(*part.model, estimate.question) : about(estimate.key, estimate.question);
  exact.iterations = part.iterations;
  const Phase phase = part.phase == "test" ? Phase::test : Phase::train;
  const auto batch = static_cast<std::int64_t>(part.batch_size.value_or(0));
  if (batch <= 0) return std::nullopt;
  const Knowledge* const times = estimate.models->knowledge.get();
  if (exact.shown) {
    const auto all = times != nullptr ? times->asked_of_shown(exact, phase, batch) : std::vector<Asked>();
    return all.empty() ? std::nullopt : std::optional(all.front().what);
  }
  const auto asked =
      (times != nullptr ? *times : knowledge).asked(exact, phase, batch, *estimate.models->models);
  return asked ? std::optional(asked->what) : std::nullopt;
}

}  // namespace

std::optional<CostEstimate> cost_of(const Estimate& estimate, estimators::Target cost) {
  const auto& knowledge = estimate.models->of(cost);
  if (!knowledge) return std::nullopt;
  std::optional<CostEstimate> out;
  std::vector<regression::Prediction> joules;  // of each part
  for (const EstimatePart& part : estimate.parts) {
    if (part.phase != "train" && part.phase != "test")
      continue;  // starting and saving: idle, beside the rest
    const auto what = case_of_part(estimate, part, *knowledge);
    // What a device draws, runs on it tell alone; what a network holds in memory is much the same on all of them.
    if (what && cost == estimators::Target::joules &&
        !knowledge->untold_of(about(estimate.key, estimate.question), *what).empty())
      return std::nullopt;
    const auto said = what ? knowledge->ask(*what, estimate.question.confidence) : std::nullopt;
    if (!said) return std::nullopt;
    const bool farther = !out || said->kind > out->said.kind;
    if (!out) out.emplace();
    if (farther) out->said = *said;
    if (cost == estimators::Target::joules) {
      const auto n = static_cast<double>(part.iterations);
      joules.push_back({n * said->value, n * said->lower, n * said->upper, {}});
    } else {
      out->value = std::max(out->value, said->value);
      out->lower = std::max(out->lower, said->lower);
      out->upper = std::max(out->upper, said->upper);
    }
  }
  if (out && cost == estimators::Target::joules) {
    const auto sum = regression::compose(joules);
    out->value = sum.seconds, out->lower = sum.lower, out->upper = sum.upper;
  }
  return out;
}

}  // namespace etad::prediction
