#include "prediction/live_runs.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "prediction/datasets.h"
#include "prediction/knowledge.h"
#include "prediction/plan.h"
#include "storage/row_values.h"

namespace etad::prediction {
namespace {

// As many running runs are remembered; more are worked out anew each time.
constexpr std::size_t kMostRuns = 4096;
// And as many of their segments together, 40 MB: beyond, those of the runs not asked for longest go.
constexpr std::size_t kMostIntervals = std::size_t{1} << 20;
// Of one run the newest count: a log that is caught up with has as many new ones at each question, and to read them
// must not make everybody wait.
constexpr std::int64_t kMostOfARun = 1 << 13;
constexpr double kConfidence = 0.9;

// What speaks to the run's owner. nullptr: there is none, or it can't be read.
std::shared_ptr<const FittedModel> find_model(const ModelSet& models, const RunRow& row, Phase phase) {
  auto found = models.models->load(key_of(row.run, phase));
  return found ? model_for(std::move(*found), row.owner) : nullptr;
}

// What the network's model says of one of the `left` iterations (plan.h) or, of a run with other settings than the
// model's runs have, all the history. `knowledge`: nullptr, where that is not to be asked.
std::optional<regression::Prediction> asked(const FittedModel* fitted, const Knowledge* knowledge,
                                            const Run& run, Phase phase, double left) {
  if (fitted == nullptr) return std::nullopt;
  const auto& measured = phase == Phase::train ? run.train : run.test;
  const auto done = static_cast<double>(measured.iterations);
  auto own = per_iteration(fitted->model, run, phase, done, left, kConfidence);
  const auto settings = settings_of(fitted->key, run.settings);
  if (!own || knowledge == nullptr || fitted->model.unseen(settings).empty()) return own;
  estimators::Case what = case_of(fitted->key);
  what.settings = settings;
  what.samples = static_cast<double>(measured.samples_per_iteration.value_or(0));
  what.iterations = done + left;
  const auto said = knowledge->ask(what, kConfidence);
  if (!said || said->kind > estimators::Kind::settings || !said->contradicted_by.empty()) return own;
  return regression::Prediction{said->value, said->lower, said->upper, {}};
}

double seconds_between(Instant from, Instant to) {
  return std::max(0.0, std::chrono::duration<double>(to - from).count());
}

// What is still to pass before the first iteration, as runs of the network show it.
double startup_left(const Run& run, const FittedModel* fitted) {
  if (fitted == nullptr || !fitted->startup || run.startup || !run.started_at || !run.ended_at) return 0;
  return std::max(0.0, fitted->startup->median - seconds_between(*run.started_at, *run.ended_at));
}

double other_share_of(const FittedModel* fitted) {
  return fitted != nullptr && fitted->other ? fitted->other->median : 0;
}

// The answer of the last line, as it looks after a silence. One that has done all it planned may well be silent: it
// saves, or evaluates, and a silence says nothing of how long that lasts.
RunForecast after_silence(RunForecast forecast, const regression::Plan& plan, double silence) {
  const bool done = plan.max_iterations > 0 && plan.iteration >= plan.max_iterations;
  forecast.silence = silence;
  forecast.stalled = !done && forecast.step_time && regression::stalled(forecast.step_time->due, silence);
  if (auto& left = forecast.remaining)
    left = regression::after_silence(*left, done ? std::min(silence, left->due) : silence);
  return forecast;
}

}  // namespace

LiveRuns::Known& LiveRuns::known(std::int64_t run_id) {
  if (runs_.size() >= kMostRuns && runs_.find(run_id) == runs_.end()) {
    const auto oldest =
        std::ranges::min_element(runs_, {}, [](const auto& each) { return each.second.used; });
    runs_.erase(oldest);
  }
  Known& out = runs_[run_id];
  out.used = ++requests_;
  return out;
}

// Only what came since the last time, unless the run is not the one it was.
void LiveRuns::read_intervals(const RunRow& row, Known& known) {
  const std::int64_t segments = row.run.train.segments + row.run.test.segments;
  const bool far_behind = segments - known.segments > kMostOfARun;  // a log is being caught up with
  if (segments < known.segments || known.intervals.empty() || far_behind) {
    known.intervals.clear();
    known.segments = std::max<std::int64_t>(0, segments - kMostOfARun);
  }
  if (const auto news = reader_.segments(row.id, known.segments, segments - known.segments)) {
    for (const Segment& each : *news) known.intervals.push_back(interval_of(each));
    known.segments += static_cast<std::int64_t>(news->size());
  }
  const auto most = static_cast<std::size_t>(kMostOfARun);
  if (known.intervals.size() > 2 * most)
    known.intervals.erase(known.intervals.begin(), known.intervals.end() - kMostOfARun);
  make_room(row.id);
}

void LiveRuns::make_room(std::int64_t except) {
  std::size_t all = 0;
  std::vector<Known*> others;
  for (auto& [id, each] : runs_) {
    all += each.intervals.size();
    if (id != except) others.push_back(&each);
  }
  if (all <= kMostIntervals) return;
  std::ranges::sort(others, {}, &Known::used);
  for (Known* const oldest : others) {
    if (all <= kMostIntervals) return;
    all -= std::exchange(oldest->intervals, {}).size();
  }
}

void LiveRuns::answer(const Run& run, const FittedModel* train, const FittedModel* test,
                      const Knowledge* knowledge, Known& known) {
  const regression::Plan plan = plan_of_seen(known.plan, run, known.intervals);
  const double left = std::max(0.0, plan.max_iterations - plan.iteration);
  const double phases = plan.test_interval > 0 ? left / plan.test_interval + 1 : 1;
  const auto training = asked(train, knowledge, run, Phase::train, left);
  const auto testing = asked(test, knowledge, run, Phase::test, phases * plan.test_iterations);
  RunForecast& answer = known.answer.emplace();
  answer.model_id = training ? std::optional(train->id) : std::nullopt;
  const regression::RunSoFar so_far(known.intervals);
  answer.remaining = regression::remaining(so_far, plan, training, testing, kConfidence);
  answer.step_time = regression::expected_step_time(so_far, plan, training, kConfidence);
  answer.anomaly = training ? regression::anomaly(so_far, *training) : std::nullopt;
}

RunForecast LiveRuns::at_start(const RunRow& row, const ModelSet& models) {
  Run run = row.run;  // as it was
  run.iteration = run.first_iteration;
  run.train.iterations = run.test.iterations = 0;
  run.snapshots = run.stalls = 0;
  run.snapshot_time = {};
  const auto train = find_model(models, row, Phase::train), test = find_model(models, row, Phase::test);
  const auto before = [&](const FittedModel& model) { return model.fitted_at <= *run.started_at; };
  if (train == nullptr || !run.started_at || !before(*train) || (test != nullptr && !before(*test)))
    return {};
  Known known;
  known.plan = plan_of(run);
  known.plan.startup = train->startup ? train->startup->median : 0;
  known.plan.other_share = other_share_of(train.get());
  answer(run, train.get(), test.get(), nullptr, known);  // what all the history says has learnt of later runs
  return *known.answer;
}

RunForecast LiveRuns::forecast(const RunRow& row, const std::shared_ptr<const ModelSet>& models,
                               std::optional<Instant> now) {
  const Lock lock(mutex_);
  const Run& run = row.run;
  // Of an imported log that just ends the clock stands at its last line.
  const bool ends_there = row.source_kind == "import" && run.state == RunState::lost;
  if ((run.state != RunState::running && !ends_there) || run.job != Job::train) {
    runs_.erase(row.id);
    return {};
  }
  Known& known = this->known(row.id);
  regression::Plan plan = plan_of(run);
  const auto train = find_model(*models, row, Phase::train), test = find_model(*models, row, Phase::test);
  plan.startup = startup_left(run, train.get());
  plan.other_share = other_share_of(train.get());
  const auto fit_of = [](const auto& model) {
    return model != nullptr ? Fit({model->id, model->fitted_at}) : std::nullopt;
  };
  const bool grown = known.segments != run.train.segments + run.test.segments;
  const bool refitted = known.train != fit_of(train) || known.test != fit_of(test);
  if (!known.answer || grown || refitted || known.plan != plan) {
    if (grown || known.intervals.empty()) read_intervals(row, known);
    known.plan = plan;
    known.train = fit_of(train);
    known.test = fit_of(test);
    answer(run, train.get(), test.get(), models->knowledge.get(), known);
  }
  const double silence = now && run.ended_at && !ends_there ? seconds_between(*run.ended_at, *now) : 0;
  return after_silence(*known.answer, plan, silence);
}

}  // namespace etad::prediction
