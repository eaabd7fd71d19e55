// What a model is fitted from: the joint between those who keep measurements and the regression.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace etad::regression {

// Settings that may change the step time of a network beside its batch size, as "name=value", sorted:
// "type=Adam", "precision=fp16", "iter_size=4", "workers=8". An empty value: the log does not say.
using Covariates = std::vector<std::string>;

// One window of a run: `iterations` iterations took `seconds`.
struct Window {
  double iterations = 0;
  double seconds = 0;
};

// What a sample of a run's windows says of it (noise.h).
struct WithinRun {
  int windows = 0;
  // Relative standard deviation of one iteration; nullopt: too few windows tell.
  std::optional<double> iteration_noise;
};

// One run: the unit of independence. Windows of a run share its noise; runs do not share theirs.
struct RunObservation {
  std::int64_t run = 0;   // identity, for folds and for the answer
  double samples = 0;     // samples per iteration (B); 0: unknown
  double iterations = 0;  // n, summed over the run's windows
  double seconds = 0;     // t, likewise
  double started_at = 0;  // seconds since 1970, for the order in time; 0: unknown
  double ended_at = 0;    // likewise; 0: unknown
  Covariates covariates;  // settings that may change its step time: a model is of the runs of one set of them
  WithinRun within = {};
  std::int64_t owner = 0;  // uid of the log's owner: where several have runs, no one of them alone decides
  std::int64_t place = 0;  // of the owner: who was there first has the lowest
};

using Dataset = std::vector<RunObservation>;

}  // namespace etad::regression
