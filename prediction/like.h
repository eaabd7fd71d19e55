// Questions about runs like one there was, and about epochs instead of iterations.
#pragma once

#include "parsers/base/record.h"
#include "prediction/question.h"

namespace etad::prediction {

// The question with all it leaves out as the run had it: network, deployment, batch size, settings, plan.
// Where another device or host is asked for, the run's own says nothing of the machine.
Question like(const Run& run, Question asked);

// `epochs` as iterations over the batch size; of more than a number holds, the largest number, which no estimate
// takes. False: the batch size or the samples of an epoch are not known.
bool count_epochs(Question& question);

}  // namespace etad::prediction
