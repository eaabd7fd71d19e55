// One batch over several devices that differ, so that all are ready at once.
#pragma once

#include <string>
#include <vector>

#include "prediction/what_if.h"

namespace etad::prediction {

struct Split {
  struct Share {
    std::string device;
    std::int64_t samples = 0;          // 0: too slow to begin with
    std::optional<Estimate> estimate;  // of its share; nothing where that is none
  };
  std::vector<Share> shares;  // in the order of the devices
  double seconds = 0;  // of an iteration: until the last one is ready. What it costs to join is not in it
};

// Each device is asked for the whole batch and for half of it: a line through both. Refused where the
// question has no batch size, or where one device has no answer.
Answer<Split> split(const Question& question, const std::vector<std::string>& devices, const Ask& ask);

}  // namespace etad::prediction
