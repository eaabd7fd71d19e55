#include "regression/estimators/linear.h"

#include <algorithm>
#include <cmath>

namespace etad::estimators {
namespace {

// Whether runs that were all on one number of devices say nothing of the question: none of them shows the terms that it
// has beside theirs.
bool is_of_other_devices(const Terms& terms, const Case& what, double devices) {
  if (what.devices == devices) return false;
  Case there = what;
  there.devices = devices;
  there.samples = what.samples_per_device() * devices;
  return !terms(there).isApprox(terms(what));
}

}  // namespace

Answers fit_linear(const Terms& terms, Solver solver, const Runs& runs) {
  const Eigen::VectorXd coefficients =
      solve(solver, rows_of(runs, [&](const Datum* run) { return terms(run->what); }),
            numbers_of(runs, [](const Datum* run) { return run->value; }));
  const Case& first = runs.front()->what;
  const bool one_number = std::ranges::all_of(runs, [&](const Datum* run) {
    return run->what.devices == first.devices && run->what.nodes == first.nodes;
  });
  const double only = one_number ? first.devices : 0;
  return [=](const Case& what) -> Reply {
    if (only > 0 && is_of_other_devices(terms, what, only))
      return abstain("it ran on one number of devices alone");
    const double sum = terms(what).dot(coefficients);
    const double log_mean = solver == Solver::log_squares ? sum : std::log(sum);
    if (!std::isfinite(log_mean)) return abstain("the fit says nothing positive here");
    return {Estimate{log_mean}, {}};
  };
}

Estimator linear(Linear form) {
  return grouped(
      {.name = form.name,
       .source = form.source,
       .targets = form.targets,
       .group = [form](const Case& what) { return key_of(what, form.group); },
       .usable = [form](const Datum& run) { return form.terms(run.what).allFinite(); },
       .can_fit = [form](const Runs& runs) { return different(runs, kAllFacts & ~form.group) >= 2; },
       .missing = "no network has runs at 2 different points",
       .fit = [form](Runs& runs) { return fit_linear(form.terms, form.solver, runs); }});
}

}  // namespace etad::estimators
