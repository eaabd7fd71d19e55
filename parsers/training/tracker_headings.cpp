// Epochs that headings announce, and how long those took of which nothing else tells: from heading to heading.
#include <algorithm>
#include <string>
#include <utility>

#include "parsers/training/restarts.h"
#include "parsers/training/tracker_parts.h"

namespace etad {

using track::RunTrack;

namespace {

// How long the epoch announced last was trained, where a single line of each epoch tells of that: up to that line.
std::optional<Duration> trained_for(const RunTrack& r) {
  const auto& epochs = r.epochs;
  if (!epochs.began || !epochs.trained || epochs.trained_again || r.window.from) return {};
  return between(*epochs.began, *epochs.trained);
}

// Where the results come at once behind the heading, it is their title and was written at the epoch's end; or they are
// those of the first batch alone, and what follows is no test but the epoch.
bool is_title(Duration training, Duration whole) {
  constexpr double kAtOnce = 0.02;
  return to_seconds(training) < kAtOnce * to_seconds(whole);
}

// Steps or stated times, which are finer than headings, measure the run.
bool is_measured_otherwise(const RunTrack& r) {
  return r.training.by_lines || r.epochs.shortest;
}

}  // namespace

// "Epoch 1/1" behind "Epoch 1/1": a script that trains by one epoch at a time, to look at what it has come to.
bool track::Epochs::is_one_more(const Event& event) const {
  const RunTrack* const r = all_.runs.open();
  return r && r->epochs.alone > 0 && !r->epochs.open && count_of(event, Field::epoch) == 1 &&
         positive_of(event, Field::epochs) == 1;
}

void track::Epochs::one_more(const Moment& m) {
  RunTrack& r = *all_.runs.open();
  r.run.max_iterations.reset();
  const std::string number = std::to_string(r.epochs.alone + 1);
  give_to_run(m.with(m.event.with(Field::epoch, number).with(Field::epochs, number)));
}

// A heading that was written over what stood there, perhaps after lines that stand behind it (since = "later"): unless it
// is the next one's, it tells only how many epochs were over by then, where their steps are known.
bool track::Epochs::is_ahead(const Event& event) {
  RunTrack* const r = all_.runs.open();
  const auto number = count_of(event, Field::epoch);
  if (event.text(Field::since) != "later" || !r || !number || !r->epochs.announced) return false;
  if (*number == *r->epochs.announced + 1) return false;
  const auto epochs = positive_of(event, Field::epochs), all = r->run.max_iterations;
  if (!epochs || !all || *all % *epochs != 0 || r->training.by_lines) return true;
  const std::int64_t done = r->epochs.done_before(*number, *all / *epochs);
  if (r->run.iteration && done > *r->run.iteration) {
    r->run.iteration = done;
    r->dirty = true;
  }
  return true;
}

// Where no line tells how many steps an epoch has, its time and its samples a second do, of all of them. The line stands
// where the last one is done.
void track::Epochs::end_by_throughput(RunTrack& r, const Moment& m) {
  const auto took = positive_seconds(m.event.number(Field::seconds));
  if (!took || !m.event.has(Field::samples_per_second) || !m.event.time) return;
  const std::int64_t steps = r.epochs.steps.value_or(
      iterations_by_rate(m.event, Field::samples_per_second, *took, all_.values.train_samples(r), 0));
  if (steps <= r.epochs.line.batch.value_or(steps)) return;
  const std::string all = std::to_string(steps);
  Event last = m.event.without({Field::seconds, Field::samples_per_second, Field::loss});
  last.kind = EventKind::progress;
  for (const Field f : {Field::batch, Field::batches}) last.add(f, 1, all);
  all_.windows.progress(m.with(last));
}

namespace {

// As the bar says, or, with since = "heading", as a heading did whose epoch is not over.
std::optional<std::int64_t> epoch_of_state(const RunTrack& r, const Event& event) {
  if (event.text(Field::since) != "heading") return count_of(event, Field::epoch);
  const bool steps = !r.known.counts_epochs && r.known.dataset_size == 0;  // it may count samples
  return r.epochs.open && steps ? r.epochs.announced : std::nullopt;
}

}  // namespace

// A bar that is not full tells how far its epoch is, whose end may never come.
bool is_state_of_bar(const Event& event) {
  const auto batch = count_of(event, Field::batch), of = count_of(event, Field::iterations);
  const bool of_epoch = event.has(Field::epoch) || event.text(Field::since) == "heading";
  return of_epoch && !event.has(Field::seconds) && batch && of && *batch < *of;
}

bool counts_samples_of_epoch(const Event& event) {
  return event.text(Field::unit) == "sample" && event.has(Field::epoch) && event.has(Field::batch) &&
         !event.has(Field::iterations) && !event.has(Field::seconds);
}

std::int64_t done_by_state(const RunTrack& r, const Event& event) {
  const std::int64_t epoch = epoch_of_state(r, event).value_or(0);
  return clamped_sum(r.epochs.done_before(epoch, positive_of(event, Field::iterations).value_or(0)),
                     count_of(event, Field::batch).value_or(0));
}

namespace {

// What no line measures moves the run on and never back.
void come_to(RunTrack& r, std::int64_t done) {
  if (done <= r.run.iteration.value_or(0)) return;
  r.run.iteration = done;
  r.dirty = true;
}

}  // namespace

// Steps of an epoch whose end will tell how long all of them took (since = "amid").
void track::Epochs::see_amid(const Moment& m) {
  const auto epoch = count_of(m.event, Field::epoch), batch = count_of(m.event, Field::batch);
  if (!epoch || !batch) return;
  RunTrack& r = all_.runs.for_measurement(m);
  take_up(r, m, false);
  r.epochs.see(*epoch);
  r.epochs.line.epoch = epoch;
  r.epochs.line.batch = batch;
  if (!r.epochs.steps) return;  // so that epochs without steps may be what is counted
  const std::int64_t done = clamped_sum(r.epochs.done_before(*epoch, *r.epochs.steps), *batch);
  come_to(r, done);
  all_.runs.add_loss(r, done, m);
}

void track::Epochs::see_state(const Event& event) {
  RunTrack* const r = all_.runs.open();
  if (event.text(Field::phase) == name_of(Phase::test)) return;
  if (!r || !r->declared() || r->training.by_lines) return;
  const auto epoch = epoch_of_state(*r, event);
  if (!epoch) return;
  r->epochs.see(*epoch);
  const std::int64_t done = done_by_state(*r, event);
  come_to(*r, done);
}

// A line that counts the samples of an epoch, behind epochs that have been measured, tells how far it is as well.
void track::Epochs::see_samples(const Event& event) {
  RunTrack* const r = all_.runs.open();
  if (!r || !r->declared() || r->training.by_lines || !r->epochs.first_number) return;
  const std::int64_t each = all_.values.train_samples(*r), steps = steps_of(*r, event, nullptr);
  const auto shown = count_of(event, Field::batch), epoch = count_of(event, Field::epoch);
  if (each <= 0 || steps <= 0 || !shown || !epoch) return;
  const std::int64_t done = clamped_sum(r->epochs.done_before(*epoch, steps), std::min(*shown / each, steps));
  come_to(*r, done);
}

// So does a bar without a name, which is the training's where a heading has announced another epoch and the bars of all
// before it were as long.
void track::Epochs::see_part(const Event& event, std::int64_t of) {
  RunTrack* const r = all_.runs.open();
  if (event.text(Field::since) != "heading" || !r || !r->epochs.announced || !r->epochs.open) return;
  const PhaseSummary& seen = r->run.train;
  if (seen.segments == 0 || seen.iterations != product_or_zero(seen.segments, of)) return;
  const std::int64_t done = clamped_sum(r->epochs.done_before(*r->epochs.announced, of),
                                        count_of(event, Field::iterations).value_or(0));
  come_to(*r, done);
}

void track::Epochs::begin(RunTrack& r, const Moment& m, std::optional<std::int64_t> number) {
  const bool counted = m.event.text(Field::unit) == "epoch";
  const bool undated = counted && number && !m.now;
  if (counted && !undated) end_test(r, m.now, m.out);  // it is over by now
  // The line that dates this heading will end the epoch before, whose own beginning is kept until then.
  const bool ends_dated = undated && !r.epochs.undated && r.epochs.announced == *number - 1;
  if (number) {
    if (counted) measure_announced(r, m, *number);
    if (r.run.job == Job::test) r.run.job = Job::train;  // what came before was a test of its own
    r.epochs.announce(*number, positive_of(m.event, Field::epochs));
  }
  if (!ends_dated) r.epochs.began = m.now;
  r.epochs.undated = undated;
  r.training.epochs_of_block = 0;
  all_.tests.go_on_beside(r, m);
  if (!r.window.from && !undated) r.window.test_time = {};
}

void track::Epochs::end_test(RunTrack& r, std::optional<Instant> at, Records& out) {
  if (r.test && !r.test->beside) all_.tests.end(r, at, out);
}

// Headings without times count the epochs that are over; how long they took, the end may tell of all of them.
void track::Epochs::count_announced(RunTrack& r, const Event& event, std::int64_t number) {
  if (is_measured_otherwise(r) || r.run.train.segments > 0) return;
  r.epochs.see(number);
  r.run.iteration = r.epochs.done_before(number, 1);
  if (!r.run.first_iteration) r.run.first_iteration = r.run.iteration;
  r.training.stride = 1;
  plan_epochs(r, event, 1);
}

// Where nothing but headings tell of epochs (unit = "epoch"), each is over when the next one begins, and is what
// the run counts.
void track::Epochs::measure_announced(RunTrack& r, const Moment& m, std::int64_t number) {
  const auto& began = r.epochs.began;
  if (!m.now && !began) return count_announced(r, m.event, number);
  if (is_measured_otherwise(r) || r.epochs.announced != number - 1) return;
  const auto epochs = positive_of(m.event, Field::epochs);
  const bool names_last = r.epochs.first_number == 0 && epochs == number;  // "Epoch 0/24" to "Epoch 24/24"
  if (epochs && began) r.run.max_iterations = *epochs + (names_last ? 1 : 0);
  if (!epochs) plan_epochs(r, m.event, 1);
  if (!m.now || !began) return;
  const Duration whole = between(*began, *m.now);
  const auto training = trained_for(r);
  const bool titled = training && is_title(*training, whole);
  const bool tested = training && !titled && r.window.test_time > Duration::zero();
  const Duration spent = tested ? *training : titled ? whole : whole - r.window.test_time;
  if (r.epochs.end_announced()) give_announced(r, number - 1, *began, spent, m.out);
}

// A heading that bears no time is dated by the first line behind it that does, such as a date on a line of its own.
void track::Epochs::date_heading(RunTrack& r, Instant at, Records& out) {
  if (!std::exchange(r.epochs.undated, false)) return;
  end_test(r, at, out);
  const auto before = std::exchange(r.epochs.began, at);  // that of the epoch before
  if (before && !is_measured_otherwise(r))
    give_announced(r, *r.epochs.announced - 1, *before, between(*before, at) - r.window.test_time, out);
  if (!r.window.from) r.window.test_time = {};
}

void track::Epochs::give_announced(RunTrack& r, std::int64_t number, Instant began, Duration spent,
                                   Records& out) {
  const auto took = positive_seconds(to_seconds(spent));
  if (!took) return;
  count_epochs(r);
  const std::int64_t before = r.epochs.done_before(number, 1);
  if (!r.run.first_iteration) r.run.first_iteration = before;
  r.run.iteration = before + 1;
  if (r.run.iteration > r.run.max_iterations) r.run.max_iterations.reset();  // another plan than the one told
  all_.runs.add_segment(r, {Phase::train, before, 1, all_.values.train_samples(r), *took, began}, out);
}

// The last one announced, behind which nothing comes: over where its training is known to be.
void track::Epochs::end_last(RunTrack& r, Records& out) {
  all_.windows.end_doubt(r, out);
  if (is_measured_otherwise(r) || r.run.train.segments == 0 || !r.epochs.open) return;
  auto training = trained_for(r);
  if (!training) return;
  const Duration usual = r.run.train.duration / r.run.train.segments;
  if (is_title(*training, usual)) {
    *training += r.window.test_time;
    if (is_title(*training, usual)) return;
  }
  if (r.epochs.end_announced()) give_announced(r, *r.epochs.announced, *r.epochs.began, *training, out);
}

namespace {

bool shows_steps(const RunTrack& r) {
  return r.run.train.segments > 0 || (r.run.iteration && !r.known.counts_epochs);
}

}  // namespace

// An epoch of unknown length: it is one of those that a training counts itself, unless steps come.
void track::Epochs::hold_alone(RunTrack& r, const Moment& m, Duration took) {
  const auto number = count_of(m.event, Field::epoch);
  const bool trains = phase_of(m.event, r.run.job) == Phase::train && m.event.has(Field::seconds);
  if (!trains || !number || shows_steps(r)) return;
  auto& alone = r.training.alone;
  if (!alone || *number <= alone->last) alone = EpochsAlone{*number, *number, 0, {}};
  alone->last = *number;
  alone->of = positive_of(m.event, Field::epochs).value_or(alone->of);
  alone->tell({Phase::train, *number, 1, 0, took, {}});
}

// How many steps epochs have may be told behind the first one, whose time is held until then.
void track::Epochs::take_steps(const Moment& m) {
  RunTrack* const r = all_.runs.open();
  if (!r || !r->training.alone || !r->epochs.steps || shows_steps(*r)) return;
  const auto alone = std::exchange(r->training.alone, {});
  const std::int64_t steps = *r->epochs.steps;
  plan_epochs(*r, m.event, steps);
  for (Segment epoch : alone->told) {
    epoch.first_iteration = r->epochs.done_before(epoch.first_iteration, steps);
    epoch.iterations = product_or_zero(epoch.iterations, steps);
    epoch.samples_per_iteration = all_.values.train_samples(*r);
    if (epoch.iterations == 0) return;
    r->run.iteration = epoch.first_iteration + epoch.iterations;
    r->epochs.measured(alone->last, epoch.duration, m.event.time);
    all_.runs.add_segment(*r, epoch, m.out);
  }
}

void track::Epochs::give_alone(RunTrack& r, Records& out) {
  const auto alone = std::exchange(r.training.alone, {});
  if (!alone || !is_training_alone(*alone) || shows_steps(r)) return;
  count_epochs(r);
  r.epochs.see(alone->first, alone->of > 0);
  r.run.first_iteration = r.epochs.done_before(alone->first, 1);
  r.run.iteration = r.epochs.done_before(alone->last, 1) + 1;
  if (alone->of > 0)
    r.run.max_iterations = std::max(alone->of, *r.run.iteration);  // and not what is told since
  for (Segment epoch : alone->told) {
    epoch.first_iteration = r.epochs.done_before(epoch.first_iteration, 1);
    epoch.samples_per_iteration = all_.values.train_samples(r);
    all_.runs.add_segment(r, epoch, out);
  }
}

}  // namespace etad
