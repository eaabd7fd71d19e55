// The ways in which estimates are put to the test: what is hidden, what is asked, what is counted.
#pragma once

#include <string>
#include <vector>

#include "bench/accuracy/estimator.h"
#include "bench/accuracy/history.h"

namespace etad::accuracy {

// What a model may know beside the runs it is fitted from.
enum class Knowledge {
  own,         // nothing
  networks,    // the other networks of the device; what is hidden of the series is hidden of the network
  everything,  // the network's other phase too, at the batch sizes hidden of this one
};

// One question put to a model, and the runs that answer it.
struct Trial {
  SeriesKey key;
  double samples = 0;
  double estimate = 0, lower = 0, upper = 0;  // seconds; of a 90 % interval
  double truth = 0;                           // the runs' median
  std::vector<double> actual;                 // seconds of each run

  double error() const;      // |estimate / truth - 1|
  int held() const;          // runs inside the interval
  int wrong_unsaid() const;  // runs further from the estimate than twice the interval says
};

// For every series with at least `kLeastSizes` batch sizes: each is hidden in turn.
std::vector<Trial> leave_one_size_out(const History& history, const Estimator& estimator,
                                      Knowledge knowledge);

// The larger half of the batch sizes from the smaller half.
std::vector<Trial> larger_from_smaller(const History& history, const Estimator& estimator,
                                       Knowledge knowledge);

// Each run from all the others of its series, where there are at least `least_runs`.
std::vector<Trial> leave_one_run_out(const History& history, const Estimator& estimator, Knowledge knowledge,
                                     std::size_t least_runs);

inline constexpr std::size_t kLeastSizes = 4;

// Mean |t / median - 1| over runs that were repeated with the same batch size and iterations: no estimate
// can be better. nullopt: nothing was repeated.
std::optional<double> noise_floor(const std::vector<const regression::Dataset*>& series);

}  // namespace etad::accuracy
