// Questions of how long it will take, as parameters and JSON say them.
#pragma once

#include <string>

#include "daemon/service/message.h"
#include "daemon/service/params.h"
#include "prediction/estimate.h"

namespace etad::service {

// The question that a request's parameters put; see `Params::check` for what is wrong with them.
// `shown`: the request shows the network, so that it needs no name.
prediction::Question question_from(Params& params, bool shown = false);

// The question's length in iterations, counted from its epochs where it says those. What is wrong where it has none.
std::optional<Problem> count_iterations(prediction::Question& question);

std::string to_json(const prediction::Estimate& estimate);

// A refusal as people read it: 404 where nothing fits the question, with what is known; 409 where several
// deployments do, with what tells them apart; 400 where a parameter is missing.
Problem problem_of(const prediction::Refusal& refusal);

// One row of GET /v1/estimators. `chosen`: the name of who answers, by kind.
void write_estimator(JsonWriter& json, const estimators::Record& record,
                     const std::array<std::string_view, estimators::kKinds>& chosen);

}  // namespace etad::service
