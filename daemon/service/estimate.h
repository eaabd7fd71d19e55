// Answers "how long will it take?" from the fitted models. Pure: models and a question in, an answer out.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/service/backend.h"
#include "daemon/service/message.h"
#include "daemon/service/params.h"

namespace etad::service {

// What the question leaves out (nullopt) must be settled by the models there are, or it is refused as
// ambiguous. A batch size is the number of samples one iteration works through on all devices together
// (configured batch size x iter_size x devices where each device takes a batch of its own): the history's B.
struct Question {
  enum class Phase : std::uint8_t { train, test, total };
  std::optional<std::string> network, architecture, framework, host, device;
  std::optional<std::int64_t> devices;
  Phase phase = Phase::train;
  std::optional<std::int64_t> batch_size;
  std::int64_t iterations = 0;
  std::optional<std::int64_t> test_interval, test_iterations, test_batch_size,
      snapshot_interval;                        // a total's
  std::map<std::string, std::string> settings;  // the run's, as far as they are known: "type", "precision", …
  double confidence = 0.9;
};

// The question that a request's parameters put; see `Params::check` for what is wrong with them.
Question question_from(Params& params);

// What one model says, or (no model) how long the start-up or the snapshots take.
struct EstimatePart {
  std::string phase;  // train, test, startup, snapshot
  const FittedModel* model = nullptr;
  std::optional<double> batch_size;
  std::int64_t iterations = 0;  // snapshots: how many
  int runs = 0;
  regression::Prediction prediction;
};

struct Estimate {
  std::shared_ptr<const ModelSet> models;  // keeps alive what `parts` point into
  Question question;
  std::vector<EstimatePart> parts;  // one, but for a total
  regression::Prediction sum;
  std::optional<Instant> now;
};

// 404 where nothing fits the question, with what is known; 409 where several do, with what tells them apart.
// `now`: when the run will start, for the machine's present mood; nullopt: at no time in particular.
Answer<Estimate> estimate(std::shared_ptr<const ModelSet> models, const Question& question,
                          std::optional<Instant> now = std::nullopt);

// The test phases of a training of `iterations`: one before the first, and one after each `interval`
// (Caffe's rule; the initial one counts).
std::int64_t test_phases(std::int64_t iterations, std::int64_t interval);

std::string to_json(const Estimate& estimate);

}  // namespace etad::service
