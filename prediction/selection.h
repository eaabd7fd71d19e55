// Which of the fitted models a question is about.
#pragma once

#include <vector>

#include "prediction/model_set.h"
#include "prediction/question.h"

namespace etad::prediction {

// One network on one deployment, with the models there are of it.
struct Deployment {
  const FittedModel* train = nullptr;
  const FittedModel* test = nullptr;
  const ModelKey& key() const { return train != nullptr ? train->key : test->key; }
};

// The one deployment the question means, with the models its phase needs.
Answer<Deployment> select(const ModelSet& models, const Question& question);

// That all of these (one at least) fit a question, and what tells them apart.
Refusal ambiguous(std::vector<KnownDeployment> fits);

}  // namespace etad::prediction
