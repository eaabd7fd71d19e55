#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "parsers/base/text.h"
#include "parsers/training/bar_states.h"
#include "parsers/training/tracker_parts.h"

namespace etad {

using track::RunTrack;
using track::Stage;

track::RunTrack& track::Runs::upcoming() {
  return state_.next ? *state_.next : state_.next.emplace();
}

bool track::Runs::next_is_described() const {
  const std::optional<RunTrack>& next = state_.next;
  return next && (!next->run.settings.empty() || !next->run.network.empty() || next->run.max_iterations ||
                  next->known.batch_size || next->known.global_batch_size || next->epochs.steps);
}

void track::Runs::number_from(std::int64_t first, const std::map<std::int64_t, std::int64_t>& told) {
  if (auto& before = state_.before) {
    const auto at = told.find(before->ordinal);
    if (at == told.end())
      before.reset();
    else
      before->ordinal = at->second;
  }
  state_.next_ordinal = first;
  if (!state_.current || !state_.current->declared()) return;
  state_.current->run.ordinal = take_ordinal();
  state_.current->dirty = true;
}

RunTrack& track::Runs::begin(const Moment& m) {
  auto next = std::exchange(state_.next, {});  // which the last measurements of the run before are no part of
  supersede(m.out);
  state_.current = next ? std::move(*next) : RunTrack{};
  RunTrack& r = *state_.current;
  if (r.run.framework.empty()) r.run.framework = all_.context.framework;
  r.run.started_at = m.now;
  r.run.ended_at = m.now;
  all_.values.begin_with_arguments(r);
  return r;
}

RunTrack& track::Runs::begin_again(const Moment& m) {
  const Run before = state_.current ? state_.current->run : Run{};
  const auto devices = state_.current ? state_.current->known.devices : std::nullopt;
  const bool from_one = state_.current && state_.current->epochs.first_number == 1;
  const auto through = state_.current ? state_.current->epochs.line.through : std::nullopt;
  RunTrack& r = begin(m);
  if (from_one && !r.epochs.first_number)
    r.epochs.first_number = 1;  // it numbers its epochs as it did, and their steps
  r.epochs.line.through = through;
  if (r.run.device.empty()) {  // it runs where it ran
    r.run.device = before.device;
    if (!r.known.devices) r.known.devices = devices;
  }
  if (r.run.host.empty()) r.run.host = before.host;
  if (!before.framework.empty() && r.run.framework == all_.context.framework)
    r.run.framework = before.framework;
  declare(r);
  return r;
}

// From here on it is a run that others hear of.
void track::Runs::declare(RunTrack& r) {
  r.dirty = true;
  if (r.declared()) return;
  r.reach(Stage::declared);
  r.run.ordinal = take_ordinal();
}

// Header lines of one start belong to one run, until it has shown a measurement.
RunTrack& track::Runs::for_header(const Moment& m) {
  RunTrack* const r = open();
  return r ? *r : begin(m);
}

RunTrack& track::Runs::for_measurement(const Moment& m) {
  RunTrack* r = open();
  if (!r) r = &begin_or_go_on(m);
  if (!r->run.started_at) r->run.started_at = m.now;  // what it began with bears no time
  declare(*r);
  return *r;
}

RunTrack& track::Runs::for_progress(const Moment& m) {
  RunTrack& r = for_measurement(m);
  all_.descriptions.finish_net(r, m.out);
  r.reach(Stage::progressed);
  return r;
}

void track::Runs::add_loss(RunTrack& r, std::int64_t iteration, const Moment& m) {
  const auto loss = m.event.number(Field::loss);
  if (!loss) return;
  if (!std::isfinite(*loss)) r.run.loss_is_nan = true;
  m.out.points.push_back({r.run.ordinal, {iteration, m.now, *loss}});
}

void track::Runs::add_segment(RunTrack& r, const Segment& s, Records& out) {
  if (!add_to(r.run, s)) {
    ++out.rejected;
    return;
  }
  r.dirty = true;
  state_.next.reset();  // what was said before was of this run
  auto& added = out.segments.emplace_back();
  added.run = r.run.ordinal;
  added.value = s;
}

namespace {

// Of processes that load and compile for long before the first of them says so.
bool long_after_start(const RunTrack& r, std::optional<Instant> now) {
  constexpr auto kSpreadOfOneStart = std::chrono::minutes(5);
  const auto& since = r.headed_at ? r.headed_at : r.run.started_at;
  return now && since && *now - *since > kSpreadOfOneStart;
}

}  // namespace

void track::Runs::start(const Moment& m) {
  RunTrack* r = open();
  state_.standing.reset();
  const auto rule = static_cast<std::int64_t>(m.event.rule);
  // The same start line again, after a description or much later: the first start came to nothing. Otherwise
  // it is several processes of one job that say the same.
  const bool again = r && (r->description.begun() || long_after_start(*r, m.now)) &&
                     std::find(r->start_rules.begin(), r->start_rules.end(), rule) != r->start_rules.end();
  // A log may tell late how the run began that it has shown to be going on.
  const bool told_late = r && !r->headed && m.event.text(Field::since) == "start";
  // Where it stands behind its settings (since = "end"), those heard since the first start are its own.
  std::optional<RunTrack> before;
  if (again && !r->progressed() && m.event.text(Field::since) == "end") before = *r;
  if (!r || (r->progressed() && !told_late) || again) r = &begin(m);
  if (before) {
    r->run.settings = before->run.settings;
    r->run.network = before->run.network;
    r->known = before->known;
  }
  if (told_late)
    state_.next.reset();  // so what was said above it is of this run, too
  else
    state_.logged = {};
  if (r->start_rules.size() < track::kMaxStartRules) r->start_rules.push_back(rule);
  // The last time of a log may be another run's.
  if (!r->headed) r->headed_at = m.now || !r->run.started_at ? m.now : state_.last_time;
  r->headed = true;
  if (m.now) {
    if (!r->run.started_at) r->run.started_at = m.now;
    r->run.ended_at = m.now;
  }
  // Some go on from a snapshot, and say so in the line that they begin with.
  const std::int64_t to_come = m.event.text(Field::since) == "first" ? 1 : 0;
  const std::int64_t done = count_of(m.event, Field::iteration).value_or(0) - to_come;
  if (done > 0 && !r->progressed()) {
    r->resumed = true;
    r->run.first_iteration = done;
  }
  declare(*r);
  all_.values.take(*r, m.event);
}

namespace {

// The end says how many iterations were done, and they are fewer than planned. (Some leave out those of the
// warm-up.)
bool fell_short(Run& run, const Event& event) {
  auto done = positive_of(event, Field::iterations);
  const std::int64_t planned = number_set(run, name_of(Field::epochs));
  if (const auto epochs = positive_of(event, Field::epoch); !done && epochs && planned > 0)
    done = product_or_zero(*epochs, run.max_iterations.value_or(0) / planned);
  if (!done || !run.max_iterations) return false;
  constexpr std::int64_t kWarmUp = 10;
  // A training that was gone on with counts those since then.
  const std::int64_t shown = run.iteration.value_or(0);
  const std::int64_t reached = std::max(shown, run.first_iteration.value_or(0) + *done);
  if (reached + kWarmUp >= *run.max_iterations) return false;
  run.iteration = reached;
  return true;
}

// An end that is said of every run, finished or not: how far it came tells. Its last iterations may not be
// shown.
bool came_to_plan(const Run& run) {
  constexpr double kNearly = 0.95;
  return !run.max_iterations ||
         static_cast<double>(run.iteration.value_or(0)) >= kNearly * static_cast<double>(*run.max_iterations);
}

// "train_runtime: 512.25, train_steps_per_second: 0.9175" says all of a run that showed nothing before, and so does "30
// epochs completed in 0.125 hours".
bool says_all_of_a_run(const Event& event) {
  return event.has(Field::elapsed) &&
         (event.has(Field::rate) || event.has(Field::iterations) || event.has(Field::epoch));
}

// How long all of it took, where the end says that beside a rate: a trainer's own summary.
std::optional<track::Summary> summary_of(const Event& event) {
  const auto took = event.number(Field::elapsed);
  if (!took || (!event.has(Field::rate) && !event.has(Field::samples_per_second))) return {};
  const auto rate = rounded(event, Field::rate).value_or(std::pair(0.0, 0.0));
  return track::Summary{*took, rate.first, rate.second, event.number(Field::loss)};
}

// Whether the steps of a bar are those that the summary speaks of.
bool is_bar_of(const Event& event, std::int64_t steps) {
  const auto rate = rounded(event, Field::rate);
  const auto took = event.number(Field::elapsed);
  if (!rate || !took || rate->first <= 0) return true;
  const double n = *took * rate->first;
  return std::abs(n - static_cast<double>(steps)) <= 0.02 * n + *took * rate->second;
}

// Some show their steps at intervals, and the last ones not at all; some wipe a bar when it is full, some count from 0; of
// the last epoch's end perhaps only the program's last words tell.
bool has_done_all(const RunTrack& r) {
  const Run& run = r.run;
  if (run.job == Job::time || !run.iteration || run.max_iterations.value_or(0) <= 0) return false;
  constexpr std::int64_t kNearly = 20;  // a bar of so many is but for one of them
  const std::int64_t left = *run.max_iterations - *run.iteration;
  const bool wiped = r.window.bar_over && left * kNearly <= r.epochs.steps.value_or(0);
  const std::int64_t last = r.training.zero_of_plan ? std::max<std::int64_t>(r.training.stride, 1) : 1;
  const bool from_zero = r.training.zero_trained && left <= last;
  const bool in_last = r.last_words.is_done() && r.epochs.in_last_announced();
  return left <= 0 || left < r.training.stride || wiped || from_zero || in_last;
}

// How many steps an epoch has: as was told, or as the steps done with the last one measured show.
std::int64_t steps_of_epochs(const RunTrack& r) {
  if (r.epochs.steps) return *r.epochs.steps;
  const std::int64_t over = r.epochs.timed_last ? r.epochs.done_before(*r.epochs.timed_last, 1) + 1 : 0;
  const std::int64_t done = r.run.iteration.value_or(0);
  return over > 0 && done % over == 0 ? done / over : 0;
}

// Whether it ends of itself before its plan is done, as it is made to: it no longer improves, or its time is over.
bool ends_early(const RunTrack& r, const Event& event) {
  return event.text(Field::outcome) == "early" || r.last_words.stopped_early;
}

// Whether something else ends it before its plan is done.
bool is_stopped(RunTrack& r, const Event& event) {
  const std::string_view outcome = event.text(Field::outcome);
  return outcome == "stopped" || fell_short(r.run, event) || (outcome == "ended" && !came_to_plan(r.run)) ||
         r.last_words.interrupted;
}

// Whether an end may say that all of the plan was done. Where far less was shown and the end says no number, the plan may
// count something else.
bool may_complete(const RunTrack& r, const Event& event) {
  if (r.run.job != Job::train || !r.run.max_iterations || !r.run.iteration) return false;
  return event.has(Field::iterations) || event.has(Field::epoch) || event.has(Field::epochs) ||
         came_to_plan(r.run) || has_done_all(r);
}

}  // namespace

// The run that a line ends; nullptr: none is going on. A line that says all of a run may begin it, too.
RunTrack* track::Runs::ended_by(const Moment& m) {
  RunTrack* const r = open();
  const RunTrack* const last = ended();
  if (!says_all_of_a_run(m.event) || (r && r->declared())) return r;
  auto full_bar = last ? last->training.full_bar : std::nullopt;
  if (full_bar && !is_bar_of(m.event, *full_bar)) full_bar.reset();
  if (last && !full_bar && !last->training.is_another(summary_of(m.event))) return r;
  RunTrack& begun = for_measurement(m);
  if (full_bar) begun.run.max_iterations = begun.run.iteration = full_bar;
  return &begun;
}

void track::Runs::end(const Moment& m) {
  RunTrack* const r = ended_by(m);
  if (!r) return end_again(m);
  r->training.told_by_end = positive_of(m.event, Field::epochs);
  if (!r->declared()) return;  // an end without a run, or above all that shows it
  all_.descriptions.finish_net(*r, m.out);
  if (r->test) all_.tests.end(*r, r->test->end_before(m.now), m.out);
  all_.values.take(*r, m.event);
  if (m.event.has(Field::position)) all_.windows.position(*r, m);
  if (m.event.has(Field::epochs)) plan_epochs(*r, m.event, steps_of_epochs(*r));
  all_.tests.release(*r, m.out);
  r->window.end_snapshot(m.event.time);  // the last one, behind the last window
  add_bounded(r->run.snapshot_time, r->window.saved);
  all_.epochs.end_last(*r, m.out);
  all_.windows.end_bar(*r, m.out);
  all_.epochs.give_alone(*r, m.out);
  measure_whole(*r, m);
  measure_stated_alone(*r, m.out);
  all_.steps.give_layer_times(*r, m.out);
  r->training.summed_up = summary_of(m.event);
  const bool early = ends_early(*r, m.event), stopped = !early && is_stopped(*r, m.event);
  const std::string& message = r->last_words.message;  // of what stopped it
  const bool broken = stopped && !message.empty() && !r->last_words.is_stop();
  if (broken) r->run.message = message;
  r->run.state = broken ? RunState::failed : stopped ? RunState::stopped : RunState::finished;
  if (!early && !stopped && may_complete(*r, m.event))
    r->run.iteration = std::max(*r->run.iteration, *r->run.max_iterations);
  if (const auto done = positive_of(m.event, Field::iterations))
    r->run.iteration = std::max(r->run.iteration.value_or(0), *done);
  r->reach(Stage::ended);
  r->dirty = true;
}

// "Optimization Done." is said twice, by the solver and by the program; the second one only dates the end, unless it comes
// long after: it is another program's.
void track::Runs::end_again(const Moment& m) {
  RunTrack* const last = ended();
  if (!last || last->run.state == RunState::failed || !m.now || is_long_over(last->run, m.now)) return;
  last->run.ended_at = m.now;
  last->dirty = true;
}

namespace {

// Nothing more comes of it. Whether it had done what was planned, it need not have said; but what broke it off,
// perhaps.
void give_up(RunTrack& r) {
  const std::string& message = r.last_words.message;
  if (message.empty() && r.last_words.is_stop()) {
    r.run.state = RunState::stopped;
  } else if (message.empty() && r.last_words.stopped_early) {
    r.run.state = RunState::finished;
  } else if (has_done_all(r) && (message.empty() || !r.last_words.of_training)) {
    const bool amid = r.training.endless && *r.run.iteration < *r.run.max_iterations;  // of an epoch
    r.run.state = amid && !r.last_words.is_done() ? RunState::lost : RunState::finished;
    r.run.iteration = std::max(*r.run.iteration, *r.run.max_iterations);  // the last ones may not be shown
  } else if (message.empty() && r.last_words.is_done()) {
    r.run.state = came_to_plan(r.run) ? RunState::finished : RunState::stopped;
  } else if (message.empty()) {
    r.run.state = RunState::lost;
  } else if (r.last_words.is_stop()) {
    r.run.state = RunState::stopped;
  } else {
    r.run.state = RunState::failed;
    r.run.message = message;
  }
  r.dirty = true;
}

}  // namespace

// What fails behind a run that has done all that was planned is another program, which writes to the same
// file.
void track::Runs::fail(const Moment& m) {
  state_.standing.reset();
  if (m.event.text(Field::since) == "end") return fail_ended(m);
  RunTrack* const r = open();
  if (!r || !r->declared()) return;
  // Some line names an error, which may be one that the training survives: it failed if nothing of it comes behind.
  if (m.event.text(Field::since) == "last") return r->last_words.fail(m.event.text(Field::message));
  all_.descriptions.finish_net(*r, m.out);
  give_held(*r, m.out);
  r->test.reset();
  const bool done = has_done_all(*r);
  r->run.state = done ? RunState::finished : RunState::failed;
  if (!done) r->run.message = kept_text(m.event.text(Field::message), track::kMaxMessage);
  r->reach(Stage::ended);
  r->dirty = true;
}

// Some programs say of every run that it is done, and right behind that (since = "end") what broke it off.
void track::Runs::fail_ended(const Moment& m) {
  constexpr auto kAtOnce = std::chrono::seconds(10);
  RunTrack* const last = ended();
  if (!last) return;
  const bool did_nothing = last->run.state == RunState::finished && !last->run.iteration;
  if (last->run.state != RunState::stopped && !did_nothing) return;
  if (m.now && last->run.ended_at && *m.now - *last->run.ended_at > kAtOnce) return;
  last->run.state = RunState::failed;
  last->run.message = kept_text(m.event.text(Field::message), track::kMaxMessage);
  last->dirty = true;
}

void track::Runs::give_held(RunTrack& r, Records& out) {
  all_.epochs.give_alone(r, out);
  if (const auto at = reached_by_lines(r); at > r.run.iteration) {
    r.run.iteration = at;
    if (r.training.beside_bar.steps_behind() > 0) r.training.stride = r.training.beside_bar.every;
  }
  r.training.beside_bar = {};
  all_.epochs.end_last(r, out);
  all_.windows.end_bar(r, out);
  measure_stated_alone(r, out);
  all_.tests.give_stated(r, out);
  all_.tests.release(r, out);
  all_.steps.give_layer_times(r, out);
}

namespace {

// Nothing told how far it was to go, and nothing how it ended; and it came so far, by epochs or by steps of which each or
// every so many is shown, that another one hardly comes equally far by chance.
bool is_lost_without_plan(const RunTrack& r) {
  constexpr std::int64_t kLeast = 3, kLeastLines = 10;
  const std::int64_t least = r.training.stride > 1 ? kLeastLines * r.training.stride : kLeast;
  return r.run.state == RunState::lost && r.run.job == Job::train && !r.run.max_iterations &&
         r.run.iteration >= least;
}

}  // namespace

// Of runs whose plan nothing tells, two in a row that came equally far, as those of a cross-validation do, have shown it.
void track::Runs::see_series(RunTrack& r, Records& out) {
  auto& before = state_.before;
  if (!is_lost_without_plan(r) || !before || before->iteration != r.run.iteration) return;
  r.run.state = RunState::finished;
  if (std::exchange(before->state, RunState::finished) == RunState::lost) out.runs.push_back(*before);
}

void track::Runs::supersede(Records& out) {
  if (!state_.current) return;
  RunTrack& r = *state_.current;
  if (r.declared() && !r.ended()) {
    all_.descriptions.finish_net(r, out);
    give_held(r, out);
    give_up(r);
    const bool without_plan = is_lost_without_plan(r);
    see_series(r, out);
    state_.before.reset();
    if (without_plan) state_.before = all_.values.with_labels(r);
  }
  if (r.declared() && r.dirty) out.runs.push_back(all_.values.with_labels(r));
  state_.current.reset();
}

void track::Runs::close(Records& out) {
  RunTrack* const r = open();
  if (!r || !r->declared() || r->run.state != RunState::running) return;
  if (r->description.net_open) all_.descriptions.settle(*r, r->description.net(), out);
  give_held(*r, out);
  give_up(*r);
  see_series(*r, out);
}

void track::Runs::flush(Records& out) {
  if (state_.current && state_.current->declared() && state_.current->dirty) {
    out.runs.push_back(all_.values.with_labels(*state_.current));
    state_.current->dirty = false;
  }
}

}  // namespace etad
