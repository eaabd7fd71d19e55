// The models otherwise than as all see them today: as they could have been at an instant in the past, for asking what would
// have been said then, and as an asker sees them who is answered from his own runs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "prediction/model_set.h"
#include "prediction/question.h"

namespace etad::prediction {

// A model's runs (Reader::run_data).
using RunsOf = std::function<Result<std::vector<RunData>>(const ModelKey&, const RunsWanted& wanted)>;
RunsOf runs_in(Reader& reader);

// Of the network asked for: models from the runs that were over at `question.at`, and what all such runs say together,
// the machine's drift of then included. An asker whose runs were left out then is answered from these, and what
// contradicted itself then makes no model, whatever came later. Made anew, so it costs what a refit costs: once for all
// that is asked of then. Of a question without `at`: the models themselves.
std::shared_ptr<const ModelSet> as_of(std::shared_ptr<const ModelSet> models, const Question& question,
                                      const RunsOf& runs_of);

// The models of the asker's own runs, of the network asked for: where it is asked for, and wherever else it ran, since that
// is what an answer is bridged from. None: the asker is answered as all are, or by what could have been said at an
// instant (as_of).
using OwnModels = std::map<ModelKey, std::shared_ptr<const FittedModel>>;
OwnModels own_models(const ModelSet& models, const Question& question);

// What all runs say together where of those models the asker's own runs alone count. So other numbers of devices, other
// machines, energy and memory are told him by what he saw. Made anew, once for all that is asked; where he has no own
// models: the models themselves.
std::shared_ptr<const ModelSet> as_seen_by_asker(std::shared_ptr<const ModelSet> models, const OwnModels& own,
                                                 const RunsOf& runs_of);

}  // namespace etad::prediction
