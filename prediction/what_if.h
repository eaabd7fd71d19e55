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

using Ask = std::function<Answer<Estimate>(const Question&)>;
using Fits =
    std::function<std::optional<bool>(const Estimate&)>;  // into the device's memory; nullopt: not known

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
  // Of batch sizes: the smallest row whose throughput is within kNear of the best one's.
  std::optional<std::size_t> knee;
};

// A throughput this close to the best is as good as the best: what a larger batch gains beyond is paid for in
// memory and in steps to convergence. Where not all rows were measured the knee is estimated to be within half of
// it: the other half is for what estimates are off by (docs/accuracy.md, "Choices").
inline constexpr double kNear = 0.05;

// `values` empty: sensible ones. Of batch sizes the powers of two from half the smallest seen to twice the
// largest, and those two; of devices 1, 2, 4, 8; of device those on which the network ran. With as many
// iterations each. All rows of batch sizes are one estimator's, so that no change of it looks like one of
// throughput. Refused where no value has an answer, with the reason of the first.
Answer<WhatIf> what_if(const Question& question, Vary vary, const std::vector<std::string>& values,
                       const Ask& ask, const Fits& fits = {});

// A question with one of its inputs replaced; nullopt: the value is none of that input.
std::optional<Question> with(const Question& question, Vary vary, const std::string& value);

}  // namespace etad::prediction
