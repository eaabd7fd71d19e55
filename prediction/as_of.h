// The models as they could have been at an instant in the past, for asking what would have been said then.
#pragma once

#include <memory>

#include "prediction/model_set.h"
#include "prediction/question.h"

namespace etad::prediction {

// Of the deployments that the network asked for ran on: models from the runs that were over at `question.at`,
// with the machine's shared effect as those tell it. Made anew for the question, so it costs what a refit
// costs.
std::shared_ptr<const ModelSet> as_of(const ModelSet& models, const Question& question);

}  // namespace etad::prediction
