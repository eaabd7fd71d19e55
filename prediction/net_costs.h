// What estimators need to know of a network that is only described.
#pragma once

#include <memory>
#include <span>

#include "parsers/base/record.h"
#include "regression/estimators/case.h"
#include "storage/rows.h"

namespace etad::prediction {

// nullptr where a layer's work is not known: a sum over the others would be no network's time. `timed`: what some took
// on the machine.
std::shared_ptr<const estimators::Costs> costs_of(std::span<const Layer> layers,
                                                  std::span<const TimedLayer> timed = {});

}  // namespace etad::prediction
