// The tables, in Markdown on standard output.
#pragma once

#include "bench/accuracy/history.h"

namespace etad::accuracy {

// Left-out batch sizes and the larger half from the smaller, by device: ours with three degrees of knowledge,
// and rivals.
void report_batch_sizes(const History& history);

// Unseen runs, by network: those with at least `least_runs`.
void report_runs(const History& history, std::size_t least_runs);

}  // namespace etad::accuracy
