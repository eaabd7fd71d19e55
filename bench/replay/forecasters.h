// What is held against each other: etad's own estimate, and what progress bars do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/replay/log_runs.h"

namespace etad::replay {

// A run cut off at a moment, and what remains to be foreseen.
struct Situation {
  const ReplayRun* run = nullptr;
  std::size_t moment = 0;  // index of the last one known
  regression::Plan plan;
  std::optional<regression::Prediction> train, test;  // of the history, where it is to count
  const Moment& now() const { return run->moments[moment]; }
};

// The plan of a run as known at that moment, its end moved to the last iteration its log shows.
regression::Plan plan_at(const ReplayRun& run, std::size_t moment);

struct Forecaster {
  std::string name;
  std::optional<regression::Remaining> (*forecast)(const Situation&);
  bool interval = false;  // whether it claims one
};

// All of them, etad first.
const std::vector<Forecaster>& forecasters();

// The model of the same network, deployment and phase from the other runs: all of them, or those that were
// over when this one began.
enum class History { none, others, earlier };
void add_history(Situation& situation, const std::vector<ReplayRun>& runs, History history);

}  // namespace etad::replay
