// Estimates of a network that never ran here, from what its description says it costs and from what the
// machine's other networks took.
#pragma once

#include "prediction/estimate.h"

namespace etad::prediction {

// Needs `question.shown`. Of the machine that was meant. Refused where the description says too little,
// where too few other networks ran on the machine, and where several machines fit.
Answer<EstimatePart> never_ran(const ModelSet& models, const Question& question, Phase phase,
                               std::int64_t iterations);

// Where the shown network ran here, it is that network which the question is about, and not one that is only
// shown: its runs know more than its description.
Question recognized(const ModelSet& models, Question question);

}  // namespace etad::prediction
