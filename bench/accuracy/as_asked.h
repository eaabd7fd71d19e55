// Each run as the daemon would have been asked about it when it began.
#pragma once

#include "bench/accuracy/history.h"

namespace etad::accuracy {

// Madougou's table of all runs; then, where the runs say when they began, each one asked about with `at=` that instant,
// of all that was over by then: error and coverage by kind of question.
void report_by_kind(const History& history);

}  // namespace etad::accuracy
