// Madougou's table: every estimator's error in every kind of question; and the lines of the tables that it is of.
#pragma once

#include <istream>
#include <string>

#include "regression/estimators/performance.h"

namespace etad::bench {

// Mean error in % (coverage of 90 %; answered/asked), in bold whose answer is given.
void print_table(const estimators::Records& records);

// A line of a CSV, whatever ends it; false at the end.
bool next_line(std::istream& file, std::string& line);

}  // namespace etad::bench
