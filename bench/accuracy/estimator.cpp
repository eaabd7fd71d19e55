#include "bench/accuracy/estimator.h"

#include <memory>
#include <utility>

#include "regression/basis.h"
#include "regression/nnls.h"

namespace etad::accuracy {

using regression::Dataset;
using regression::Prediction;

namespace {

struct Ours {
  std::optional<regression::Model> model;
  regression::SharedEffect shared_effect;
};

}  // namespace

Estimator our_regression(double confidence) {
  return [confidence](const Dataset& data, const Background& background) -> Answer {
    auto ours = std::make_shared<Ours>();
    ours->model = regression::fit(data);
    if (ours->model) {
      auto runs = regression::shared_effect_points(data, *ours->model, data.size());
      runs.insert(runs.end(), background.begin(), background.end());
      ours->shared_effect = regression::SharedEffect(std::move(runs));
    }
    return [ours, confidence](const Question& q) -> std::optional<Prediction> {
      if (!ours->model) return std::nullopt;
      const regression::Occasion occasion{q.started_at, q.started_at > 0 ? &ours->shared_effect : nullptr};
      return ours->model->predict(q.iterations, q.samples, confidence, q.covariates, occasion);
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
      const regression::Terms x = basis->features(run.iterations, run.samples, {}) / run.seconds;
      gram += x * x.transpose();
      projection += x;
    }
    const regression::Terms c = regression::solve_nnls(gram, projection);
    return [basis, c](const Question& q) -> std::optional<Prediction> {
      const double t = basis->features(q.iterations, q.samples, {}).dot(c);
      if (!(t > 0)) return std::nullopt;
      return Prediction{t, t, t, {}};
    };
  };
}

}  // namespace etad::accuracy
