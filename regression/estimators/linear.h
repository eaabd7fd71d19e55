// Estimators that are linear in their coefficients: a list of terms, a solver, and what must be equal among
// the runs that one set of coefficients describes.
#pragma once

#include <set>
#include <string_view>
#include <vector>

#include "regression/estimators/estimator.h"
#include "regression/estimators/solvers.h"

namespace etad::estimators {

struct Term {
  std::string_view name;  // "B/k"
  double (*of)(const Case&);
};

namespace terms {
extern const Term one;          // 1
extern const Term samples;      // B
extern const Term share;        // B/k
extern const Term log_samples;  // log B
extern const Term log_devices;  // log k
extern const Term devices;      // k
extern const Term ring;         // (k-1)/k
}  // namespace terms

struct Linear {
  std::string_view name, source;
  unsigned group = 0;   // facts equal within a fit (case.h)
  unsigned varied = 0;  // of these facts a group needs `least` different values together
  std::size_t least = 2;
  std::vector<Term> terms;
  Solver solver = Solver::relative_nnls;
  std::set<Target> targets = {Target::seconds, Target::joules, Target::peak_bytes};
  bool whole_run = false;  // fits n times the value instead of the value of an iteration
};

// An estimator that fits each group of runs by itself and abstains where there is no such group.
Estimator linear(Linear form);

}  // namespace etad::estimators
