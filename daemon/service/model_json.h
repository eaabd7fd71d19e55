// A fitted model as text and back: what the history keeps in ModelRow::body. It is written with all digits
// and read to within one unit in the last place (as Boost.JSON 1.81 rounds). The body is versioned; one of an
// unknown version is refused, and the model is then fitted anew.
#pragma once

#include <string>
#include <string_view>

#include "daemon/service/backend.h"
#include "parsers/error.h"

namespace etad::service {

// The parts of a FittedModel that its row does not hold in columns: model, family, startup, snapshot.
std::string model_to_json(const FittedModel& fitted);

// The row as a model. Fails on a body that is malformed, incomplete or of another version.
Result<FittedModel> model_from_row(const ModelRow& row);

}  // namespace etad::service
