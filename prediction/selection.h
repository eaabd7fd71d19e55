// Which of the fitted models a question is about.
#pragma once

#include <memory>
#include <vector>

#include "prediction/model_set.h"
#include "prediction/question.h"

namespace etad::prediction {

// One network on one deployment, with the models of it that the question's phase needs (a total both, where there
// are both).
struct Deployment {
  std::shared_ptr<const FittedModel> train, test;
};

// The one deployment the question means. Its cost does not grow with how many models there are.
Answer<Deployment> select(Models& models, const Question& question);

// Which models it may mean: those of the names that it gives, as far as there are such.
Result<ModelFilter> meant_by(Models& models, const Question& question);

// The models of the network that a question names, and those on the deployment that it names, whatever the names' case.
ModelFilter of_network(const Question& question);
ModelFilter of_deployment(const Question& question);

// That all of these (one at least) fit a question, and what tells them apart.
Refusal ambiguous(std::vector<KnownDeployment> fits);

}  // namespace etad::prediction
