#include "prediction/model_json.h"

#include <algorithm>
#include <string>

#include "parsers/base/saved.h"

namespace etad {

namespace regression {

ETAD_SAVED(Range, min, max)
ETAD_SAVED(Coefficient, name, value, standard_error)
ETAD_SAVED(Rival, basis, error_percent, standard_error, parameters)
ETAD_SAVED(Model, basis, coefficients, runs, windows, dropped_runs, changed_at, error_percent, coverage,
           samples, iterations, rivals, scores, covariance, noise, within_run_noise, degrees, covariates,
           other_runs)

}  // namespace regression

namespace prediction {

ETAD_SAVED(Spread, median, lower, upper, runs)
ETAD_SAVED(Dispute, owners, left_out)

// What is in its row's columns is not in the body.
BOOST_DESCRIBE_STRUCT(FittedModel, (), (model, startup, snapshot, other, owner, dispute, own, own_runs))

std::string model_to_json(const FittedModel& fitted) {
  // All that a FittedModel consists of: does not compile when something is added and forgotten above.
  [[maybe_unused]] const auto& [id, key, model, fitted_at, startup, snapshot, other, owner, dispute, own,
                                own_runs] = fitted;
  return saved::to_text(fitted, kModelVersion, saved::Form::whole);
}

Result<FittedModel> model_from_row(const ModelRow& row) {
  auto out = saved::from_text<FittedModel>(row.body, kModelVersion, "the model kept in the history",
                                           saved::Form::whole);
  if (!out)
    return fail(out.error().kind, out.error().message, "it is fitted anew at the next refit",
                "model " + std::to_string(row.id));
  const auto fill_in = [&](FittedModel& model) {
    model.id = row.id;
    model.key = row.key;
    model.fitted_at = row.fitted_at;
  };
  fill_in(*out);
  std::ranges::for_each(out->own, fill_in);
  return out;
}

}  // namespace prediction
}  // namespace etad
