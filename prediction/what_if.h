// One question asked for several values of one of its inputs: what if the batch were larger, what if it ran
// on another device? Pure: whoever answers a single question is given.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "prediction/estimate.h"

namespace etad::prediction {

enum class Vary : std::uint8_t { batch_size, devices, device };

// Answers a single question: the estimate, or why there is none.
using Ask = std::function<Answer<Estimate>(const Question&)>;
// Whether what is estimated fits into the device's memory; nullopt: not known.
using Fits = std::function<std::optional<bool>(const Estimate&)>;

struct WhatIf {
  struct Row {
    Question question;  // with the row's value in it
    Estimate estimate;
    double samples_per_second = 0;  // 0: unknown
    std::optional<bool> fits;  // into the device's memory; what does not is neither the best nor the knee
  };
  struct Unanswered {
    std::string value;
    Refusal why;
  };
  std::vector<Row> rows;               // in the order of the values
  std::vector<Unanswered> unanswered;  // values that the history can say nothing of
  std::optional<std::size_t> best;     // the row of the highest throughput, or else of the shortest time
  // Of batch sizes: the smallest row whose throughput is within `knee_within` of the best one's.
  std::optional<std::size_t> knee;
  double knee_within = 0;  // a share; see kNear
};

// A throughput within this share of the best one counts as good as the best: a larger batch would gain less than
// 5 %, and costs memory and steps to convergence. Where some rows are estimates and not measurements, half of it is
// asked for (2.5 %): the other half is left for the estimates' error (docs/accuracy.md, "Choices").
inline constexpr double kNear = 0.05;

// Asks the question once for each of `values`, with the same number of iterations. Where `values` is empty:
// batch sizes are the powers of two from half the smallest seen to twice the largest, and those two; numbers of devices
// are 1, 2, 4, 8; device models are those on which the network ran. Refused where no value has an answer, with the reason
// of the first value.
Answer<WhatIf> what_if(const Question& question, Vary vary, const std::vector<std::string>& values,
                       const Ask& ask, const Fits& fits = {});

// A question with one of its inputs replaced; nullopt: the value is none of that input.
std::optional<Question> with(const Question& question, Vary vary, const std::string& value);

// One batch over several devices that differ, so that all are ready at once.
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
