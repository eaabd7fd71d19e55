#include "daemon/track_record_keeper.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "regression/checkpoints.h"

namespace etad {
namespace {

// More at once on one machine are not runs; of more, of all owners their fair share, as of the others here.
constexpr std::int64_t kMostRunning = 1000;
constexpr double kConfidence = 0.9;
constexpr std::size_t kMostLost = 64;    // a run whose log just ends may go on after all: so many are awaited
constexpr std::int64_t kMostNew = 1000;  // runs between two looks
constexpr std::int64_t kMostEnded = 1000;  // of those that ended last: a crash leaves unscored what was new

// A run whose last line is older than that is not followed but read from an old log: foretelling what has
// long happened is no prediction.
constexpr std::chrono::hours kPast{24};

double elapsed_seconds(const Run& run) {
  if (!run.started_at || !run.ended_at) return 0;
  constexpr double kLongest = 9e9;  // 285 years: all that a Duration holds
  return std::clamp(std::chrono::duration<double>(*run.ended_at - *run.started_at).count(), 0.0, kLongest);
}

std::string basis_of(const prediction::RunForecast& forecast) {
  if (forecast.step_time && forecast.step_time->from_model_only) return "model";
  return forecast.model_id ? "model and windows" : "windows";
}

// What was foretold of all of it can be held against it. One that stopped early, as it is made to, did less.
bool did_its_plan(const Run& run) {
  return run.state == RunState::finished && (!run.max_iterations || run.iteration >= run.max_iterations);
}

RunFilter running_runs() {
  RunFilter filter;
  filter.state = RunState::running;
  filter.limit = kMostRunning;
  filter.fair = true;
  return filter;
}

}  // namespace

TrackRecordKeeper::TrackRecordKeeper(std::unique_ptr<Reader> reader, SharedWriter& writer,
                                     prediction::LiveRuns& live, RunWatch* watch)
    : reader_(std::move(reader)), writer_(writer), watch_(watch), live_(live) {}

Result<void> TrackRecordKeeper::begin() {
  const auto rows = reader_->runs(running_runs());
  if (!rows) return tl::unexpected(rows.error());
  for (const RunRow& row : *rows) {
    if (auto noted = note(row); !noted) return noted;
  }
  if (const auto newer = newer_runs(); !newer) return tl::unexpected(newer.error());
  return note_unscored();
}

// The runs that came since the last call, those that lasted for less than the time between two looks
// included.
Result<std::vector<RunRow>> TrackRecordKeeper::newer_runs() {
  RunFilter filter;
  filter.limit = newest_ ? kMostNew : 1;  // at first only where we stand
  filter.fair = newest_.has_value();
  filter.after_id = newest_;
  auto rows = reader_->runs(filter);
  if (rows) newest_ = rows->empty() ? newest_.value_or(0) : rows->front().id;
  return rows;
}

// A daemon that died between the commit of a run's end and its scoring left the score to its successor.
Result<void> TrackRecordKeeper::note_unscored() {
  const auto unscored = reader_->unscored_runs(kMostEnded);
  if (!unscored) return tl::unexpected(unscored.error());
  for (const std::int64_t id : *unscored) runs_[id].anything = true;  // not running: scored at the next look
  return {};
}

// What is on record of a run we have not seen before (or not since the start).
Result<void> TrackRecordKeeper::note(const RunRow& row) {
  if (runs_.contains(row.id)) return {};
  const auto predictions = reader_->predictions(row.id);
  if (!predictions) return tl::unexpected(predictions.error());
  Seen& seen = runs_[row.id];
  for (const PredictionRow& prediction : *predictions) {
    seen.checkpoint = std::max(seen.checkpoint.value_or(prediction.at_fraction), prediction.at_fraction);
    seen.anything = true;
  }
  return {};
}

Result<void> TrackRecordKeeper::look(const std::shared_ptr<const prediction::ModelSet>& models, Instant now) {
  const auto rows = reader_->runs(running_runs());
  if (!rows) return tl::unexpected(rows.error());
  std::set<std::int64_t> running;
  for (const RunRow& row : *rows) {
    running.insert(row.id);
    if (watch_ != nullptr) watch_->running(row, live_.forecast(row, models, now), !runs_.contains(row.id));
    if (auto noted = note(row); !noted) return noted;
    Seen& seen = runs_[row.id];
    seen.told_over = false;
    const std::int64_t iteration = row.run.iteration.value_or(0);
    if (std::exchange(seen.iteration, iteration) == iteration) continue;
    if (auto predicted = predict(row, seen, models, now); !predicted) return predicted;
  }
  const auto newer = newer_runs();
  if (!newer) return tl::unexpected(newer.error());
  for (const RunRow& row : *newer) {
    if (watch_ == nullptr || row.run.state == RunState::running || runs_.contains(row.id)) continue;
    watch_->over(row, false, now);
  }
  return score_ended(running, now);
}

Result<void> TrackRecordKeeper::predict(const RunRow& row, Seen& seen,
                                        const std::shared_ptr<const prediction::ModelSet>& models,
                                        Instant now) {
  if (row.run.ended_at && now - *row.run.ended_at > kPast) return {};
  const prediction::RunForecast forecast = live_.forecast(row, models);
  const auto& remaining = forecast.remaining;
  if (!remaining) {
    if (row.run.train.segments == 0) seen.fraction = 0;  // seen at its very beginning, with nothing to say
    return {};
  }
  const double elapsed = elapsed_seconds(row.run);
  const auto fraction = regression::time_fraction(elapsed, remaining->seconds);
  if (!fraction) return {};
  const auto before = std::exchange(seen.fraction, fraction);
  const auto checkpoint = regression::checkpoint_reached(*fraction, seen.checkpoint, before);
  if (!std::exchange(seen.begun, true) && !seen.checkpoint && (!checkpoint || *checkpoint > 0)) {
    if (auto said = predict_start(row, seen, *models, now); !said) return said;
  }
  if (!checkpoint) return {};
  PredictionRow prediction;
  prediction.kind = *checkpoint > 0 ? PredictionKind::remaining : PredictionKind::total;
  prediction.at_fraction = *checkpoint;
  prediction.made_at = now;
  prediction.elapsed = elapsed;
  // Of the whole run what is over is known; only the rest is predicted.
  prediction.seconds = prediction.kind == PredictionKind::total ? elapsed : 0;
  return record(row, seen, std::move(prediction), forecast);
}

// A run that is seen too late for its start: what the models that were fitted before it began say of all of
// it is what would have been said then.
Result<void> TrackRecordKeeper::predict_start(const RunRow& row, Seen& seen,
                                              const prediction::ModelSet& models, Instant now) {
  const prediction::RunForecast forecast = prediction::LiveRuns::at_start(row, models);
  if (!forecast.remaining) return {};
  PredictionRow prediction;
  prediction.kind = PredictionKind::total;
  prediction.made_at = now;
  prediction.elapsed = elapsed_seconds(row.run);
  return record(row, seen, std::move(prediction), forecast);
}

// `prediction.seconds`: what the forecast's remaining time is added to.
Result<void> TrackRecordKeeper::record(const RunRow& row, Seen& seen, PredictionRow prediction,
                                       const prediction::RunForecast& forecast) {
  const double known = prediction.seconds;
  prediction.run_id = row.id;
  prediction.seconds = known + forecast.remaining->seconds;
  prediction.lower = known + forecast.remaining->lower;
  prediction.upper = known + forecast.remaining->upper;
  prediction.confidence = kConfidence;
  prediction.model_id = forecast.model_id;
  prediction.basis = basis_of(forecast);
  const auto kept = writer_.with([&](Writer& writer) { return writer.put_predictions({prediction}); });
  if (!kept) return kept;
  seen.checkpoint = prediction.at_fraction;
  seen.anything = true;
  return {};
}

// A run that finished is what its predictions were about. One that was stopped, failed or was lost was not
// what was planned, so nothing is learnt from its end.
Result<void> TrackRecordKeeper::score_ended(const std::set<std::int64_t>& running, Instant now) {
  std::vector<Evidence> lost, unseen;
  for (auto it = runs_.begin(); it != runs_.end();) {
    if (running.contains(it->first)) {
      ++it;
      continue;
    }
    const auto row = reader_->run(it->first);
    if (!row) return tl::unexpected(row.error());
    const auto await = [&, id = it->first](std::vector<Evidence>& those) {
      those.push_back({id, (*row)->source_id, (*row)->owner.value_or(kUnknownOwner)});
      ++it;
    };
    if (*row && (*row)->run.state == RunState::running) {  // newer ones have its place in the list
      await(unseen);
      continue;
    }
    if (watch_ != nullptr && *row && !std::exchange(it->second.told_over, true))
      watch_->over(**row, true, now);
    if (*row && (*row)->run.state == RunState::lost && it->second.anything) {
      await(lost);
      continue;
    }
    const auto total = *row && did_its_plan((*row)->run) ? wall_time((*row)->run) : std::nullopt;
    if (total && it->second.anything) {
      const auto scored = writer_.with([&](Writer& writer) { return writer.score_run(it->first, *total); });
      if (!scored) return scored;
    }
    if (watch_ != nullptr && !*row) watch_->forget(it->first);
    it = runs_.erase(it);
  }
  let_go_of_all_but(kMostLost, lost);
  let_go_of_all_but(kMostRunning, unseen);
  return {};
}

void TrackRecordKeeper::let_go_of_all_but(std::size_t most, const std::vector<Evidence>& awaited) {
  const auto kept = fair_share(awaited, most, most);  // from the highest id to the lowest
  for (const Evidence& each : awaited) {
    if (std::ranges::binary_search(kept, each.id, std::greater<>())) continue;
    runs_.erase(each.id);
    if (watch_ != nullptr) watch_->let_go(each.id);
  }
}

}  // namespace etad
