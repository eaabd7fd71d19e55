// The tables, in Markdown on standard output.
#pragma once

#include "bench/accuracy/history.h"

namespace etad::accuracy {

// How often intervals held and estimates were wrong unsaid.
struct Totals {
  int estimates = 0, wrong_estimates = 0;  // beyond twice the interval from the runs' median
  int runs = 0, held = 0, wrong = 0;

  Totals& operator+=(const Totals& other);
};

// Left-out batch sizes and the larger half from the smaller, by device: ours with three degrees of knowledge,
// and rivals.
Totals report_batch_sizes(const History& history);

// Unseen runs, by network: those with at least `least_runs`.
Totals report_runs(const History& history, std::size_t least_runs);

// What the intervals were worth over all tables.
void report_totals(const Totals& totals);

}  // namespace etad::accuracy
