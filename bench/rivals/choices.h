// etad-rivals --choices: whether the batch size and the device that the estimates choose are the right ones.
#pragma once

#include "regression/estimators/case.h"

namespace etad::bench {

// Prints, for choices of a batch size and of a device, how often they are right by what was measured and hidden.
void print_choices(const estimators::History& history);

}  // namespace etad::bench
