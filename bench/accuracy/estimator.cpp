#include "bench/accuracy/estimator.h"

#include <memory>

#include "regression/basis.h"
#include "regression/nnls.h"

namespace etad::accuracy {

using regression::Dataset;
using regression::Prediction;
using regression::Prior;

Estimator our_regression(double confidence) {
  return [confidence](const Dataset& data, const Prior& prior) -> Answer {
    auto model = std::make_shared<std::optional<regression::Model>>(regression::fit(data, prior));
    return [model, confidence](const Question& q) -> std::optional<Prediction> {
      if (!*model) return std::nullopt;
      return (*model)->predict(q.iterations, q.samples, confidence, q.traits);
    };
  };
}

Estimator plain_least_squares(std::string_view formula) {
  const regression::Basis* basis = regression::find_basis(formula);
  return [basis](const Dataset& data, const Prior&) -> Answer {
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
