#include "regression/estimators/linear.h"

#include <cmath>
#include <utility>

#include "regression/estimators/grouped.h"

namespace etad::estimators {

namespace terms {
const Term one{"1", [](const Case&) { return 1.0; }};
const Term samples{"B", [](const Case& c) { return c.samples; }};
const Term share{"B/k", [](const Case& c) { return c.samples / c.devices; }};
const Term log_samples{"log B", [](const Case& c) { return std::log(c.samples); }};
const Term log_devices{"log k", [](const Case& c) { return std::log(c.devices); }};
const Term devices{"k", [](const Case& c) { return c.devices; }};
const Term ring{"(k-1)/k", [](const Case& c) { return (c.devices - 1) / c.devices; }};
}  // namespace terms

namespace {

Eigen::RowVectorXd row_of(const Linear& form, const Case& what) {
  Eigen::RowVectorXd out(static_cast<Eigen::Index>(form.terms.size()));
  for (std::size_t i = 0; i < form.terms.size(); ++i) {
    out(static_cast<Eigen::Index>(i)) = form.terms[i].of(what);
  }
  return out;
}

double measure(const Linear& form, const Case& what) {
  return form.whole_run ? what.iterations : 1;
}

class FittedLinear final : public Fitted {
 public:
  FittedLinear(Linear form, const Runs& runs) : form_(std::move(form)) {
    const auto n = static_cast<Eigen::Index>(runs.size());
    Eigen::MatrixXd design(n, static_cast<Eigen::Index>(form_.terms.size()));
    Eigen::VectorXd y(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      const Datum& datum = *runs[static_cast<std::size_t>(i)];
      design.row(i) = row_of(form_, datum.what);
      y(i) = datum.value * measure(form_, datum.what);
    }
    coefficients_ = solve(form_.solver, design, y);
  }

  Reply predict(const Case& what) const override {
    if (form_.whole_run && !(what.iterations > 0)) return abstain("the number of iterations is not known");
    const double value = row_of(form_, what).dot(coefficients_);
    Estimate out;
    if (form_.solver == Solver::log_squares) {
      out.log_mean = value - std::log(measure(form_, what));
    } else {
      if (!(value > 0)) return abstain("the fit says nothing positive here");
      out.log_mean = std::log(value / measure(form_, what));
    }
    return {out, {}};
  }

 private:
  Linear form_;
  Eigen::VectorXd coefficients_;
};

}  // namespace

Estimator linear(Linear form) {
  return grouped({.name = form.name,
                  .source = form.source,
                  .targets = form.targets,
                  .group = [form](const Case& what) { return key_of(what, form.group); },
                  .usable = [form](const Datum& run) { return !form.whole_run || run.what.iterations > 0; },
                  .enough = [form](const Runs& runs) { return different(runs, form.varied) >= form.least; },
                  .missing = "no network has runs at " + std::to_string(form.least) + " different points",
                  .fit = [form](Runs& runs) { return std::make_unique<FittedLinear>(form, runs); }});
}

}  // namespace etad::estimators
