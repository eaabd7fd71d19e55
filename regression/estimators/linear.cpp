#include "regression/estimators/linear.h"

#include <cmath>
#include <utility>

namespace etad::estimators {

LinearFit::LinearFit(Terms terms, Solver solver, const Runs& runs)
    : terms_(std::move(terms)),
      solver_(solver),
      coefficients_(solve(solver, rows_of(runs, [this](const Datum* run) { return terms_(run->what); }),
                          numbers_of(runs, [](const Datum* run) { return run->value; }))) {}

Reply LinearFit::predict(const Case& what) const {
  const double sum = terms_(what).dot(coefficients_);
  const double log_mean = solver_ == Solver::log_squares ? sum : std::log(sum);
  if (!std::isfinite(log_mean)) return abstain("the fit says nothing positive here");
  return {Estimate{log_mean}, {}};
}

Estimator linear(Linear form) {
  return grouped(
      {.name = form.name,
       .source = form.source,
       .targets = form.targets,
       .group = [form](const Case& what) { return key_of(what, form.group); },
       .usable = [form](const Datum& run) { return form.terms(run.what).allFinite(); },
       .enough = [form](const Runs& runs) { return different(runs, form.varied) >= 2; },
       .missing = "no network has runs at 2 different points",
       .fit = [form](Runs& runs) { return std::make_unique<LinearFit>(form.terms, form.solver, runs); }});
}

}  // namespace etad::estimators
