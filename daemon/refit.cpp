#include "daemon/refit.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <span>
#include <utility>

#include "daemon/log.h"
#include "daemon/system.h"
#include "prediction/description.h"
#include "prediction/model_json.h"
#include "prediction/run_traces.h"
#include "storage/fair_share.h"

namespace etad {
namespace {

using prediction::FittedModel;

void tell(const FittedModel& fitted) {
  const std::string id = std::to_string(fitted.id), phase(name_of(fitted.key.phase));
  log::debug("fitted model " + id + ": " + fitted.key.network + ", " + phase,
             {{"MODEL", id}, {"NETWORK", fitted.key.network}, {"PHASE", phase}});
}

}  // namespace

Refit::Refit(std::unique_ptr<Reader> reader, std::shared_ptr<prediction::KeptModels> models,
             std::function<Instant()> now, std::function<void()> alive, Measuring measuring)
    : reader_(std::move(reader)),
      kept_(std::move(models)),
      now_(std::move(now)),
      alive_(std::move(alive)),
      measuring_(std::move(measuring)) {
  swap_in({});
}

prediction::Learnt Refit::learnt() {
  const Lock running(running_);
  return *models();
}

void Refit::take_over(bool whole, std::optional<prediction::Learnt> learnt) {
  const Lock running(running_);
  generation_ = whole ? std::nullopt : std::optional<std::int64_t>(0);
  gathered_ = learnt.has_value();
  runs_.clear();
  without_data_.clear();
  contradictions_.clear();
  if (!learnt) return;
  runs_ = learnt->knowledge->data();
  for (const auto& contradiction : learnt->contradictions)
    contradictions_.emplace(contradiction.key, contradiction);
  swap_in(std::move(*learnt));
}

// The models of keys whose runs have changed, where there are any; which runs contradict each other is noted.
Result<std::vector<std::optional<FittedModel>>> Refit::make(std::span<const ModelKey> keys) {
  std::vector<std::optional<FittedModel>> out;
  Reader& reader = *reader_;
  auto series = reader.series();
  if (!series) return tl::unexpected(series.error());
  const prediction::GpuSeries traces(std::move(*series), measuring_.own_host);
  const auto one_run =
      kept_->makes_of_one_run() ? prediction::OneRun::left_for_later : prediction::OneRun::fitted;
  for (const ModelKey& key : keys) {
    alive_();
    auto runs = reader.run_data(key, prediction::kMaxRuns, prediction::kMaxWindows);
    if (!runs) return tl::unexpected(runs.error());
    if (auto measured = measure(*runs, key, traces); !measured) return tl::unexpected(measured.error());
    ModelRow row;
    row.key = key;
    auto made = prediction::make_model(
        row, std::move(*runs),
        [&](std::int64_t owner) {
          alive_();
          return reader.run_data(key, prediction::kMaxRuns, prediction::kMaxWindows, {.owner = owner});
        },
        one_run);
    if (!made) return tl::unexpected(made.error());
    // Runs of devices that nobody names teach nothing of any one device, nor of networks.
    contradictions_.erase(key);
    if (made->contradiction) contradictions_.emplace(key, *made->contradiction);
    runs_.erase(key);  // read again when the round is over, if it is gathered
    without_data_.erase(key);
    out.push_back(std::move(made->model));
  }
  share_out_contradictions();
  return out;
}

void Refit::share_out_contradictions() {
  if (contradictions_.size() <= kMostContradictions) return;
  std::vector<Evidence> all;
  std::vector<ModelKey> keys;
  for (const auto& [key, each] : contradictions_) {
    all.push_back({static_cast<std::int64_t>(keys.size()), 0, each.owner});
    keys.push_back(key);
  }
  decltype(contradictions_) kept;
  for (const std::int64_t i : fair_share(std::move(all), kMostContradictions, kMostContradictions))
    kept.insert(contradictions_.extract(keys[static_cast<std::size_t>(i)]));
  contradictions_ = std::move(kept);
}

// What runs that are over cost beside time, by the traces of their GPUs: once, for the history to keep.
Result<void> Refit::measure(std::vector<RunData>& runs, const ModelKey& key,
                            const prediction::GpuSeries& traces) {
  if (!measuring_.keep || traces.empty()) return {};
  for (RunData& data : runs) {
    if (!data.started_at || !data.ended_at) continue;
    const auto tells = [&](const SeriesRow& row) {
      return (!data.joules && prediction::tells_watts(row.name)) ||
             (!data.peak_bytes && prediction::tells_peak_bytes(row.name));
    };
    if (!traces.any_between(*data.started_at, *data.ended_at, tells)) continue;
    if (spent_in_vain_ >= measuring_.most_in_vain.value_or(kInVain)) {
      if (put_off_.size() < kMostPutOff) put_off_.insert(key);
      return {};
    }
    alive_();
    if (auto done = measure(data, key.phase, traces); !done) return done;
  }
  return {};
}

// In turns, so that no key's come first each time.
std::vector<ModelKey> Refit::take_put_off() {
  std::vector<ModelKey> out;
  for (auto at = put_off_.upper_bound(last_put_off_); out.size() < kAtOnce && !put_off_.empty();) {
    if (at == put_off_.end()) at = put_off_.begin();
    out.push_back(*at);
    at = put_off_.erase(at);
  }
  if (!out.empty()) last_put_off_ = out.back();
  return out;
}

// That the traces tell nothing that was not known stays so until there are others of the run's time.
Result<void> Refit::measure(RunData& data, Phase phase, const prediction::GpuSeries& traces) {
  const auto row = reader_->run(data.run_id);
  if (!row) return tl::unexpected(row.error());
  const auto rests_on = *row ? prediction::costs_rest_on(**row, traces) : std::optional<std::uint64_t>();
  if (!rests_on) return {};
  const auto place = std::pair(data.run_id, phase);
  if (const auto known = in_vain_.find(place); known != in_vain_.end() && known->second == *rests_on)
    return {};
  const auto begun = system::thread_time();
  const auto costs = prediction::costs_of_run(*reader_, **row, traces);
  if (!costs) return tl::unexpected(costs.error());
  const auto known = std::pair(data.joules, data.peak_bytes);
  if (!data.joules && costs->watts) data.joules = *costs->watts * to_seconds(data.duration);
  if (!data.peak_bytes) data.peak_bytes = costs->peak_bytes;
  if (std::pair(data.joules, data.peak_bytes) == known) {
    if (in_vain_.size() >= kMostInVain) in_vain_.clear();
    in_vain_[place] = *rests_on;
    spent_in_vain_ += system::thread_time() - begun;
    return {};
  }
  in_vain_.erase(place);
  return measuring_.keep(data.run_id, phase, data.joules, data.peak_bytes);
}

// The data that a model's runs give the estimators of all history. (Of one run it knows of no change.)
Result<void> Refit::gather(const ModelRow& row, const std::vector<RunData>& evidence, std::size_t most) {
  const ModelKey& key = row.key;
  const auto model = row.runs > 1 ? kept_->load(key) : Result<std::shared_ptr<const FittedModel>>(nullptr);
  if (!model) return tl::unexpected(model.error());
  const auto layers = reader_->layers(key.architecture);
  if (!layers) return tl::unexpected(layers.error());
  const auto timed = layers->empty() ? std::vector<TimedLayer>() : reader_->timed_layers(key);
  if (!timed) return tl::unexpected(timed.error());
  auto data =
      prediction::data_of(key, evidence, most, prediction::costs_of(*layers, *timed).value_or(nullptr),
                          *model ? (*model)->model.changed_at : std::nullopt);
  if (data.empty()) {
    without_data_.insert(key);
  } else {
    runs_[key] = std::move(data);
  }
  return {};
}

// The data of the runs behind the models, of each owner in turn the last fitted; of keys that are no longer among them
// the data go.
Result<void> Refit::gather_all() {
  const auto rows = kept_->fair_share(prediction::kMostKeys, prediction::kAlwaysTheirKeys);
  if (!rows) return tl::unexpected(rows.error());
  const std::size_t most = prediction::most_of_key(rows->size());
  prediction::Knowledge::Data kept;
  std::set<ModelKey> without_data;
  for (const ModelRow& row : *rows) {
    if (const auto known = runs_.find(row.key); known != runs_.end() && known->second.size() <= most)
      kept.insert(runs_.extract(known));
    if (without_data_.contains(row.key)) without_data.insert(row.key);
  }
  runs_ = std::move(kept);
  without_data_ = std::move(without_data);
  for (const ModelRow& row : *rows) {
    if (runs_.contains(row.key) || without_data_.contains(row.key)) continue;
    alive_();
    auto runs = reader_->run_data(row.key, prediction::kMaxRuns, prediction::kMaxWindows);
    if (!runs) return tl::unexpected(runs.error());
    const auto chosen = prediction::choose_evidence(std::move(*runs), row.key);
    if (auto gathered = gather(row, chosen.runs, most); !gathered) return gathered;
  }
  return {};
}

// Into the history. How many.
Result<std::int64_t> Refit::keep(std::span<const ModelKey> keys,
                                 std::vector<std::optional<FittedModel>> models,
                                 const std::optional<RefitProgress>& reached) {
  std::vector<FittedModel> fitted;
  std::vector<ModelKey> gone;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    auto& model = models[i];
    if (!model) {
      gone.push_back(keys[i]);
      continue;
    }
    model->fitted_at = now_();
    fitted.push_back(std::move(*model));
  }
  if (auto kept = kept_->keep(fitted, gone, reached); !kept) return tl::unexpected(kept.error());
  for (const FittedModel& model : fitted) tell(model);
  return static_cast<std::int64_t>(fitted.size());
}

// As many at once as memory allows. `reached` holds when the last are kept.
Result<void> Refit::fit_all(const std::vector<ModelKey>& keys, const RefitProgress& reached,
                            prediction::RefitReport& report) {
  for (auto rest = std::span(keys); !rest.empty();) {
    const auto some = rest.first(std::min(rest.size(), kAtOnce));
    rest = rest.subspan(some.size());
    auto made = make(some);
    if (!made) return tl::unexpected(made.error());
    const auto kept = keep(some, std::move(*made), rest.empty() ? std::optional(reached) : std::nullopt);
    if (!kept) return tl::unexpected(kept.error());
    report.fitted += *kept;
    report.failed += static_cast<std::int64_t>(some.size()) - *kept;
  }
  return {};
}

// How far the models are up to date. After a start: those of another version are fitted anew, all of them; and
// which runs contradict each other is not in the history, so the keys without a device and without a model are
// looked at again.
Result<bool> Refit::begin() {
  if (generation_) return false;
  const auto progress = reader_->refit_progress();
  if (!progress) return tl::unexpected(progress.error());
  generation_ = progress->version == prediction::kModelVersion ? progress->generation : 0;
  return !gathered_ && *generation_ > 0;
}

// Those that an earlier daemon made. Of another version, or of other estimators, there are none.
prediction::AllRecords Refit::records_kept() {
  const auto text = kept_->records();
  if (!text || text->empty()) return {};
  auto records = prediction::records_from_json(*text);
  return records ? std::move(*records) : prediction::AllRecords{};
}

// Where there is anything new, or what was put off.
Result<void> Refit::learn(prediction::Learnt& known, Judging judging) {
  using prediction::Judged;
  const bool outgrown = std::ranges::any_of(estimators::kAllTargets, [&](estimators::Target target) {
    const auto& each = known.of(target);
    return each && each->outgrew_records();
  });
  if (gathered_ && (judging == Judging::not_now || !outgrown)) return {};
  if (auto gathered = gather_all(); !gathered) return gathered;
  const prediction::AllRecords before = known.knowledge ? prediction::records_of(known) : records_kept();
  for (const auto target : estimators::kAllTargets) {
    auto& each = known.of(target);
    each = prediction::Knowledge::of(runs_, each, alive_, target, judging,
                                     before[static_cast<std::size_t>(target)]);
    // The models answer by now. The estimators do when all have learnt: until then those of before, and nobody waits.
    each->learn(alive_);
  }
  gathered_ = true;
  const prediction::AllRecords now = prediction::records_of(known);
  const bool same = std::ranges::equal(now, before, {}, &Judged::records, &Judged::records);
  // Those that can't be kept now are made anew after a restart.
  if (!same) static_cast<void>(kept_->keep_records(prediction::records_to_json(now)));
  return {};
}

Result<prediction::RefitReport> Refit::run(Judging judging) {
  const Lock running(running_);
  try {
    return run_whole(judging);
  } catch (const Interrupted&) {
    return fail(ErrorKind::unavailable, "the daemon is stopping", "ask again in a moment");
  }
}

Result<prediction::RefitReport> Refit::run_whole(Judging judging) {
  const auto begun = std::chrono::steady_clock::now();
  prediction::RefitReport report;
  const auto restarted = begin();
  if (!restarted) return tl::unexpected(restarted.error());
  if (*restarted) {
    const auto unnamed = reader_->unnamed_keys(static_cast<std::int64_t>(kMostContradictions));
    if (!unnamed) return tl::unexpected(unnamed.error());
    const auto looked = unnamed->empty()
                            ? Result<void>()
                            : fit_all(*unnamed, {prediction::kModelVersion, *generation_}, report);
    if (!looked) {
      generation_.reset();
      return tl::unexpected(looked.error());
    }
  }
  spent_in_vain_ = {};
  if (const auto keys = take_put_off(); !keys.empty()) {
    gathered_ = false;
    prediction::RefitReport again;  // not of what changed: a key that did is counted below
    if (auto done = fit_all(keys, {prediction::kModelVersion, *generation_}, again); !done)
      return tl::unexpected(done.error());
  }
  for (bool more = true; more;) {
    std::int64_t reached = 0;
    const auto keys = reader_->changed_keys(*generation_, reached, static_cast<std::int64_t>(kAtOnce));
    if (!keys) return tl::unexpected(keys.error());
    more = keys->size() >= kAtOnce;
    if (keys->empty() || reached <= *generation_) break;
    gathered_ = false;
    if (auto done = fit_all(*keys, {prediction::kModelVersion, reached}, report); !done)
      return tl::unexpected(done.error());
    generation_ = reached;
  }
  prediction::Learnt known = *models();
  const auto spent = system::thread_time();
  if (auto done = learn(known, judging); !done) return tl::unexpected(done.error());
  report.learning = system::thread_time() - spent;
  swap_in(std::move(known));  // nothing new is news too: the time of the last refit
  const auto all = kept_->count();
  if (!all) return tl::unexpected(all.error());
  report.unchanged = *all - report.fitted;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  return report;
}

void Refit::swap_in(prediction::Learnt known) {
  const auto next = std::make_shared<prediction::ModelSet>(prediction::ModelSet{std::move(known), kept_});
  next->contradictions.clear();
  for (const auto& [key, contradiction] : contradictions_) next->contradictions.push_back(contradiction);
  const Lock lock(mutex_);
  if (models_) last_ = now_();
  models_ = std::move(next);
}

std::shared_ptr<const prediction::ModelSet> Refit::models() const {
  const Lock lock(mutex_);
  return models_;
}

std::optional<Instant> Refit::last() const {
  const Lock lock(mutex_);
  return last_;
}

}  // namespace etad
