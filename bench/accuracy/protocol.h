// The ways in which estimates are put to the test: what is hidden, what is asked, what is counted.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "bench/accuracy/estimator.h"
#include "bench/accuracy/history.h"

namespace etad::accuracy {

// What a model may know beside the runs it is fitted from.
enum class Knowledge {
  own,      // nothing
  machine,  // how the device's other runs went
};

// One question put to a model, and the runs that answer it.
struct Trial {
  SeriesKey key;
  double samples = 0;
  double estimate = 0, lower = 0, upper = 0;  // seconds; of a 90 % interval
  double truth = 0;                           // the runs' median
  std::vector<double> actual;                 // seconds of each run
  std::vector<double> replicates;             // of one hidden run: seconds of those that were not hidden

  double error() const;               // |estimate / truth - 1|
  int held() const;                   // runs inside the interval
  bool beyond_twice(double t) const;  // further from the estimate than twice the interval says
  int wrong_unsaid() const;           // runs beyond twice
};

// Which of the batch sizes of a series (sorted) are hidden together, one set after the other.
using HiddenSizes = std::vector<std::set<double>> (*)(const std::vector<double>& sizes);
std::vector<std::set<double>> each_size(const std::vector<double>& sizes);
std::vector<std::set<double>> larger_half(const std::vector<double>& sizes);

// For every series with at least `kLeastSizes` batch sizes: those that `choose` hides, from the others.
std::vector<Trial> leave_sizes_out(const History& history, const Estimator& estimator, HiddenSizes choose);

// Each run from all the others of its series, where there are at least `least_runs`. Of the machine's drift only
// the runs tell that were over when the hidden one began.
std::vector<Trial> leave_one_run_out(const History& history, const Estimator& estimator, Knowledge knowledge,
                                     std::size_t least_runs);

inline constexpr std::size_t kLeastSizes = 4;

// Mean |t / median - 1| over runs that were repeated with the same batch size and iterations: no estimate
// can be better. nullopt: nothing was repeated.
std::optional<double> noise_floor(const std::vector<const regression::Dataset*>& series);

}  // namespace etad::accuracy
