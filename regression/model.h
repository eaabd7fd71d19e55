// The end-to-end model of one network on one deployment in one phase: the joint between the regression,
// which fits it, and the service, which asks it. Pure values; safe to share between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "regression/dataset.h"

namespace etad::regression {

// A basis that competed, and what the evidence said.
struct Rival {
  std::string basis;          // "c0 + n*(c1 + c2*B)"
  double error_percent = 0;   // cross-validated mean absolute relative error
  double standard_error = 0;  // of that mean
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
  std::vector<std::string> extrapolates;  // of "batch_size", "iterations"
};

struct Model {
  std::string basis;
  std::vector<Coefficient> coefficients;
  std::vector<double> knots;  // of a basis that has them, in samples per iteration
  int runs = 0;
  int windows = 0;
  int dropped_runs = 0;              // outliers, diverged, or from before a change of the deployment
  std::optional<double> changed_at;  // seconds since 1970: data before it no longer counts
  double error_percent = 0;          // cross-validated
  double coverage = 0;               // of the 90 % interval, cross-validated; 0 where it can't be told
  Range samples, iterations;         // seen
  std::vector<Rival> rivals;         // all that competed, the chosen one among them
  std::vector<double> scores;        // sorted conformal scores, what the interval rests on: cross-validated
                                     // |log(actual / predicted)| in units of the predicted spread
  std::vector<double> covariance;    // of the coefficients, row by row, for relative errors of variance 1
  double noise = 0;                  // relative standard deviation of a run about the model

  // What a run of n iterations over B samples each will take. `confidence` in (0, 1).
  // nullopt: the model can't say (B unknown and more than one seen, no data).
  std::optional<Prediction> predict(double iterations, std::optional<double> samples,
                                    double confidence) const;
};

// Fits; nullopt where there is nothing to fit from. Work is bounded by the size of `data` alone.
std::optional<Model> fit(const Dataset& data);

}  // namespace etad::regression
