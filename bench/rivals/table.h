// Madougou's table: every estimator's error in every kind of question.
#pragma once

#include <vector>

#include "regression/estimators/performance.h"

namespace etad::bench {

// Mean error in % (coverage of 90 %; answered/asked), in bold whose answer is given.
void print_table(const std::vector<estimators::Record>& records);

}  // namespace etad::bench
