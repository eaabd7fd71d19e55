// Questions in other words: about a run like one there was, about epochs instead of iterations, about tokens instead of
// samples.
#pragma once

#include <cstdint>
#include <optional>

#include "parsers/base/record.h"
#include "prediction/model_set.h"
#include "prediction/question.h"

namespace etad::prediction {

// The question with all it leaves out as the run had it: network, deployment, batch size, settings, plan.
// Where another device or host is asked for, the run's own says nothing of the machine.
Question like(const Run& run, Question asked);

// `epochs` as iterations over the batch size; of more than a number holds, the largest number, which no estimate
// takes. False: the batch size or the samples of an epoch are not known.
bool count_epochs(Question& question);

// The size of a language model's iteration in tokens is its samples times the length of a sequence. Where the question
// names tokens and that length (a setting), their quotient is its batch size.
void count_tokens(Question& question);

// The same by the length that the network's runs had, where the question names none; refused where they had
// none or several.
Answer<void> count_tokens(Question& question, const ModelSet& models);

// The length of a sequence that the question names, or that all runs behind a model had.
std::optional<std::int64_t> sequence_length(const Question& question, const FittedModel* model);

}  // namespace etad::prediction
