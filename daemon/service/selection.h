// Which of the fitted models a question is about.
#pragma once

#include <string_view>
#include <vector>

#include "daemon/service/backend.h"
#include "daemon/service/message.h"

namespace etad::service {

struct Question;

// The title of the problem that there is no model of the network asked for.
inline constexpr std::string_view kUnknownNetwork = "Unknown network";

// One network on one deployment, with the models there are of it.
struct Deployment {
  const FittedModel* train = nullptr;
  const FittedModel* test = nullptr;
  const ModelKey& key() const { return train != nullptr ? train->key : test->key; }
};

// The one deployment the question means, with the models its phase needs. 404 with near names or with what
// is known of the network; 409 with the deployments left and the parameters that would tell them apart.
Answer<Deployment> select(const ModelSet& models, const Question& question);

}  // namespace etad::service
