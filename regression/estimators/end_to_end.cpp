// The regression of one network on one deployment (regression/model.h) as one estimator among the others.
#include <cmath>
#include <map>
#include <set>

#include "regression/estimators/methods.h"
#include "regression/model.h"

namespace etad::estimators {
namespace {

constexpr unsigned kModel = kNetwork | kPhase | kMachine | kDevices;
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
  explicit EndToEnd(const History& history) {
    std::map<std::string, regression::Dataset> data;
    for (const Datum& datum : history) {
      if (datum.value > 0 && datum.what.samples > 0)
        data[key_of(datum.what, kModel)].push_back(observation_of(datum));
    }
    for (const auto& [key, runs] : data) {
      if (auto model = regression::fit(runs)) models_[key] = std::move(*model);
    }
  }

  Reply predict(const Case& what) const override {
    const auto found = models_.find(key_of(what, kModel));
    if (found == models_.end()) return abstain(what.network + " never ran like this");
    const double n = what.iterations > 0 ? what.iterations : kAnyLength;
    const auto said = found->second.predict(n, what.samples, 0.9, what.settings);
    if (!said || !(said->seconds > 0) || !(said->lower > 0)) return abstain("the model can't say");
    Estimate out;
    out.log_mean = std::log(said->seconds / n);
    out.deviation = std::log(said->upper / said->lower) / (2 * kNormal90);
    out.rests_on = {found->second.runs, 1, 1};
    return {out, {}};
  }

 private:
  std::map<std::string, regression::Model> models_;
};

}  // namespace

Estimator end_to_end() {
  Estimator out;
  out.name = "end_to_end";
  out.source = "Gianniti, Zhang, Ardagna 2019, with rival bases (docs/prediction.md)";
  out.needs = [](const History& history) -> std::optional<std::string> {
    if (!history.empty()) return std::nullopt;
    return "there are no runs yet";
  };
  out.fit = [](const History& history, Target target) -> std::unique_ptr<const Fitted> {
    if (target == Target::peak_bytes) return nullptr;
    return std::make_unique<EndToEnd>(history);
  };
  return out;
}

}  // namespace etad::estimators
