#include "prediction/as_of.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "prediction/datasets.h"
#include "prediction/evidence.h"
#include "prediction/knowledge.h"
#include "prediction/names.h"
#include "prediction/never_ran.h"
#include "prediction/selection.h"
#include "prediction/stored_models.h"

namespace etad::prediction {
namespace {

constexpr std::size_t kMostFitted = 100;  // whoever asks so vaguely is shown those that were there first
constexpr std::size_t kMostLooked = 8;    // models of a network, at, before a question is answered

// The models that the question may be about.
std::vector<ModelRow> rows_meant(const ModelSet& now, const Question& meant, std::size_t most = kMostFitted) {
  auto filter = meant_by(*now.models, meant);
  if (!filter) return {};
  filter->any_order = false;
  filter->limit = static_cast<std::int64_t>(most);
  return now.models->list(*filter).value_or(std::vector<ModelRow>());
}

// The models of then that the question may mean, what contradicted itself, and the runs that the estimators of all history
// had of them.
struct Then {
  std::vector<FittedModel> models;
  std::vector<Contradiction> contradictions;
  Knowledge::Data runs;
};

Then fitted_then(const ModelSet& now, const Question& meant, const RunsOf& runs_of) {
  Then out;
  auto rows = rows_meant(now, meant);
  for (const Contradiction& each : now.contradictions) {  // of these there may have been a model
    if (rows.size() >= kMostFitted) break;
    if (fits(meant.network, each.key.network) && fits(meant.architecture, each.key.architecture))
      rows.emplace_back().key = each.key;
  }
  const auto runs_then = [&](const ModelKey& key, const std::optional<std::int64_t>& owner) {
    return runs_of(key, {owner, *meant.at}).value_or(std::vector<RunData>());
  };
  const Knowledge::Data& known = now.knowledge->data();
  for (const ModelRow& row : rows) {
    const auto evidence = choose_evidence(runs_then(row.key, std::nullopt), row.key);
    const auto data = dataset_of(evidence.runs, row.key.phase);
    if (auto found = contradiction_of(row.key, data)) {
      out.contradictions.push_back(std::move(*found));
      continue;
    }
    auto fitted = fitted_from(row.key, evidence, regression::fit(data));
    if (!fitted) continue;
    const auto runs_now = known.find(row.key);
    const auto costs = runs_now == known.end() ? nullptr : runs_now->second.front().what.costs;
    fitted->id = row.id;
    fitted->fitted_at = *meant.at;
    const FittedModel* speaks = &*fitted;
    std::vector<RunData> own;
    if (meant.asker && std::ranges::find(evidence.dissenters, *meant.asker) != evidence.dissenters.end()) {
      own = runs_then(row.key, meant.asker);
      add_own(*fitted, *meant.asker, own);
      if (const auto found = fitted->own.find(*meant.asker); found != fitted->own.end())
        speaks = found->second.get();
    }
    out.runs[row.key] = data_of(row.key, speaks->own_runs ? own : evidence.runs, most_of_key(known.size()),
                                costs, speaks->model.changed_at);
    out.models.push_back(std::move(*fitted));
  }
  return out;
}

// Of the models that the question may be about, those by which the asker is answered from his own runs.
std::vector<ModelKey> keys_of_own(const ModelSet& models, const Question& question) {
  std::vector<ModelKey> out;
  if (!question.asker || !question.network || !models.knowledge) return out;
  // Of this network, wherever it ran: that is what an answer is bridged from.
  Question anywhere;
  anywhere.network = question.network;
  anywhere.architecture = question.architecture;
  for (const ModelRow& row : rows_meant(models, anywhere, kMostLooked)) {
    if (row.runs < 2) continue;  // there is no second owner
    const auto model = models.models->load(row.key);
    if (model && *model && said_to(*model, question.asker) != *model) out.push_back(row.key);
  }
  return out;
}

}  // namespace

RunsOf runs_in(Reader& reader) {
  return [&reader](const ModelKey& key, const RunsWanted& wanted) {
    return reader.run_data(key, kMaxRuns, kMaxWindows, wanted);
  };
}

bool is_answered_by_own(const ModelSet& models, const Question& question) {
  return !keys_of_own(models, question).empty();
}

std::shared_ptr<const ModelSet> as_seen_by_asker(std::shared_ptr<const ModelSet> models,
                                                 const Question& question, const RunsOf& runs_of) {
  Knowledge::Data own;
  for (const ModelKey& key : keys_of_own(*models, question)) {
    const auto known = models->knowledge->data().find(key);
    const auto costs = known == models->knowledge->data().end() ? nullptr : known->second.front().what.costs;
    const auto model = models->models->load(key);
    const auto runs = runs_of(key, {.owner = question.asker});
    if (!model || !*model || !runs) continue;
    auto data = data_of(key, *runs, most_of_key(models->knowledge->data().size()), costs,
                        said_to(*model, question.asker)->model.changed_at);
    if (!data.empty()) own.emplace(key, std::move(data));
  }
  if (own.empty()) return models;
  auto out = std::make_shared<ModelSet>(*models);
  for (auto* const each : {&out->knowledge, &out->energy, &out->memory})
    if (*each) *each = (*each)->with(own);
  return out;
}

std::shared_ptr<const ModelSet> as_of(std::shared_ptr<const ModelSet> models, const Question& question,
                                      const RunsOf& runs_of) {
  if (!question.at) return models;
  auto out = std::make_shared<ModelSet>();
  if (!models->knowledge) return out;
  const Question meant = recognized(*models, question);
  Then then = meant.shown ? Then() : fitted_then(*models, meant, runs_of);
  out->knowledge = models->knowledge->as_of(*question.at, then.runs);
  if (models->energy) out->energy = models->energy->as_of(*question.at, then.runs);
  if (models->memory) out->memory = models->memory->as_of(*question.at, then.runs);
  out->contradictions = std::move(then.contradictions);
  out->models = std::make_shared<HeldModels>(std::move(then.models));
  return out;
}

}  // namespace etad::prediction
