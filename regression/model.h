// The end-to-end model of one network on one deployment in one phase: the joint between the regression,
// which fits it, and the service, which asks it. Pure values; safe to share between threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "regression/dataset.h"

namespace etad::regression {

// A basis that competed, and what the evidence said.
struct Rival {
  std::string basis;                     // "c0 + n*(c1 + c2*B)"
  std::optional<double> error_percent;   // cross-validated mean absolute relative error; none: as in Model
  std::optional<double> standard_error;  // of that mean
  int parameters = 0;
};

struct Coefficient {
  std::string name;  // "c0"
  double value = 0;
  double standard_error = 0;
};

struct Range {
  double min = 0, max = 0;
};

// An answer. Seconds; `lower` and `upper` bound a run's actual time with the asked-for confidence.
struct Prediction {
  double seconds = 0, lower = 0, upper = 0;
  std::vector<std::string> extrapolates;  // of "batch_size", "iterations", and covariates' names ("type")
  double drift = 1;  // factor for how the machine's last runs went (estimators/drift.h), part of `seconds`
};

// A run's time before anything is known of when it starts.
struct Expectation {
  double seconds = 0;  // the median
  double run = 0;      // variance of log(a run's time / the true median)
  double fitted = 0;   // variance of log(the estimate / the true median)
};

struct Model {
  std::string basis;
  std::vector<Coefficient> coefficients;
  int runs = 0;
  int windows = 0;
  int dropped_runs = 0;                 // outliers, or from before a change of the deployment
  std::optional<double> changed_at;     // seconds since 1970: data before it no longer counts
  std::optional<double> error_percent;  // cross-validated; none: no run could be foretold from the others
  double coverage = 0;                  // of the 90 % interval, cross-validated; 0 where it can't be told
  Range samples, iterations;            // seen
  std::vector<Rival> rivals;            // all that competed, the chosen one among them
  std::vector<double> scores;      // sorted conformal scores, what the interval rests on: cross-validated
                                   // |log(actual / predicted)| in units of the predicted spread
  std::vector<double> covariance;  // of the coefficients, row by row, for relative errors of variance 1
  double noise = 0;                // relative standard deviation of a long run about the model
  double within_run_noise = 0;     // the same of one iteration; a run of n adds within_run_noise^2 / n
  double degrees = 0;              // degrees of freedom `noise` was estimated with
  Covariates covariates;           // which all these runs have
  int other_runs = 0;              // of other covariates, or without batch sizes: they are left out

  // What a run of n iterations over B samples each will take. `confidence` in (0, 1).
  // `asked`: the run's covariates as far as they are known; of those not named, the model's are meant. What others cost
  // the model does not know: the interval allows for them.
  // nullopt: the model can't say (B unknown and more than one seen, no data).
  std::optional<Prediction> predict(double iterations, std::optional<double> samples, double confidence,
                                    const Covariates& asked = {}) const;

  // The same without an interval. `samples` 0: those of the only batch size seen.
  std::optional<Expectation> expect(double iterations, double samples, const Covariates& asked) const;

  // The names of those asked for of which the model's runs have another value. "type=", not known, is none.
  std::vector<std::string> unseen(const Covariates& asked) const;
};

// Fits the runs of the covariates that most owners have most runs of, of several those of who was there first. nullopt:
// there is nothing to fit from. Work is bounded by the size of `data` alone.
std::optional<Model> fit(const Dataset& data);

}  // namespace etad::regression
