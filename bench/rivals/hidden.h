// What estimators, and the answer chosen from them, are worth on parts of a table that were hidden from them:
// one part after the other, or several at once.
#pragma once

#include <cstddef>
#include <string>

#include "regression/estimators/case.h"

namespace etad::bench {

// A table on stdout. `what`: size (each batch size of a series), larger-half (of a series' batch sizes),
// all-but-one (of them), devices (each number of devices of a network on a machine), few-devices (all but one
// and two of them), device (a network on a machine), host (a machine with all its runs), network. `share`: how much
// is hidden at once; 0: one part after the other. What the daemon would answer is also told by phase, and
// by kind of question.
void print_hidden(const estimators::History& history, estimators::Target target, const std::string& what,
                  double share);

}  // namespace etad::bench
