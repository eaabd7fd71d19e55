#include "bench/accuracy/estimator.h"

#include <cmath>
#include <memory>
#include <utility>

#include "regression/basis.h"
#include "regression/estimators/drift.h"
#include "regression/nnls.h"

namespace etad::accuracy {

using regression::Dataset;
using regression::Prediction;

Estimator our_regression(double confidence) {
  return [confidence](const Dataset& data, const Background& background) -> Answer {
    const auto drift = std::make_shared<const estimators::Drift>(background);
    const estimators::Case where = background.empty() ? estimators::Case() : background.front().what;
    std::vector<estimators::TimeSpan> runs;
    for (const regression::RunObservation& run : data)
      runs.push_back({run.started_at, run.started_at + run.seconds});
    const double learnt = drift->mean_log_drift(where, runs);  // by the model, of the drift
    return [model = regression::fit(data), drift, where, confidence, learnt](const Question& q) {
      auto out = model ? model->predict(q.iterations, q.samples, confidence, q.covariates) : std::nullopt;
      if (!out || !(q.started_at > 0)) return out;
      const double factor =
          std::exp(drift->log_drift(where, {q.started_at, q.started_at + out->seconds}) - learnt);
      out->seconds *= factor, out->lower *= factor, out->upper *= factor;
      return out;
    };
  };
}

Estimator plain_least_squares(std::string_view formula) {
  const regression::Basis* basis = regression::find_basis(formula);
  return [basis](const Dataset& data, const Background&) -> Answer {
    const int terms = basis->parameters();
    regression::Gram gram = regression::Gram::Zero(terms, terms);
    regression::Terms projection = regression::Terms::Zero(terms);
    for (const regression::RunObservation& run : data) {
      const regression::Terms x = basis->features(run.iterations, run.samples, 0) / run.seconds;
      gram += x * x.transpose();
      projection += x;
    }
    const regression::Terms c = regression::solve_nnls(gram, projection);
    return [basis, c](const Question& q) -> std::optional<Prediction> {
      const double t = basis->features(q.iterations, q.samples, 0).dot(c);
      if (!(t > 0)) return std::nullopt;
      return Prediction{t, t, t, {}};
    };
  };
}

}  // namespace etad::accuracy
