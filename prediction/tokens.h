// The size of a language model's iteration in tokens: its samples times the length of a sequence.
#pragma once

#include <cstdint>
#include <optional>

#include "prediction/model_set.h"
#include "prediction/question.h"

namespace etad::prediction {

// Where the question names tokens and a sequence length (a setting), their quotient is its batch size.
void count_tokens(Question& question);

// The same by the length that the network's runs had, where the question names none; refused where they had
// none or several.
Answer<void> count_tokens(Question& question, const ModelSet& models);

// The length of a sequence that the question names, or that all runs behind a model had.
std::optional<std::int64_t> sequence_length(const Question& question, const FittedModel* model);

}  // namespace etad::prediction
