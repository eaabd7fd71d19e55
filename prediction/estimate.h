// Answers "how long will it take?" from the fitted models. Pure: models and a question in, an answer out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "prediction/knowledge.h"
#include "prediction/model_set.h"
#include "prediction/question.h"

namespace etad::prediction {

// What one model says, or (no model) what the estimators say who know all the history, or how long the
// start-up or the snapshots take.
struct EstimatePart {
  std::string phase;  // train, test, startup, snapshot, other
  ModelKey key;       // what was asked; of what passes beside training and testing none
  std::shared_ptr<const FittedModel> model;
  std::optional<double> batch_size;
  std::int64_t iterations = 0;  // start-up, snapshots: how many; what passes between them: 0
  int runs = 0;
  regression::Prediction prediction;
  // What was bridged to the question, and by whom; with a model of the very deployment: where that is known.
  std::optional<Said> said;
};

struct Estimate {
  std::shared_ptr<const ModelSet> models;  // that it was asked of
  ModelKey key;                            // the first part's
  Question question;
  std::vector<EstimatePart> parts;  // one, but for a total
  regression::Prediction sum;
  std::optional<Instant> now;
  // Deployments that fit the question: where several do and answer alike within their intervals, this is the
  // answer of the one with the most runs, and its bounds are those of all.
  std::size_t alike = 1;
};

// `now`: when the run will start, for the machine's drift at present; nullopt: at no time in particular. Of a time that
// is past (`question.at`) the models are to be those of then (prediction/as_of.h).
Answer<Estimate> estimate(std::shared_ptr<const ModelSet> models, const Question& question,
                          std::optional<Instant> now = std::nullopt);

// The question as the model of that key would be asked it; as that model: of settings that it leaves out the model's.
Question about(const ModelKey& key, Question question);
Question about(const FittedModel& fitted, Question question);

// That good estimators contradict each other.
Refusal abstained(const Said& said, std::string network);

// What estimators said of an iteration, of so many. Refused where good ones contradict each other.
Answer<EstimatePart> part_of(const Said& said, const Asked& asked, std::int64_t iterations);

// That the question lacks the batch size of that phase, which decides: `seen` is what runs had.
Refusal batch_size_missing(const Question& question, Phase phase, std::string network,
                           const regression::Range& seen = {});

// The test phases of a training of `iterations`: one before the first, and one after each `interval`
// (Caffe's rule; the initial one counts).
std::int64_t test_phases(std::int64_t iterations, std::int64_t interval);

}  // namespace etad::prediction
