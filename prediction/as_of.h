// The models as they could have been at an instant in the past, for asking what would have been said then.
#pragma once

#include <memory>

#include "prediction/model_set.h"
#include "prediction/question.h"

namespace etad::prediction {

// Of the network asked for: models from the runs that were over at `question.at`, and what all such runs say together,
// the machine's drift of then included. Made anew, so it costs what a refit costs: once for all that is asked of then.
// Of a question without `at`: the models themselves. `reader`: has the runs of models that are not among those that all
// is learnt from; nullptr: these are left out.
std::shared_ptr<const ModelSet> as_of(std::shared_ptr<const ModelSet> models, const Question& question,
                                      Reader* reader = nullptr);

}  // namespace etad::prediction
