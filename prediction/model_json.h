// A fitted model as text and back: what the history keeps in ModelRow::body. A model read back answers every
// question with the very bits it answered before. The body is versioned; one of another version is refused,
// and the model is then fitted anew.
#pragma once

#include <string>
#include <string_view>

#include "parsers/base/error.h"
#include "prediction/model_set.h"

namespace etad::prediction {

// Of the body's form *and* of what the numbers mean: raise it with either, so that no model is asked what
// another version of the regression has fitted.
inline constexpr int kModelVersion = 23;

// The parts of a FittedModel that its row does not hold in columns.
std::string model_to_json(const FittedModel& fitted);

// The row as a model. Fails on a body that is malformed, incomplete or of another version.
Result<FittedModel> model_from_row(const ModelRow& row);

}  // namespace etad::prediction
