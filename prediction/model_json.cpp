#include "prediction/model_json.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

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

namespace {

// A FittedModel as its row's body has it.
struct ModelBody {
  regression::Model model;
  std::optional<Spread> startup, snapshot, other;
  std::int64_t owner = kUnknownOwner;
  std::optional<Dispute> dispute;
  std::vector<ModelBody> own;  // of single owners
};
ETAD_SAVED(ModelBody, model, startup, snapshot, other, owner, dispute, own)

ModelBody body_of(const FittedModel& fitted) {
  // All that a FittedModel consists of: does not compile when something is added and forgotten here.
  [[maybe_unused]] const auto& [id, key, model, fitted_at, startup, snapshot, other, owner, dispute, own,
                                own_runs] = fitted;
  ModelBody out{model, startup, snapshot, other, owner, dispute, {}};
  for (const auto& [uid, each] : own) out.own.push_back(body_of(*each));
  return out;
}

FittedModel model_of(const ModelRow& row, ModelBody body) {
  FittedModel out;
  out.id = row.id;
  out.key = row.key;
  out.fitted_at = row.fitted_at;
  out.model = std::move(body.model);
  out.startup = body.startup;
  out.snapshot = body.snapshot;
  out.other = body.other;
  out.owner = body.owner;
  out.dispute = std::move(body.dispute);
  for (ModelBody& each : body.own) {
    auto own = std::make_shared<FittedModel>(model_of(row, std::move(each)));
    own->own_runs = true;
    out.own.emplace(own->owner, std::move(own));
  }
  return out;
}

}  // namespace

std::string model_to_json(const FittedModel& fitted) {
  return saved::to_text(body_of(fitted), kModelVersion, saved::Form::whole);
}

Result<FittedModel> model_from_row(const ModelRow& row) {
  auto body = saved::from_text<ModelBody>(row.body, kModelVersion, "the model kept in the history",
                                          saved::Form::whole);
  if (!body)
    return fail(body.error().kind, body.error().message, "it is fitted anew at the next refit",
                "model " + std::to_string(row.id));
  return model_of(row, std::move(*body));
}

}  // namespace prediction
}  // namespace etad
