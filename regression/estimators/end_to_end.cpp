// The regression of one network on one deployment (regression/model.h) as one estimator among the others.
#include <cmath>
#include <utility>

#include "regression/estimators/grouped.h"
#include "regression/estimators/methods.h"
#include "regression/model.h"

namespace etad::estimators {
namespace {

constexpr double kAnyLength = 1000;   // iterations, of a question about no job in particular
constexpr double kNormal90 = 1.6449;  // half the width of the central 90 % of a normal, in deviations

regression::RunObservation observation_of(const Datum& datum) {
  regression::RunObservation out;
  out.run = datum.run;
  out.samples = datum.what.samples;
  out.iterations = datum.what.iterations > 0 ? datum.what.iterations : kAnyLength;
  out.seconds = datum.value * out.iterations;
  out.started_at = datum.started_at;
  out.ended_at = datum.ended_at;
  out.covariates = datum.what.settings;
  return out;
}

class EndToEnd final : public Fitted {
 public:
  explicit EndToEnd(regression::Model model) : model_(std::move(model)) {}

  Reply predict(const Case& what) const override {
    const double n = what.iterations > 0 ? what.iterations : kAnyLength;
    const auto said = model_.predict(n, what.samples, 0.9, what.settings);
    if (!said || !(said->seconds > 0) || !(said->lower > 0)) return abstain("the model can't say");
    const double deviation = std::log(said->upper / said->lower) / (2 * kNormal90);
    return {Estimate{std::log(said->seconds / n), deviation, {model_.runs, 1, 1}}, {}};
  }

 private:
  regression::Model model_;
};

std::unique_ptr<const Fitted> fit(const Runs& runs) {
  regression::Dataset data;
  for (const Datum* run : runs) data.push_back(observation_of(*run));
  auto model = regression::fit(data);
  return model ? std::make_unique<EndToEnd>(std::move(*model)) : nullptr;
}

}  // namespace

Estimator end_to_end() {
  return grouped(
      {.name = "end_to_end",
       .source = "Gianniti, Zhang, Ardagna 2019, with rival bases (docs/prediction.md)",
       .targets = {Target::seconds, Target::joules},
       .group = [](const Case& what) { return key_of(what, kNetwork | kPhase | kMachine | kDevices); },
       .enough = [](const Runs&) { return true; },
       .missing = "there are no runs yet",
       .fit = fit});
}

}  // namespace etad::estimators
