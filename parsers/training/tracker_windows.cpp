// Windows of training.
//
// A window runs from one displayed iteration to the next. Its time is the difference of the two lines' times
// less the test phases inside. Where the log itself says how long the window took and the two disagree beyond
// measure, the clock was set in between, and the log's own word counts.
#include <cmath>
#include <utility>

#include "parsers/training/bar_states.h"
#include "parsers/training/stated_window.h"
#include "parsers/training/tracker_parts.h"
#include "parsers/training/window_doubts.h"

namespace etad {

using track::Anchor;
using track::beginning_of_bar;
using track::ends_bar;
using track::held_a_pause;
using track::holds_something_else;
using track::lacks_lines;
using track::leaps;
using track::overstates;
using track::Pace;
using track::ran_beside;
using track::RunTrack;
using track::Stage;
using track::stated_window;
using track::Statement;
using track::statement;
using track::tells_no_time_yet;
using track::was_told_at_once;
using track::Window;

namespace {

using namespace std::chrono_literals;

// The time of one step stands for all of a window, and that step took much longer than those before: an
// evaluation of which no line tells, for which the others of the window do not stand.
bool was_no_usual_step(const PhaseSummary& before, std::int64_t n, const Event& event,
                       const Statement& said) {
  if (n < 2 || before.segments < 3 || said.measured || !event.has(Field::seconds)) return false;
  constexpr double kMuchLonger = 10;
  return to_seconds(said.took) / static_cast<double>(n) * static_cast<double>(before.iterations) >
         kMuchLonger * to_seconds(before.duration);
}

// A window over the border of two epochs that took much longer than the steps before it: it holds what many do
// between two epochs, a validation, of which no line tells.
bool held_a_validation(const PhaseSummary& before, const Window& window, std::int64_t n, Duration took) {
  if (!window.over_border || before.segments < 3) return false;
  constexpr double kMuchLonger = 3;
  return to_seconds(took) * static_cast<double>(before.iterations) >
         kMuchLonger * to_seconds(before.duration) * static_cast<double>(n);
}

// Whether a time worked out from samples a second is in keeping with what was measured before: some count
// tokens for samples, and then it is not the clock that is wrong.
bool keeps_step_time(const PhaseSummary& before, std::int64_t n, Duration took) {
  if (before.iterations == 0) return false;
  const double step_time = to_seconds(took) / static_cast<double>(n) *
                           static_cast<double>(before.iterations) / to_seconds(before.duration);
  return step_time > 0.5 && step_time < 2;
}

}  // namespace

// Right behind a run's end some trainers show its last iteration once more: that is no new run.
bool track::Windows::is_said_again(const Moment& m) {
  RunTrack* const over = all_.runs.ended();
  if (!over) return false;
  RunTrack& r = *over;
  const auto iteration = count_of(m.event, Field::iteration);
  // A complete bar is drawn by each process, and again when it is closed.
  const auto of = positive_of(m.event, Field::max_iter);
  if (iteration && iteration == r.run.max_iterations && iteration == of) return true;
  // A run that is known by its summary, whose steps were worked out from a rate, learns its plan so.
  if (iteration && iteration == of && r.run.iteration &&
      std::abs(*iteration - *r.run.iteration) <= *iteration / 100) {
    r.run.iteration = r.run.max_iterations = iteration;
    r.dirty = true;
    return true;
  }
  // What was drawn amid the run beside its own bar, an evaluation's, is drawn once more at the end.
  if (of && of == r.training.other_bar) return true;
  // Nor is a bar of a few seconds a training, such as those of the files that are saved.
  constexpr double kFewSeconds = 10;
  const auto elapsed = m.event.number(Field::elapsed);
  if (of && elapsed && *elapsed < kFewSeconds && iteration != of) return true;
  // A bar that is full when it is first seen measures nothing, and behind a summary one may be an evaluation's or a
  // prediction's. Whether it was a training's, a loss or another summary tells.
  const bool unclear = elapsed && r.training.summary && !r.training.trained_behind;
  if (iteration && of && (iteration == of || unclear)) {
    r.training.full_bar = std::max(*of, r.training.full_bar.value_or(0));
    return true;
  }
  if (!r.window.from) return false;
  const std::int64_t shown = r.window.from->iteration;
  const bool late = m.now && r.run.ended_at && *m.now > *r.run.ended_at + 10s;
  if (late || !iteration || *iteration < shown || *iteration > r.run.max_iterations.value_or(shown))
    return false;
  r.window.from.reset();  // once
  return true;
}

namespace {

// A bar of another length than the first one is not the training's, but an evaluation's or a download's;
// unless the first one was such: complete, shorter, and too short to measure. Then the training begins here.
bool was_no_training(RunTrack& r, std::int64_t of) {
  Run& run = r.run;
  if (run.iteration != run.max_iterations || of <= *run.max_iterations || run.train.segments > 0)
    return false;
  if (run.settings.count("max_iter") > 0) return false;
  run.iteration.reset();
  run.first_iteration.reset();
  r.window = Window{};
  return true;
}

// Behind a plan that is done, steps of another plan and their time, of no bar and no epoch: another training. So are
// epochs of another plan whose numbers begin again, unless such a count stood amid the run's own before.
bool begins_another(const RunTrack& r, const Event& event) {
  const auto iteration = count_of(event, Field::iteration), of = positive_of(event, Field::max_iter);
  if (event.text(Field::unit) == "epoch")
    return r.progressed() && of != r.run.max_iterations && of != r.training.other_bar &&
           iteration < r.run.iteration;
  const bool timed = event.time && event.has(Field::seconds) && !event.has(Field::elapsed);
  return timed && has_done_its_plan(r) && event.text(Field::since) != "epoch" &&
         (iteration < r.run.iteration || of != r.run.max_iterations);
}

// Where epochs state their times, a line without one that names an earlier one speaks of what was best, or loaded.
bool looks_back(const RunTrack& r, const Event& event, std::int64_t iteration) {
  return event.text(Field::unit) == "epoch" && r.epochs.shortest && iteration < r.run.iteration.value_or(0);
}

// A line of no bar that counts on where the run stands, out of more: a training that was gone on with, of which more is
// planned now.
bool plans_more(const RunTrack& r, const Event& event, std::int64_t all) {
  const auto iteration = count_of(event, Field::iteration);
  if (!iteration || !r.run.iteration || event.has(Field::elapsed) || all <= *r.run.max_iterations)
    return false;
  const std::int64_t further = *iteration - *r.run.iteration;
  return further > 0 && further <= r.training.stride;
}

// A test's lines may count its own steps, which are fewer than those that the training has shown.
bool counts_a_tests_steps(const RunTrack* r, const Event& event) {
  if (!r || event.text(Field::key) != "validation") return false;
  const auto shown = r->epochs.last_batch ? r->epochs.last_batch : r->run.iteration;
  return shown && count_of(event, Field::iteration) < shown;
}

// A bar of epochs around the bars of their steps.
bool counts_epochs(const RunTrack& r, const Event& event) {
  const auto of = positive_of(event, Field::batches);
  return of && of == positive_of(event, Field::epochs) && r.epochs.steps && r.epochs.steps != of;
}

// Another process of the same run is behind with what it says: fewer steps, but no new beginning of the time.
bool says_it_late(const std::optional<Anchor>& from, const Event& event, std::int64_t iteration) {
  if (!from || !from->elapsed || iteration >= from->iteration) return false;
  const auto elapsed = event.number(Field::elapsed);
  return elapsed && *elapsed > 0.5 * *from->elapsed;
}

}  // namespace

void track::Windows::tell(Told value) {
  std::erase_if(state_.told, [&value](const Told& told) { return told.field == value.field; });
  state_.told.push_back(std::move(value));
}

// What lines before it have told of this one joins it.
void track::Windows::progress(const Moment& m) {
  if (state_.told.empty()) return progress_of(m);
  const auto told = std::exchange(state_.told, {});
  Event whole = m.event;
  for (const Told& value : told)
    if (!whole.has(value.field)) whole.add(value.field, value.scale, value.text);
  progress_of({whole, m.now, m.out});
}

// Where a line says the run stands.
std::optional<std::int64_t> track::Windows::iteration_of(RunTrack& r, const Event& event,
                                                         std::int64_t steps_per_epoch) {
  const auto place = r.epochs.place_of(event, steps_per_epoch, r.run.iteration.value_or(0));
  if (!place) return {};
  const bool anew = place->iteration == 0 && r.run.iteration > 0;  // what it plans is another run's
  if (place->planned && !anew) r.run.max_iterations = place->planned;
  if (place->gap) r.window.broken = true;
  if (place->next_epoch) r.window.over_border = true;
  if (event.text(Field::unit) != "epoch") return place->iteration;
  // Epochs that lines tell of when they are over: behind number 0 one is done, and the number told as their last may
  // be one less than there are.
  r.training.from_zero = r.training.from_zero || place->iteration == 0;
  const std::int64_t done = place->iteration + (r.training.from_zero ? 1 : 0);
  if (r.run.max_iterations && done == *r.run.max_iterations + 1) r.run.max_iterations = done;
  return done;
}

void track::Windows::progress_of(const Moment& m) {
  if (m.event.text(Field::phase) == name_of(Phase::test) || m.event.text(Field::job) == name_of(Job::test))
    return all_.tests.progress(m);
  if (is_said_again(m)) return;
  if (counts_a_tests_steps(all_.runs.open(), m.event)) return;
  if (const RunTrack* const known = all_.runs.open(); known && counts_epochs(*known, m.event)) return;
  if (m.event.has(Field::position)) {  // of a run that is known: what it counts, its batch
    if (RunTrack* const known = all_.runs.open(); known && known->declared()) position(*known, m);
    if (RunTrack* const over = all_.runs.ended(); over && m.event.has(Field::loss))
      over->training.trained_behind = true;
    return;
  }
  RunTrack* r = &all_.runs.for_measurement(m);
  if (looks_back(*r, m.event, count_of(m.event, Field::iteration).value_or(r->run.iteration.value_or(0))))
    return;
  if (const auto of = positive_of(m.event, Field::max_iter)) {
    if (begins_another(*r, m.event)) r = &all_.runs.begin_again(m);
    const bool told = r->run.settings.count("max_iter") > 0;  // in words, and not by a bar
    if (told && r->run.max_iterations == *of) r->epochs.line.through = true;
    const std::int64_t all = r->epochs.plan_of(m.event, *of);
    // What was counted before the first heading was its epoch's.
    const auto counts_one = r->epochs.announced_of ? product(*r->epochs.announced_of, *of) : 0;
    if (!told && all >= counts_one && counts_one > 0 &&
        (r->run.max_iterations == counts_one || r->run.max_iterations == r->epochs.before + *of))
      r->run.max_iterations = all;
    if ((r->progressed() || told) && r->run.max_iterations && *r->run.max_iterations != all &&
        !was_no_training(*r, all) && !plans_more(*r, m.event, all)) {
      r->training.other_bar = *of;
      r->window.other_bar = true;
      return;
    }
    r->run.max_iterations = all;
  }
  const std::int64_t steps =
      r->epochs.steps.value_or(all_.labels.steps_per_epoch.value_or(planned_steps_of_epoch(*r)));
  const bool behind =
      r->window.begins_behind(m.event.time, r->run.started_at) && r->last_words.message.empty();
  const auto counted = behind ? std::optional(r->epochs) : std::nullopt;
  auto iteration = iteration_of(*r, m.event, steps);
  if (!iteration) return;
  if (counted && *iteration < r->window.from->iteration)  // what another process had in its buffer
    return void(r->epochs = *counted);
  if (looks_back(*r, m.event, *iteration)) return;
  plan_epochs(*r, m.event, r->epochs.steps.value_or(positive_of(m.event, Field::batches).value_or(0)));
  if (says_it_late(r->window.from, m.event, *iteration)) return;
  // A log without start lines that counts from the beginning again: another run. A line without any time amid
  // others that count it, or one line back, is another writer's word for the same: a line's beside a bar's.
  if (!r->headed && r->window.from && *iteration < r->window.from->iteration) {
    const Anchor& from = *r->window.from;
    const bool timed = m.now || m.event.has(Field::elapsed) || m.event.has(Field::seconds);
    if (from.elapsed && !timed) return;
    if (from.dated && !m.event.time) return;  // a text's words, amid lines that are stamped
    if (*iteration > 1 && *iteration + r->training.stride >= from.iteration) return;
    r = &all_.runs.begin_again(m);
    iteration = iteration_of(*r, m.event, steps);
    if (!iteration) return;
  }
  train_progress(*r, m, *iteration);
}

namespace {

// The batch, where the lines of progress themselves say it: as such, or by the samples of all iterations so
// far.
void take_shown_batch(track::Quantities& known, const Event& event, std::int64_t iteration) {
  if (const auto n = positive_of(event, Field::global_batch_size)) known.global_batch_size = n;
  if (const auto n = positive_of(event, Field::batch_size)) known.batch_size = n;
  if (const auto n = positive_of(event, Field::devices)) known.devices = n;
  if (event.text(Field::key) != "samples" || known.global_batch_size || iteration <= 0) return;
  const auto samples = positive_of(event, Field::value);
  if (samples && *samples % iteration == 0) known.global_batch_size = *samples / iteration;
}

// Where several processes each draw a bar of the same run, one may come in behind the others' next line, or
// all of it behind the end of another's.
bool is_of_another_process(const RunTrack& r, const Anchor& to) {
  const Anchor& from = *r.window.from;
  if (!to.elapsed || !from.elapsed || from.dated || to.dated || to.iteration >= from.iteration) return false;
  if (r.headed && from.iteration == r.run.max_iterations) return true;
  return to.iteration > 0 && to.iteration + r.training.stride >= from.iteration;
}

// The run's own bar is drawn again at the same iteration, behind another one: in the time since it was drawn before, no
// step was done.
void see_wait(RunTrack& r, const Anchor& here) {
  if (!here.elapsed && !r.training.last_elapsed) return;  // as where lines show no time so far
  const auto before = std::exchange(r.training.last_elapsed, here.elapsed);
  if (r.run.iteration != here.iteration || !r.window.other_bar || here.epoch) return;
  if (!before || !here.elapsed || *here.elapsed <= *before) return;
  r.window.waited += from_seconds(*here.elapsed - *before);
  r.training.shows_waits = true;
}

}  // namespace

void track::Windows::train_progress(RunTrack& r, const Moment& m, std::int64_t iteration) {
  all_.descriptions.finish_net(r, m.out);
  take_shown_batch(r.known, m.event, iteration);
  r.reach(Stage::progressed);
  r.dirty = true;
  if (!r.job_known) r.run.job = Job::train;
  r.job_known = true;
  if (r.run.job == Job::time) {  // a timing run's steps are no training
    r.run.iteration = iteration;
    return;
  }
  if (r.test) all_.tests.end(r, r.test->done_at, m.out);
  Anchor here;
  here.iteration = iteration;
  here.at = m.now;
  here.dated = m.event.time.has_value();
  if (const auto elapsed = r.epochs.elapsed(m.event)) {
    here.elapsed = elapsed->seconds;
    here.error = elapsed->error;
    here.epoch = elapsed->epoch;
    here.steps = elapsed->steps;
  }
  see_wait(r, here);
  if (r.window.from && r.window.from->epoch != here.epoch) end_bar(r, m.out);
  if (!r.run.first_iteration) r.run.first_iteration = r.headed && !r.resumed ? 0 : iteration;
  if (iteration < *r.run.first_iteration) r.run.first_iteration = iteration;  // the resume came to nothing
  if (!r.window.from && r.run.started_at && m.now && r.headed && !r.run.startup && !r.training.until_progress)
    r.run.startup =
        r.training.first_progress(between(*r.run.started_at, *m.now), iteration - *r.run.first_iteration);
  if (const auto beginning = beginning_of_bar(m.event, here, r.window.from))
    begin_window(r, *beginning, m.out);
  // Of the parts of a bar that has come to its end, and of a plan, the roundings cancel out.
  const bool ends = r.training.by_lines && (ends_bar(m.event, here) || iteration == r.run.max_iterations);
  if (ends && r.window.from && r.window.from->epoch == here.epoch) r.window.from->error = here.error = 0;
  const auto& from = r.window.from;
  if (from && iteration == from->iteration) {  // shown again
    const bool tests = m.event.text(Field::key) == "validation";
    if (tests) all_.tests.since_progress(r, m);
    if (!tests && here.dated) r.window.shown_again = here.at;
    // An epoch that begins behind one of unknown length, or a stamp behind the same without one: from here on there is
    // something to measure.
    const bool stamps = here.dated && !from->at && !from->elapsed;
    if (stamps || (r.window.broken && count_of(m.event, Field::batch) == 0)) begin_window(r, here, m.out);
    return;
  }
  if (from && is_of_another_process(r, here)) return;
  if (r.run.iteration && iteration > *r.run.iteration) r.training.stride = iteration - *r.run.iteration;
  r.run.iteration = iteration;
  if (iteration == 0 && m.event.has(Field::loss)) r.training.zero_trained = true;
  const double loss = m.event.number(Field::loss).value_or(std::nan(""));
  if (m.event.has(Field::loss) && !std::isfinite(loss)) r.run.loss_is_nan = true;
  all_.values.derive_batch_size(r, m.event);
  auto& point = m.out.points.emplace_back();
  point.run = r.run.ordinal;
  point.value.iteration = iteration;
  point.value.at = m.now;
  point.value.loss = loss;
  if (from && iteration > from->iteration) {
    if (tells_no_time_yet(m.event, *from, here)) {
      if (here.elapsed && here.epoch) r.window.last_state = here;
      r.window.bar_over = false;
      return;
    }
    close_window(r, m, here);
  }
  // Turned back without a word: another training writes here as well, or this one went on from elsewhere.
  // What comes next may belong to either.
  const bool turned_back = from && iteration < from->iteration;
  begin_window(r, here, m.out);
  if (turned_back) r.window.broken = true;
}

void track::Windows::begin_window(RunTrack& r, const Anchor& from, Records& out) {
  all_.tests.release(r, out);
  r.window.begin(from);
}

void track::Windows::close_window(RunTrack& r, const Moment& m, const Anchor& to) {
  Window& w = r.window;
  const Anchor from = *w.from;
  const Pace pace(m.event);
  if (holds_something_else(pace, from, to)) {
    ++m.out.rejected;
    return;
  }
  const std::int64_t n = to.iteration - from.iteration;
  Statement said = stated_window(m.event, pace, from, to);
  if (const auto rate = m.event.number(Field::samples_per_second); !said && rate && *rate > 0) {
    const std::string_view unit = m.event.text(Field::unit);
    const std::int64_t each = unit == "tok" ? r.known.tokens_per_iteration : all_.values.train_samples(r);
    said = statement(static_cast<double>(product(each, n)) / *rate, false);
    if (said && from.dated && to.dated && unit != "sample" && !keeps_step_time(r.run.train, n, said.took))
      said = {};
    if (said && (!from.at || !to.at)) note_derived(r.run, "seconds: samples / samples_per_second");
  }
  const bool by_stamps = from.dated && to.dated;
  if (said && by_stamps && !said.measured) {
    if (r.run.train.segments == 0) r.training.overstated = overstates(said.took, between(*from.at, *to.at));
    if (r.training.overstated) said = {};
  }
  if (said && !by_stamps && was_no_usual_step(r.run.train, n, m.event, said))
    return all_.tests.release(r, m.out);
  if (w.waited > Duration::zero()) w.tests = w.waited;
  Duration took{};
  const bool told = w.training_time(said, to, took);
  if (told && !said && ran_beside(r.run.train, n, w.tests, took)) took += w.tests;
  all_.tests.release(r, m.out);
  if (!told) return;
  if (w.tested && !said.measured) {
    if (r.training.has_untested_windows()) return;
  } else {
    ++r.training.untested;
  }
  const bool epochs = m.event.text(Field::unit) == "epoch";
  const bool at_once = !said && was_told_at_once(n, epochs, took);
  if (took <= Duration::zero() || at_once || leaps(r.run.train, n, took)) {
    ++m.out.rejected;
    return;
  }
  if (!said.measured && held_a_validation(r.run.train, w, n, took)) return;
  // A second one in a row shows that it is slow, or that lines come seldom.
  const bool pause = !said && !r.training.paused &&
                     (held_a_pause(r.run.train, n, took) || lacks_lines(r.run.train, n, took));
  r.training.paused = pause;
  if (pause) {
    ++m.out.rejected;
    return;
  }
  w.end_snapshot_by_progress(to, took);
  all_.runs.measure_beginning(r, from, n, took, m.out);
  Segment window{Phase::train, from.iteration, n, all_.values.train_samples(r), took, from.at};
  give_window(r, window, m.out);
}

void track::Windows::resume(const Moment& m) {
  RunTrack* const open = all_.runs.open();
  RunTrack& r = open ? *open : all_.runs.begin_or_go_on(m);
  r.resumed = true;
  if (const auto iteration = count_of(m.event, Field::iteration)) r.run.first_iteration = iteration;
  if (const auto file = m.event.text(Field::file); !file.empty()) take_setting(r, "resumed_from", file);
  all_.values.take(r, m.event);
}

}  // namespace etad
