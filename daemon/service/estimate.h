// Questions of how long it will take, as parameters and JSON say them.
#pragma once

#include <string>

#include "daemon/service/message.h"
#include "daemon/service/params.h"
#include "prediction/cost.h"
#include "prediction/estimate.h"

namespace etad::service {

// Of a question what says which network on what: no length, and no phase.
prediction::Question deployment_from(Params& params);

// The question that a request's parameters put; see `Params::check` for what is wrong with them.
// `models`: they know which settings there are. `shown`: the request shows the network, so that it needs no name.
prediction::Question question_from(Params& params, bool shown = false,
                                   const prediction::ModelSet& models = {});

// The question's length in iterations, counted from its epochs where it says those, over the batch size that its tokens
// make with the length of a sequence that the network's runs had. What is wrong where it has none.
std::optional<Problem> count_iterations(prediction::Question& question, const prediction::ModelSet& models);
// Where epochs are to be counted and only one batch size was seen, that one.
void take_only_batch_size(prediction::Question& question,
                          const std::shared_ptr<const prediction::ModelSet>& models, Instant now);

// An answer's object and its members; who calls ends it, perhaps behind members of its own.
void begin_estimate(JsonWriter& json, const prediction::Estimate& estimate);

std::string to_json(const prediction::Estimate& estimate);
// The same question's answer in energy or memory.
std::string to_json(const prediction::Estimate& estimate, estimators::Target quantity,
                    const prediction::CostEstimate& cost);

std::string_view name_of(estimators::Target quantity);  // "time", "energy" or "memory"
// Which of them a request is about; time, where it does not say.
estimators::Target quantity_from(Params& params);

// A refusal as people read it: 404 where nothing fits the question, with what is known; 409 where several
// deployments do, with what tells them apart; 400 where a parameter is missing.
Problem problem_of(const prediction::Refusal& refusal);

// One row of GET /v1/estimators: the i-th one's records, what the history lacks for it, and where it is who answers.
void write_estimator(JsonWriter& json, const prediction::Knowledge& knowledge, std::size_t i);

}  // namespace etad::service
