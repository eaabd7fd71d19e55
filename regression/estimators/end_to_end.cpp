// The regression of one network on one deployment (regression/model.h) as one estimator among the others.
#include <cmath>

#include "regression/estimators/grouped.h"
#include "regression/model.h"

namespace etad::estimators {
namespace {

constexpr double kNormal90 = 1.6449;  // half the width of the central 90 % of a normal, in deviations

Answers fit_model(const Runs& runs) {
  regression::Dataset data;
  for (const Datum* run : runs) data.push_back(observation_of(*run));
  const auto model = regression::fit(data);
  if (!model) return {};
  return [model](const Case& what) -> Reply {
    const double n = what.iterations > 0 ? what.iterations : kAnyLength;
    const auto said = model->predict(n, what.samples, 0.9, what.settings);
    if (!said || !(said->seconds > 0) || !(said->lower > 0)) return abstain("the model can't say");
    const double deviation = std::log(said->upper / said->lower) / (2 * kNormal90);
    return {Estimate{std::log(said->seconds / n), deviation, {model->runs, 1, 1}}, {}};
  };
}

}  // namespace

Estimator end_to_end() {
  return grouped({.name = "end_to_end",
                  .source = "Gianniti, Zhang, Ardagna 2019, with rival bases (docs/prediction.md)",
                  .targets = {Target::seconds, Target::joules},
                  .group = [](const Case& what) { return key_of(what, kSeries); },
                  .missing = "there are no runs yet",
                  .fit = fit_model});
}

}  // namespace etad::estimators
