// What all runs together have taught, beside the models of single networks, as text and back: learnt once, and kept for
// whoever is asked next. A machine's history keeps the records of its estimators, which take long to make; what these
// were fitted to is there anyway. A fleet's (fleet/answers) keeps that with them, as it is gathered from many hosts.
#pragma once

#include <array>
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

// Of time, energy and memory.
using AllRecords = std::array<Judged, 3>;

std::string records_to_json(const AllRecords& records);

// Fails on what is damaged, or was written by other estimators than these.
Result<AllRecords> records_from_json(std::string_view text);

struct Learnt {
  std::shared_ptr<const Knowledge> knowledge, energy, memory;  // as ModelSet has them
  std::vector<Contradiction> contradictions;                   // keys whose runs make no model
};

// The runs that the estimators learn from, their records, and what contradicts itself.
std::string learnt_to_json(const Learnt& learnt);

// The same again: none is put to the test anew. Fails as records_from_json() does.
Result<Learnt> learnt_from_json(std::string_view text);

}  // namespace etad::prediction
