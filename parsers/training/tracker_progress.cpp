// Lines of progress: where they say that a run stands.
//
// Much in a log shows such a line: the training, its tests, the bars of epochs around those of their steps, several
// processes that say the same, another training behind the first one. Here is decided whose it is and which iteration
// it shows; what lies between two of them is a window's (tracker_windows.cpp).
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "parsers/training/bar_states.h"
#include "parsers/training/restarts.h"
#include "parsers/training/tracker_parts.h"

namespace etad {

using track::Anchor;
using track::BarWithoutTests;
using track::begins_anew_otherwise;
using track::begins_behind_alone;
using track::begins_behind_data;
using track::counts_again_behind_end;
using track::falls_back;
using track::goes_on_elsewhere_behind_end;
using track::is_planned_for_each;
using track::RunTrack;
using track::Window;

namespace {

using namespace std::chrono_literals;

// A run that is known by its summary alone, whose steps were worked out from a rate, learns its plan from a bar that is
// full about there.
bool completes_summary(RunTrack& r, std::int64_t iteration) {
  if (!r.run.iteration || std::abs(iteration - *r.run.iteration) > iteration / 100) return false;
  r.run.iteration = r.run.max_iterations = iteration;
  r.dirty = true;
  return true;
}

// A bar that is full behind the summary, of which no state told of the last steps: they were done in the time that both
// say.
void complete_by_bar(RunTrack& r, double elapsed) {
  const auto& whole = r.training.summed_up;
  constexpr double kNearly = 0.01, kRounding = 2;
  if (!whole || std::abs(elapsed - whole->seconds) > kNearly * whole->seconds + kRounding) return;
  if (r.run.iteration >= r.run.max_iterations) return;
  r.run.iteration = r.run.max_iterations;
  r.dirty = true;
}

// A bar behind a run's end that is full when it is first seen measures nothing, and behind a summary one may be an
// evaluation's or a prediction's. Whether it was a training's, a loss or another summary tells; and where the loss comes
// late, amid an evaluation, the bar that is the training's is the longest of those not full.
bool is_unclear_bar(RunTrack& r, std::int64_t iteration, std::int64_t of, bool timed) {
  track::Training& training = r.training;
  const bool others = training.open_bar && of != training.open_bar;
  const bool behind_summary = timed && training.summed_up && (!training.trained_behind || others);
  if (iteration != of && !behind_summary) return false;
  training.full_bar = std::max(of, training.full_bar.value_or(0));
  if (iteration != of) training.open_bar = std::max(of, training.open_bar.value_or(0));
  if (iteration == training.open_bar) training.open_bar.reset();
  return true;
}

// A bar behind a summary that is as long as the run's own. Another process draws its last states; in its first half it
// is another training's.
bool is_bar_of_another_process(RunTrack& r, std::int64_t iteration, std::int64_t of) {
  if (!r.training.summed_up || of != r.run.max_iterations) return false;
  r.training.begun_again = r.training.begun_again || 2 * iteration < of;
  return !r.training.begun_again;
}

// One that is as long again and has begun anew, whose steps are no faster, trains: an evaluation of the same samples would
// hardly take as long.
bool trains_again(const RunTrack& r, std::int64_t iteration, std::int64_t of, double elapsed) {
  constexpr double kAsSlow = 0.75;
  const PhaseSummary& before = r.run.train;
  if (!r.training.begun_again || of != r.run.max_iterations || before.iterations == 0) return false;
  return elapsed * static_cast<double>(before.iterations) >=
         kAsSlow * to_seconds(before.duration) * static_cast<double>(iteration);
}

// An epoch's bar that stands where the run came to: it is drawn again as it is closed, be it full or not. What stood behind
// its last state may have hidden that one.
bool is_last_batch_again(const RunTrack& r, const Event& event) {
  const track::EpochCount::Line& last = r.epochs.line;
  const auto batch = count_of(event, Field::batch), epoch = count_of(event, Field::epoch);
  if (!batch || !epoch || !last.batch || last.epoch != epoch) return false;
  return *batch >= *last.batch && *batch - *last.batch <= std::max<std::int64_t>(r.training.stride, 1);
}

}  // namespace

// Right behind a run's end some trainers show its last iteration once more: that is no new run.
bool track::Windows::is_said_again(const Moment& m) {
  RunTrack* const over = all_.runs.ended();
  if (!over) return false;
  RunTrack& r = *over;
  if (is_last_batch_again(r, m.event)) return true;
  const auto iteration = count_of(m.event, Field::iteration);
  const auto of = positive_of(m.event, Field::max_iter);
  const auto elapsed = m.event.number(Field::elapsed);
  const bool full = iteration && iteration == of;
  // A complete bar is drawn by each process, and again when it is closed.
  if (full && (iteration == r.run.max_iterations || completes_summary(r, *iteration))) {
    if (elapsed && iteration == r.run.max_iterations) complete_by_bar(r, *elapsed);
    return true;
  }
  if (iteration && of && elapsed && is_bar_of_another_process(r, *iteration, *of)) return true;
  // What was drawn amid the run beside its own bar, an evaluation's, is drawn once more at the end.
  if (of && of == r.training.other_bar) return true;
  // Nor is a bar of a few seconds a training, such as those of the files that are saved.
  constexpr double kFewSeconds = 10;
  if (of && !full && elapsed && *elapsed < kFewSeconds) return true;
  if (iteration > 0 && of && elapsed && trains_again(r, *iteration, *of, *elapsed)) return false;
  if (iteration && of && is_unclear_bar(r, *iteration, *of, elapsed.has_value())) return true;
  if (!iteration || !r.window.from) return iteration == 0 && track::has_just_failed(r, m.now);
  const std::int64_t shown = r.window.from->iteration;
  const bool late = m.now && r.run.ended_at && *m.now > *r.run.ended_at + 10s;
  if (late || *iteration < shown || *iteration > r.run.max_iterations.value_or(shown)) return false;
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
// epochs of another plan whose numbers begin again, unless such a count stood amid the run's own before, and steps of
// which the line itself says that they are a training's: fewer ones, or those of one that was gone on with, whose time
// begins anew.
bool begins_another(const RunTrack& r, const Event& event) {
  const auto iteration = count_of(event, Field::iteration), of = positive_of(event, Field::max_iter);
  if (event.text(Field::unit) == "epoch")
    return r.progressed() && of != r.run.max_iterations && of != r.training.other_bar &&
           iteration < r.run.iteration;
  if (event.text(Field::job) == name_of(Job::train)) {
    const auto elapsed = event.number(Field::elapsed);
    const bool timed_anew = elapsed && r.window.from && elapsed < r.window.from->elapsed;
    return r.progressed() && of != r.run.max_iterations && (iteration < r.run.iteration || timed_anew);
  }
  const bool timed = event.time && event.has(Field::seconds) && !event.has(Field::elapsed);
  return timed && plan_done(r) && event.text(Field::since) != "epoch" &&
         (iteration < r.run.iteration || of != r.run.max_iterations);
}

// Where epochs state their times, a line without one that names an earlier one speaks of what was best, or loaded.
bool looks_back(const RunTrack& r, const Event& event) {
  if (event.text(Field::unit) != "epoch" || !r.epochs.shortest) return false;
  const auto iteration = count_of(event, Field::iteration);
  return iteration && iteration < r.run.iteration;
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

// A test's lines may count its own steps, out of another total than the training's, or fewer than it has shown.
bool counts_a_tests_steps(const RunTrack& r, const Event& event) {
  const auto of = positive_of(event, Field::max_iter);
  if (r.test && r.progressed() && of && of != r.run.max_iterations && !event.has(Field::elapsed)) return true;
  if (event.text(Field::key) != "validation" || event.has(Field::position)) return false;
  const auto shown = r.epochs.last_batch ? r.epochs.last_batch : r.run.iteration;
  return shown && count_of(event, Field::iteration) < shown;
}

// A bar of epochs around the bars of their steps.
bool counts_epochs(const RunTrack& r, const Event& event) {
  if (event.text(Field::unit) == "epoch" && r.epochs.shortest && r.epochs.steps > 1 && !r.known.counts_epochs)
    return true;  // whose steps are what the run counts
  const auto of = positive_of(event, Field::batches);
  return of && of == positive_of(event, Field::epochs) && r.epochs.steps && r.epochs.steps != of;
}

// A bar counted the only epoch known before the first heading told of how many there are: `all` are planned now.
bool counts_an_epoch_so_far(const RunTrack& r, std::int64_t of, std::int64_t all) {
  if (!r.epochs.announced_of) return false;
  const std::int64_t counted = product_or_zero(*r.epochs.announced_of, of);
  return counted > 0 && all >= counted &&
         (r.run.max_iterations == counted || r.run.max_iterations == r.epochs.done_in_epochs_over + of);
}

// From the beginning again, in a log without start lines. Where there are some (W&B has one for all that a notebook
// trains), by less than half of the steps, of which the line itself says that they are a training's.
bool counts_again(const RunTrack& r, const Event& event, std::int64_t iteration) {
  if (!r.window.from || iteration >= r.window.from->iteration) return false;
  const bool trains = event.text(Field::job) == name_of(Job::train);
  return !r.headed || (trains && iteration < r.window.from->iteration / 2);
}

// W&B writes what was logged last behind the program's end, and it is no run of its own.
bool is_last_of_run_over(const RunTrack& over, const Event& event) {
  const auto iteration = count_of(event, Field::iteration);
  if (!iteration || !event.has(Field::series) || !over.run.iteration) return false;
  const std::int64_t further = *iteration - *over.run.iteration;
  return further >= 0 && further <= std::max<std::int64_t>(over.training.stride, 1);
}

// From the beginning again, by the time that the line counts, though the window has not come to its end: its beginning may
// be the run's, where lines state whole seconds.
bool counts_again_within_window(const RunTrack& r, const Event& event, std::int64_t iteration) {
  const auto& last = r.training.last_elapsed;
  if (r.headed || !r.window.from || !last || iteration >= r.run.iteration.value_or(0)) return false;
  const auto elapsed = event.number(Field::elapsed);
  return elapsed && *elapsed < *last / 2;
}

// A line that says itself that it trains, behind those of a job that tested.
bool trains_behind_job(const RunTrack* r, const Event& event) {
  return r && r->job_known && r->run.job == Job::test && r->progressed() &&
         event.text(Field::job) == name_of(Job::train);
}

// A line that counts again without any time, amid others that count it, or one line back, is another writer's word for
// the same: a line's beside a bar's, a text's amid lines that are stamped.
bool is_another_writers(const RunTrack& r, const track::Moment& m, std::int64_t iteration) {
  const Anchor& from = *r.window.from;
  const bool timed = m.now || m.event.has(Field::elapsed) || m.event.has(Field::seconds);
  if ((from.elapsed && !timed) || (from.dated && !m.event.time)) return true;
  return iteration > 1 && iteration + r.training.stride >= from.iteration;
}

// Another process of the same run is behind with what it says: fewer steps, but no new beginning of the time.
bool says_it_late(const std::optional<Anchor>& from, const Event& event, std::int64_t iteration) {
  if (!from || !from->elapsed || iteration >= from->iteration) return false;
  const auto elapsed = event.number(Field::elapsed);
  return elapsed && *elapsed > 0.5 * *from->elapsed;
}

// A bar that is drawn anew for each epoch, of so many, which no heading numbers.
std::optional<std::int64_t> length_of_epochs_bar(const RunTrack& r, const Event& event) {
  if (event.text(Field::since) != "epoch" || r.epochs.announced_of) return {};
  return positive_of(event, event.has(Field::batch) ? Field::batches : Field::max_iter);
}

// Behind the bars of all epochs that the log has told of, one that begins: another training's.
bool begins_behind_last_epoch(const RunTrack& r, const Event& event) {
  const auto of = length_of_epochs_bar(r, event);
  if (!of || r.epochs.last_batch != of || !(count_of(event, Field::iteration) < of)) return false;
  const std::int64_t all =
      product_or_zero(r.epochs.around.value_or(number_set(r.run, name_of(Field::epochs))), *of);
  return all > 0 && r.epochs.done_in_epochs_over + *of == all;
}

bool is_of_planned_epoch(const RunTrack& r, const Event& event) {
  const auto of = length_of_epochs_bar(r, event);
  return of && *of == told_steps_of_epoch(r);
}

// Beside lines that count the steps of an epoch, one of those of all epochs together: "Epoch 3 | step 700/200000".
bool counts_those_of_all(const RunTrack& r, const Event& event) {
  const auto of = positive_of(event, Field::batches);
  const std::int64_t steps = r.epochs.steps.value_or(0), plan = r.run.max_iterations.value_or(0);
  return of && r.run.train.segments > 0 && 0 < steps && steps < *of && plan - steps <= *of &&
         *of <= plan + steps && *of != plan;
}

// It counts the steps of all epochs out of a total that is another one's than the run's.
bool plans_otherwise(const RunTrack& r, const Event& event) {
  const auto of = positive_of(event, Field::batches);
  return r.epochs.line.through.value_or(false) && of && of != r.run.max_iterations;
}

}  // namespace

// What a line counts, where that is no steps: so many of it make one. Such are samples, and batches of a bar that are
// gathered for a step, as the plan shows.
std::optional<track::OfStep> track::Windows::counted_otherwise(RunTrack& r, const Event& event) const {
  if (event.has(Field::batch) && event.has(Field::unit)) {
    const auto samples = counted_in_samples(r, event);
    if (samples || event.text(Field::unit) == "sample") return samples;
  }
  const auto of = length_of_epochs_bar(r, event);  // few lines have one, and settings are dear to look up
  if (!of) return {};
  const std::int64_t each = number_set(r.run, kGathered), steps = told_steps_of_epoch(r);
  const bool is_such = each > 1 && steps > 0 && (*of / each == steps || (*of - 1) / each + 1 == steps);
  return is_such ? std::optional(OfStep{each, steps}) : std::nullopt;
}

// What a line counts is taken in steps, where one is complete.
void track::Windows::progress_in_steps(const Moment& m, const OfStep& counted) {
  const bool by_batches = m.event.has(Field::batch);
  const Field done = by_batches ? Field::batch : Field::iteration;
  const Field of = by_batches ? Field::batches : Field::max_iter;
  const FieldValue* const shown = m.event.find(done);
  if (!shown || counted.steps <= 0) return;
  const std::string all = std::to_string(counted.steps);
  const Event in_steps = m.event.without({Field::unit})
                             .with(done, shown->text, shown->scale / static_cast<double>(counted.each))
                             .with(of, all);
  if (count_of(in_steps, done)) progress_of(m.with(in_steps), true);
}

void track::Windows::tell(PendingValue value) {
  std::erase_if(state_.pending, [&value](const PendingValue& other) { return other.field == value.field; });
  state_.pending.push_back(std::move(value));
}

std::optional<track::PendingValue> track::Windows::pending(Field f) const {
  for (const PendingValue& value : state_.pending)
    if (value.field == f) return value;
  return {};
}

// With since = "heading" batches count only where a heading has announced their epoch: a prediction, before the first
// one or behind the end, tells of its own in the same words.
void track::Windows::progress(const Moment& m) {
  RunTrack* const of_tests = m.event.text(Field::key) == "tests" ? all_.runs.open() : nullptr;
  if (of_tests && of_tests->training.tests_of_bar) {
    const BarWithoutTests own(*of_tests, m.event);
    if (const Event* const told = own.told()) join_pending(m.with(*told));
    return;
  }
  if (m.event.text(Field::since) != "heading") return join_pending(m);
  const RunTrack* const open = all_.runs.open();
  if (open && open->epochs.announced) join_pending(m.with(m.event.with(Field::since, "epoch")));
}

// What lines before it have told of this one joins it.
void track::Windows::join_pending(const Moment& m) {
  if (state_.pending.empty()) return progress_of(m);
  const auto pending = std::exchange(state_.pending, {});
  Event whole = m.event;
  for (const PendingValue& value : pending)
    if (!whole.has(value.field)) whole.add(value.field, value.scale, value.text);
  progress_of(m.with(whole));
}

// Where a line says the run stands.
std::optional<std::int64_t> track::Windows::iteration_of(RunTrack& r, const Event& event) {
  std::int64_t steps_per_epoch = 0;
  if (event.has(Field::batch)) {  // a step alone needs none
    steps_per_epoch =
        r.epochs.steps.value_or(all_.labels.steps_per_epoch.value_or(planned_steps_of_epoch(r)));
    if (steps_per_epoch == 0) steps_per_epoch = all_.epochs.steps_of(r, event, nullptr);
  }
  const auto place = r.epochs.place_of(event, steps_per_epoch, r.run.iteration.value_or(0));
  if (!place) return {};
  const bool anew = place->iteration < r.run.iteration.value_or(0);  // what it plans is another run's
  if (place->planned && !anew && !is_of_planned_epoch(r, event)) {
    r.run.max_iterations = place->planned;
    r.training.endless = !event.has(Field::batch) && number_set(r.run, name_of(Field::epochs)) <= 0;
  }
  if (place->gap) r.window.holds_unknown_gap = true;
  if (place->next_epoch) r.window.over_border = true;
  if (event.text(Field::unit) != "epoch") {
    const bool from_zero = event.text(Field::since) == "zero";
    // Such a plan may be the last one's number.
    if (from_zero && r.run.max_iterations == place->iteration) ++*r.run.max_iterations;
    return place->iteration + (from_zero ? 1 : 0);
  }
  // Epochs that lines tell of when they are over: behind number 0 one is done, and the number told as their last may
  // be one less than there are.
  count_epochs(r);
  r.training.from_zero = r.training.from_zero || place->iteration == 0;
  const std::int64_t done = place->iteration + (r.training.from_zero ? 1 : 0);
  if (r.run.max_iterations && done == *r.run.max_iterations + 1) r.run.max_iterations = done;
  return done;
}

// The run whose plan a line shows, told that plan; nullptr: it is the plan of something else.
RunTrack* track::Windows::take_plan(RunTrack& going_on, const Moment& m) {
  const auto of = positive_of(m.event, Field::max_iter);
  if (!of) return &going_on;
  RunTrack& r = begins_another(going_on, m.event) ? all_.runs.begin_again(m) : going_on;
  const bool told = r.run.settings.count("max_iter") > 0;  // in words, and not by a bar
  if (told && r.run.max_iterations == *of) r.epochs.line.through = true;
  const bool of_epoch = told && r.run.max_iterations && is_of_planned_epoch(r, m.event);
  if (told && !of_epoch && is_planned_for_each(r, m.event)) r.epochs.around = *r.run.max_iterations / *of;
  const std::int64_t all = of_epoch ? *r.run.max_iterations : r.epochs.plan_of(m.event, *of);
  if (!told && counts_an_epoch_so_far(r, *of, all)) r.run.max_iterations = all;
  const bool planned = r.run.max_iterations && (r.progressed() || told);
  const bool other = planned && *r.run.max_iterations != all;
  if (other && !was_no_training(r, all) && !plans_more(r, m.event, all)) {
    r.training.other_bar = *of;
    r.window.other_bar = true;
    if (const auto elapsed = m.event.number(Field::elapsed)) r.window.others.see(*of, *elapsed);
    return nullptr;
  }
  r.run.max_iterations = all;
  return &r;
}

// Where a line shows that its run stands; nullopt: nowhere, or it comes too late to tell.
std::optional<std::int64_t> track::Windows::place(RunTrack& r, const Moment& m) {
  const bool behind = r.window.begins_behind(m.event.time, r.run.started_at) &&
                      r.last_words.message.empty() && !plans_otherwise(r, m.event);
  const auto counted = behind ? std::optional(r.epochs) : std::nullopt;
  const auto iteration = iteration_of(r, m.event);
  if (!iteration) return {};
  if (counted && *iteration < r.window.from->iteration) {  // what another process had in its buffer
    r.epochs = *counted;
    return {};
  }
  plan_epochs(r, m.event, r.epochs.steps.value_or(positive_of(m.event, Field::batches).value_or(0)));
  if (says_it_late(r.window.from, m.event, *iteration)) return {};
  return iteration;
}

// A line that tells of no step of the run going on: of a test's, of the run that is over, of a bar beside it; or of an
// epoch that it numbers among all. Asked in this order: each takes what those behind it would take for something else.
inline bool track::Windows::is_beside_runs(const Moment& m) {
  const Event& event = m.event;
  if (event.text(Field::phase) == name_of(Phase::test) || track::is_of_testing_job(event)) {
    all_.tests.progress(m);
    return true;
  }
  if (stands_by_bar(event) || is_said_again(m)) return true;
  if (trains_behind_job(all_.runs.open(), event)) all_.runs.begin(m);
  RunTrack* const known = all_.runs.open();
  return known &&
         (counts_a_tests_steps(*known, event) || counts_epochs(*known, event) || epoch_of_all(*known, m));
}

// The run that a step is of: the one going on, or one that the line begins.
inline RunTrack& track::Windows::run_of_step(const Moment& m, double waited) {
  const Event& event = m.event;
  RunTrack& open = all_.runs.for_measurement(m);
  if (waited > 0) open.training.bar_stood = from_seconds(waited);
  open.training.tests_before = std::max(open.training.tests_before, open.training.bar_stood);
  const bool anew = begins_anew_otherwise(open, event) || begins_behind_last_epoch(open, event) ||
                    counts_again_behind_end(open, event) || begins_behind_data(open, event) ||
                    falls_back(open, event) || begins_behind_alone(open, event);
  return anew ? all_.runs.begin_again(m) : open;
}

// The run stands there, or has begun again without a word.
inline void track::Windows::take_step(RunTrack& r, const Moment& m, std::int64_t iteration) {
  const bool within = counts_again_within_window(r, m.event, iteration);
  const bool elsewhere = goes_on_elsewhere_behind_end(r, m.event, iteration);
  if (!within && !elsewhere && !counts_again(r, m.event, iteration)) return train_progress(r, m, iteration);
  if (!within && !elsewhere && is_another_writers(r, m, iteration)) return;
  const bool amid = elsewhere || is_amid(r, iteration);
  RunTrack& anew = all_.runs.begin_again(m);
  anew.resumed = amid;
  if (const auto first = iteration_of(anew, m.event)) train_progress(anew, m, *first);
}

// What a line of progress is about: something beside the run's steps, or where the run stands. `in_steps`: what it counted
// was made steps, which may look like what is counted otherwise.
void track::Windows::progress_of(const Moment& m, bool in_steps) {
  const Event& event = m.event;
  const double waited = state_.standing ? state_.standing->waited : 0;
  if (is_beside_runs(m)) return;
  if (const RunTrack* const known = all_.runs.open(); known && counts_those_of_all(*known, event)) {
    Event of_all = event.without({Field::batches});
    of_all.rename(Field::batch, Field::iteration);
    return progress_of(m.with(of_all), in_steps);
  }
  if (event.has(Field::position)) return position_of_known(m);
  if (RunTrack* const over = all_.runs.ended(); over && is_last_of_run_over(*over, event)) {
    over->run.iteration = count_of(event, Field::iteration);
    over->dirty = true;
    return;
  }

  RunTrack& going_on = run_of_step(m, waited);
  if (looks_back(going_on, event)) return;
  if (!in_steps)
    if (const auto counted = counted_otherwise(going_on, event)) return progress_in_steps(m, *counted);
  track::take_back_total(going_on, event);
  RunTrack* const planned = take_plan(going_on, m);
  if (!planned) return;
  if (const auto iteration = place(*planned, m)) take_step(*planned, m, *iteration);
}

}  // namespace etad
