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

// The published methods: what must be equal among the runs of a fit, the terms, the solver.

// Gianniti, Zhang & Ardagna, "Performance prediction of GPU-based deep learning applications", CLOSER 2019:
// end to end, a run is n iterations of a fixed cost and a cost a sample.
Estimator gianniti() {
  return linear({.name = "gianniti",
                 .source = "Gianniti, Zhang, Ardagna, CLOSER 2019",
                 .terms = [](const Case& c) { return Eigen::RowVector2d(1, c.samples); }});
}

// The literal reading of a regression on iterations and batch size: a plane b0 + b1 n + b2 B through the runs' times,
// here divided by n.
Estimator gianniti_literal() {
  return linear({.name = "gianniti_literal",
                 .source = "Gianniti, Zhang, Ardagna, CLOSER 2019, read literally",
                 .terms = [](const Case& c) -> Eigen::RowVectorXd {
                   return Eigen::RowVector3d(1, c.iterations, c.samples) / c.iterations;
                 }});
}

// Gupta et al., "An online learning methodology for performance modeling of graphics processors", IEEE
// Transactions on Computers 67(12), 2018, in its smallest form: recursive least squares with forgetting, here on
// t = a + b B of one series. What lies long back weighs less, so that a machine that changes is followed. The whole
// series is at hand at each fit, so what the recursion would come to is computed at once.
Estimator gupta() {
  return linear({.name = "gupta",
                 .source = "Gupta et al., IEEE Trans. Computers 2018",
                 .terms = [](const Case& c) { return Eigen::RowVector2d(1, c.samples); },
                 .solver = Solver::forgetting_squares});
}

// Barnes et al., "A regression-based approach to scalability prediction", ICS 2008: the logarithm of the time
// is linear in the logarithms of what is varied.
Estimator barnes() {
  return linear(
      {.name = "barnes",
       .source = "Barnes et al., ICS 2008",
       .group = kScaling,
       .terms = [](const Case& c) { return Eigen::RowVector3d(1, std::log(c.samples), std::log(c.devices)); },
       .solver = Solver::log_squares});
}

// Venkataraman et al., "Ernest: efficient performance prediction for large-scale advanced analytics", NSDI
// 2016: a serial part, a parallel part, a tree-like and a linear cost of communication.
Estimator ernest() {
  return linear({.name = "ernest",
                 .source = "Venkataraman et al., NSDI 2016",
                 .group = kScaling,
                 .terms =
                     [](const Case& c) {
                       return Eigen::RowVector4d(1, c.samples_per_device(), std::log(c.devices), c.devices);
                     },
                 .solver = Solver::nnls});
}

// The same where gradients go round in a ring, of which each device sends and receives (k-1)/k twice
// (Patarasuk & Yuan, "Bandwidth optimal all-reduce algorithms", JPDC 69, 2009).
Estimator ring() {
  return linear(
      {.name = "ring", .source = "Patarasuk, Yuan, JPDC 2009", .group = kScaling, .terms = [](const Case& c) {
         return Eigen::RowVector3d(1, c.samples_per_device(), (c.devices - 1) / c.devices);
       }});
}

// Lu et al., "Modeling the resource requirements of convolutional neural networks on mobile devices", ACM
// Multimedia 2017: memory is what the weights take and what the activations of each sample take.
Estimator lu() {
  return linear({.name = "lu",
                 .source = "Lu et al., ACM Multimedia 2017",
                 .group = kScaling,
                 .terms = [](const Case& c) { return Eigen::RowVector2d(1, c.samples_per_device()); },
                 .targets = {Target::peak_bytes}});
}

}  // namespace etad::estimators
