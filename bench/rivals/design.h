// What few runs that `etactl next` chooses leave of the error, beside as many at random.
#pragma once

#include "regression/estimators/case.h"

namespace etad::bench {

// A table on stdout, over every series of six batch sizes or more.
void print_design(const estimators::History& history);

}  // namespace etad::bench
