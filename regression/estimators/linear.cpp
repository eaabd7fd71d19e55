#include "regression/estimators/linear.h"

#include <cmath>
#include <map>
#include <set>
#include <utility>

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

using Runs = std::vector<const Datum*>;

std::map<std::string, Runs> groups_of(const Linear& form, const History& history) {
  std::map<std::string, Runs> out;
  for (const Datum& datum : history) {
    const bool usable = datum.value > 0 && std::isfinite(datum.value) && datum.what.samples > 0 &&
                        datum.what.devices > 0 && (!form.whole_run || datum.what.iterations > 0);
    if (usable) out[key_of(datum.what, form.group)].push_back(&datum);
  }
  return out;
}

bool enough(const Linear& form, const Runs& runs) {
  std::set<std::string> values;
  for (const Datum* datum : runs) values.insert(key_of(datum->what, form.varied));
  return static_cast<int>(values.size()) >= form.least;
}

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

struct Group {
  Solution solution;
  RestsOn rests_on;
};

Group fit_group(const Linear& form, const Runs& runs) {
  const auto n = static_cast<Eigen::Index>(runs.size());
  Eigen::MatrixXd design(n, static_cast<Eigen::Index>(form.terms.size()));
  Eigen::VectorXd y(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Datum& datum = *runs[static_cast<std::size_t>(i)];
    design.row(i) = row_of(form, datum.what);
    y(i) = datum.value * measure(form, datum.what);
  }
  return {solve(form.solver, design, y), rests_on(runs)};
}

class FittedLinear final : public Fitted {
 public:
  FittedLinear(Linear form, const History& history) : form_(std::move(form)) {
    for (const auto& [key, runs] : groups_of(form_, history)) {
      if (enough(form_, runs)) groups_[key] = fit_group(form_, runs);
    }
  }

  Reply predict(const Case& what) const override {
    if (!(what.samples > 0) || !(what.devices > 0)) return abstain("the batch size is not known");
    if (form_.whole_run && !(what.iterations > 0)) return abstain("the number of iterations is not known");
    const auto found = groups_.find(key_of(what, form_.group));
    if (found == groups_.end()) return abstain("too few runs of " + what.network + " like this one");
    const Solution& solution = found->second.solution;
    Eigen::RowVectorXd x = row_of(form_, what);
    const double value = x.dot(solution.coefficients);
    Estimate out;
    out.rests_on = found->second.rests_on;
    if (form_.solver == Solver::ridge_log) {
      out.log_mean = value - std::log(measure(form_, what));
    } else {
      if (!(value > 0)) return abstain("the fit says nothing positive here");
      out.log_mean = std::log(value / measure(form_, what));
      if (form_.solver == Solver::relative_nnls) x /= value;
    }
    const double leverage = form_.solver == Solver::nnls ? 0.0 : (x * solution.covariance).dot(x);
    out.deviation = solution.scale * std::sqrt(1 + leverage);
    return {out, {}};
  }

 private:
  Linear form_;
  std::map<std::string, Group> groups_;
};

}  // namespace

Estimator linear(Linear form) {
  Estimator out;
  out.name = form.name;
  out.source = form.source;
  out.needs = [form](const History& history) -> std::optional<std::string> {
    for (const auto& [key, runs] : groups_of(form, history)) {
      if (enough(form, runs)) return std::nullopt;
    }
    return "no network has runs at " + std::to_string(form.least) + " different points";
  };
  out.fit = [form](const History& history, Target) -> std::unique_ptr<const Fitted> {
    return std::make_unique<FittedLinear>(form, history);
  };
  return out;
}

}  // namespace etad::estimators
