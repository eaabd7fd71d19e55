// What all runs together have taught, beside the models of single networks, as text and back: learnt once,
// and kept for whoever is asked next. A fleet's history keeps it (fleet/answers).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/error.h"
#include "prediction/contradiction.h"
#include "prediction/knowledge.h"

namespace etad::prediction {

struct Learnt {
  std::shared_ptr<const Knowledge> knowledge, energy, memory;  // as ModelSet has them
  std::vector<Contradiction> contradictions;                   // keys whose runs make no model
};

// The runs that the estimators learn from, their records, and what contradicts itself.
std::string learnt_to_json(const Learnt& learnt);

// The same again: an estimator is fitted to those runs when it is first asked, and none is put to the test
// anew, which takes long. Fails on what is damaged, or was written by other estimators than these.
Result<Learnt> learnt_from_json(std::string_view text);

}  // namespace etad::prediction
