// What all runs together have taught, beside the models of single networks, as text and back: learnt once, and kept for
// whoever is asked next. A machine's history keeps the records of its estimators, which take long to make; what these
// were fitted to is there anyway. A fleet's (fleet/answers) keeps that with them, as it is gathered from many hosts.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "parsers/base/error.h"
#include "prediction/knowledge.h"
#include "prediction/model_set.h"

namespace etad::prediction {

using AllRecords = std::array<Judged, 3>;  // by Target
AllRecords records_of(const Learnt& learnt);

std::string records_to_json(const AllRecords& records);

// Fails on what is damaged, or was written by other estimators than these.
Result<AllRecords> records_from_json(std::string_view text);

// The runs that the estimators learn from, their records, and what contradicts itself.
std::string learnt_to_json(const Learnt& learnt);

// The same again: none is put to the test anew. Fails as records_from_json() does.
Result<Learnt> learnt_from_json(std::string_view text);

}  // namespace etad::prediction
