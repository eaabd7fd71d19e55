// Which runs of a network are worth making next: those that narrow the estimates of it most for their time.
#pragma once

#include <optional>
#include <vector>

#include "prediction/knowledge.h"
#include "prediction/model_set.h"
#include "prediction/question.h"

namespace etad::prediction {

struct NextRun {
  std::int64_t batch_size = 0, devices = 0, iterations = 0;
  double seconds = 0;  // expected, start-up included where it is known
  // Half the width of the answers' intervals, of their value, before and after this run (and those before
  // it).
  double before_percent = 0, after_percent = 0;
};

struct NextRuns {
  ModelKey key;  // the deployment to make them on
  std::vector<NextRun> runs;
};

// At most `most` runs that take no longer than `budget` seconds together, the most worthwhile first; none
// where no run would narrow anything by a hundredth. The answers to be narrowed are those for the question's
// batch size and number of devices, where it says them, else for all that are tried: batch sizes from half
// the smallest seen to twice the largest, on every number of such devices that anything ran on. Of these the
// largest size counts as much as all others: the others' throughput is compared with it.
Answer<NextRuns> next_runs(const ModelSet& models, const Question& question, double budget, std::size_t most);

}  // namespace etad::prediction
