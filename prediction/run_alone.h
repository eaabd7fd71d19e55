// Models made of one run alone, for questions like that run where no fitted model contains it: because its log names no
// network, because its network's runs contradict each other, or because nothing was fitted since it came.
#pragma once

#include <memory>

#include "prediction/model_set.h"
#include "storage/history.h"

namespace etad::prediction {

// The models, without ids, of that run's training and of its tests, as far as it measured any: those of the history's
// key with one run. Reads no more than the first few thousand of its windows.
Result<std::shared_ptr<const ModelSet>> models_of_run(Reader& reader, const RunRow& row, Instant now);

}  // namespace etad::prediction
