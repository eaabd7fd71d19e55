// Epochs: where they begin and end, how many steps they have, and how long all of them took together.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "parsers/base/text.h"
#include "parsers/training/bar_states.h"
#include "parsers/training/tracker_parts.h"

namespace etad {

using track::RunTrack;
using track::Stage;

// So many epochs of so many steps each are what is planned. Where epochs are counted from 0 and the number told
// is the last one's ("Epoch 0/24" to "Epoch 24/24"), the last one shows that there is one more.
void plan_epochs(RunTrack& r, const Event& event, std::int64_t steps) {
  if (steps <= 0) return track::plan_bars(r, event);
  auto epochs = positive_of(event, Field::epochs);
  if (!epochs) epochs = whole_number(setting_of(r.run, "epochs"));
  auto number = count_of(event, Field::epoch);
  if (!number && r.epochs.open) number = r.epochs.announced;
  const bool names_last = epochs && r.epochs.first_number == 0 && epochs == number;
  // An epoch with its time beyond all that was planned: it has been planned anew ("Epoch 200/200", "Epoch 201/250").
  const std::int64_t planned = r.run.max_iterations.value_or(0);
  const bool outgrown = r.epochs.shortest && event.has(Field::seconds) && epochs && number &&
                        r.epochs.done_before(*number, steps) >= planned;
  // What the training before was to do that this one goes on with is no plan of it.
  const bool begins = r.resumed && !r.progressed() && event.has(Field::epochs);
  if (planned > 0 && !outgrown && !begins && !(names_last && planned == product_or_zero(*epochs, steps)))
    return;
  if (!epochs) return;
  if (names_last) ++*epochs;
  if (const std::int64_t all = product_or_zero(*epochs, steps)) r.run.max_iterations = all;
}

// How many steps an epoch has: as the line says, as others said, or, where the log says that an epoch goes
// once over the data set (epoch_covers = dataset), from the sizes of data set and batch, where the former
// counts batches (epoch_covers = batches), from it alone. Where an epoch is what is counted (epoch_covers = epoch),
// it is one.
std::int64_t track::Epochs::steps_of(const RunTrack& r, const Event& event, bool* derived) const {
  if (const std::int64_t told = track::steps_told_of_one(r, event)) return told;
  for (const Field f : {Field::iterations, Field::batches})
    if (const auto n = positive_of(event, f)) return steps_of_batches(r, event, *n);
  if (const auto& steps = r.epochs.steps) return *steps;
  if (all_.labels.steps_per_epoch) return *all_.labels.steps_per_epoch;
  const std::string_view covers = setting_of(r.run, "epoch_covers"), size = setting_of(r.run, "dataset_size");
  const std::int64_t samples = all_.values.train_samples(r), all = whole_number(size).value_or(0);
  if (covers == "batches") return all;
  if (covers == "epoch") return 1;
  const bool full_batches = covers == "full batches";  // what is left of the data is left out
  if ((covers != "dataset" && !full_batches) || size.empty() || samples <= 0) return 0;
  if (derived) *derived = true;
  return (full_batches ? all : all + samples / 2) / samples;
}

namespace {

// Nothing came for long before a stamped line: for half an hour, or, in the epoch that the run began with, for a minute
// and much longer than from one line of its steps to the next.
bool was_silent_before(const RunTrack& r, const Event& event) {
  constexpr auto kLong = std::chrono::minutes(30), kShort = std::chrono::minutes(1);
  constexpr std::int64_t kMuchLonger = 3;
  const auto& from = r.window.from;
  const auto last = from && from->dated ? from->at : r.epochs.began;
  if (!last || !event.time) return false;
  const auto gap = *event.time - *last;  // eight thousand years are more than a Duration holds
  if (gap > kLong) return true;
  if (!from || !from->dated) return false;
  const PhaseSummary& seen = r.run.train;
  const bool amid_first =
      r.epochs.announced == r.epochs.first_number && r.epochs.line.epoch == r.epochs.first_number;
  if (!amid_first || gap < kShort || seen.iterations == 0) return false;
  const double from_line_to_line = to_seconds(seen.duration) / static_cast<double>(seen.iterations) *
                                   static_cast<double>(r.training.stride);
  return to_seconds(gap) > kMuchLonger * from_line_to_line;
}

}  // namespace

// "Epoch 1/15" again: another training. Where no total stands beside it, the first one's number alone says so. Several
// processes say the same epoch at about the same time; when nothing came for long before, or an error did, the first one
// broke off.
bool track::Epochs::counts_again(const Moment& m, std::int64_t epoch) {
  const Event& event = m.event;
  const RunTrack* const r = all_.runs.open();
  const bool same = r && event.has(Field::epochs) && r->epochs.announced == epoch;
  const bool back = r && r->epochs.announced && epoch < *r->epochs.announced;
  if ((same || back) && (!r->last_words.message.empty() || was_silent_before(*r, event))) return true;
  // Behind steps that stand under no heading, where the log has told of what the next run is.
  if (r && !r->epochs.announced && r->epochs.last_batch && all_.runs.next_is_described()) return true;
  const bool counts = event.text(Field::unit) == "epoch" || (r && r->run.train.segments > 0);
  const bool first = r && counts && r->epochs.first_number == epoch;
  return r && (event.has(Field::epochs) || first) && r->epochs.announces_again(epoch, event);
}

// Whether another training begins in a log that only shows its epochs' ends.
bool track::Epochs::measures_again(const Event& event, std::int64_t epoch) {
  const RunTrack* const r = all_.runs.open();
  const bool tests = event.text(Field::phase) == name_of(Phase::test);
  if (!r || r->headed || tests || !event.has(Field::seconds)) return false;
  const std::int64_t many = r->run.train.segments;
  return r->epochs.has_measured_after(epoch) || (many == 1 && r->epochs.is_done_again(epoch, event)) ||
         r->epochs.is_gone_on_elsewhere(epoch, event, many);
}

namespace {

// A bar that says 100 % a step before its end (347/348): another state of it will follow.
bool is_before_end(const Event& event) {
  const auto batch = count_of(event, Field::batch), of = count_of(event, Field::iterations);
  return batch && of && !event.has(Field::epoch) && *batch < *of;
}

// A bar of as many steps as there are epochs counts epochs.
bool steps_are_epochs(const Event& event) {
  const auto epochs = positive_of(event, Field::epochs);
  return event.has(Field::seconds) && epochs && epochs == positive_of(event, Field::iterations);
}

// How long all of an epoch took. A bar at its end shows whole seconds that have gone by, and its rate more finely; but
// where that leaves fewer, it is one of the last steps.
std::optional<Duration> time_of_epoch(track::EpochCount& epochs, const Event& event) {
  auto shown = event.number(Field::seconds);
  const auto number = count_of(event, Field::epoch);
  const bool bar = event.has(Field::rate) && event.text(Field::phase) != name_of(Phase::test);
  const auto n = positive_of(event, Field::iterations);
  if (shown && *shown > 0 && n && number && bar) shown = epochs.own_seconds(*number, *n, *shown);
  const auto rate = rounded(event, Field::rate);
  if (!shown || !n || !rate || rate->first <= 0 || !is_fine(*rate)) return positive_seconds(shown);
  const double by_rate = static_cast<double>(*n) / rate->first;
  constexpr double kFurther = 1, kRounding = 0.5;
  const bool agrees = by_rate - *shown <= kFurther && *shown - by_rate <= kRounding;
  return positive_seconds(agrees ? by_rate : *shown);
}

// The last epoch of those that an end told of, which may be shown below that end: Lightning draws its bar once more there,
// or, where it is Rich's, for the first time.
bool is_last_told(const RunTrack& r, std::optional<std::int64_t> number) {
  return number && r.training.told_by_end == *number + 1;
}

}  // namespace

// The end of a bar whose states have been measured: its last state. One that does not say which epoch it is of has
// been counted around (since = "epoch").
void track::Epochs::end_of_bar(RunTrack& r, const Moment& m) {
  const FieldValue* const all = m.event.find(Field::iterations);
  const auto& from = r.window.from;
  const auto number = count_of(m.event, Field::epoch);
  if (!all || !from || !from->elapsed || !from->epoch ||
      from->epoch != number.value_or(r.epochs.done_in_epochs_over))
    return;
  Event bar = m.event;
  bar.kind = EventKind::progress;
  bar.add(number ? Field::batch : Field::iteration, all->scale, all->text);
  bar.add(Field::since, 1, "epoch");
  bar.rename(Field::iterations, number ? Field::batches : Field::max_iter);
  const auto finely = number ? std::nullopt : time_of_epoch(r.epochs, m.event);
  const std::string text = finely ? std::to_string(to_seconds(*finely)) : "";
  if (finely) {
    bar.remove(Field::seconds);
    bar.add(Field::elapsed, 1, text);
  } else {
    bar.rename(Field::seconds, Field::elapsed);
  }
  bar.remove(Field::rate);
  if (!number) bar.remove(Field::batch);
  all_.windows.progress(m.with(bar));
}

// The end of the last epoch that is planned, of unknown length: the iterations done are the plan.
void track::Epochs::end_plan(RunTrack& r, std::optional<std::int64_t> number) {
  auto epochs = whole_number(setting_of(r.run, name_of(Field::epochs)));
  if (!epochs) epochs = r.epochs.line.epochs ? r.epochs.line.epochs : r.epochs.announced_of;
  if (!epochs || !number || r.run.max_iterations || r.epochs.steps || !r.run.iteration) return;
  if (*number + (r.epochs.first_number == 0 ? 1 : 0) == *epochs) r.run.max_iterations = r.run.iteration;
}

// A run whose end stood above all that shows it is over with its last epoch.
void track::Epochs::end_with_last(RunTrack& r, const Event& event) {
  const std::int64_t steps = steps_of(r, event, nullptr);
  if (steps <= 0 || !is_last_told(r, count_of(event, Field::epoch))) return;
  r.run.iteration = r.run.max_iterations = product_or_zero(*r.training.told_by_end, steps);
  r.run.state = RunState::finished;
  r.reach(Stage::ended);
  r.dirty = true;
}

namespace {

// An epoch is over of whose steps the very last ones are not displayed.
void show_all_of(RunTrack& r, std::optional<std::int64_t> epoch) {
  if (!epoch || !r.epochs.steps || !r.run.iteration || r.training.stride <= 0) return;
  const std::int64_t done = r.epochs.done_before(*epoch, *r.epochs.steps) + *r.epochs.steps;
  if (done > *r.run.iteration && done - *r.run.iteration <= r.training.stride) r.run.iteration = done;
}

// What a line tells of an epoch.
struct EpochLine {
  enum class Tells : std::uint8_t { beginning, end_of_training, end, time };

  explicit EpochLine(const Event& event)
      : number(count_of(event, Field::epoch)),
        tests(event.text(Field::phase) == name_of(Phase::test)),
        counted(event.text(Field::unit) == "epoch") {
    const std::string_view outcome = event.text(Field::outcome);
    if (outcome == "trained")
      tells = Tells::end_of_training;
    else if (event.has(Field::seconds))
      tells = Tells::time;
    else if (outcome == "finished")
      tells = Tells::end;
  }

  bool is(Tells what) const { return tells == what; }

  Tells tells = Tells::beginning;
  std::optional<std::int64_t> number;
  bool tests;    // it is a test's
  bool counted;  // epochs, and not their steps, are what the run counts
};

using Tells = EpochLine::Tells;

// Whether a line behind a run's end is still of that run, if it comes soon. The time of an epoch is that the run has shown
// (one of several processes tells it behind another's end), or its end as the last. Of other lines about epochs all are but
// one that begins a run: it numbers its first epoch, or says how many there will be, or the next run has been described.
bool is_of_run_over(const RunTrack& last, const EpochLine& line, const Event& event, bool next_is_described) {
  if (is_long_over(last.run, event.time)) return false;
  if (event.has(Field::seconds)) {
    const bool first = last.epochs.first_number == line.number;
    const std::int64_t done = line.number.value_or(-1) + (last.training.from_zero ? 1 : 0);
    const bool counted = last.known.counts_epochs && done == last.run.iteration;
    return last.epochs.shows(line.number) || (!first && (counted || is_last_told(last, line.number)));
  }
  const bool begins_anew = (line.counted || last.training.by_lines) && last.epochs.first_number &&
                           last.epochs.first_number == line.number;
  return !begins_anew && !next_is_described && !event.has(Field::epochs);
}

// An end whose beginning nobody saw begins no run, though settings may have been said since.
bool ends_nothing(const RunTrack* open, const Event& event) {
  if (!open || !open->declared()) return true;
  return event.text(Field::key) == "block" && open->training.epochs_of_block == 0;
}

}  // namespace

// A bar that counts epochs is full: a run that it has measured so far has come to its end. False: it is another bar.
bool track::Epochs::fills_bar_of_epochs(RunTrack* open, const Event& event) {
  const bool named = open && open->epochs.named;
  if (!named && !steps_are_epochs(event)) return false;
  const auto all = positive_of(event, named ? Field::iterations : Field::epochs);
  if (open && open->training.by_lines && open->run.max_iterations == all)
    open->run.iteration = open->run.max_iterations;
  return true;
}

// A bar that counts samples, in steps of as many as the run's batch has; as it stands where that is not known.
void track::Epochs::epoch_of_samples(RunTrack& r, const Moment& m) {
  const std::int64_t each = all_.values.train_samples(r);
  const auto all = positive_of(m.event, Field::iterations);
  const Event as_shown = m.event.without({Field::unit});
  if (!all || each <= 0) return epoch_of(r, m.with(as_shown));
  const std::string steps = std::to_string(std::max<std::int64_t>(1, *all / each));
  epoch_of(r, m.with(as_shown.with(Field::iterations, steps)));
}

// An epoch's beginning or end. With `seconds` it is a measurement of all its steps; with outcome = "finished"
// it is one by the two lines' times, the tests in between taken out. Its number may stand on a line before it.
void track::Epochs::epoch(const Moment& m) {
  RunTrack* const open = all_.runs.open();
  if (!open || !open->training.tests_of_bar) return of_training(m);
  const track::BarWithoutTests own(*open, m.event);
  if (const Event* const told = own.told()) of_training(m.with(*told));
}

void track::Epochs::of_training(const Moment& m) {
  const auto number = all_.windows.pending(Field::epoch);
  if (!number || m.event.has(Field::epoch)) return read_line(m);
  read_line(m.with(m.event.with(Field::epoch, number->text, number->scale)));
}

// A state of a bar that is not full, a heading that is not yet the epoch's, or a line of some run.
void track::Epochs::read_line(const Moment& m) {
  if (m.event.text(Field::since) == "amid") return see_amid(m);
  if (is_state_of_bar(m.event)) return see_state(m.event);
  if (counts_samples_of_epoch(m.event)) return see_samples(m.event);
  if (is_ahead(m.event)) return;
  if (EpochLine(m.event).is(Tells::beginning) && is_one_more(m.event)) return one_more(m);
  give_to_run(m);
}

// A line of the run going on or of the one that is over, or the first one of another run.
void track::Epochs::give_to_run(const Moment& m) {
  const EpochLine line(m.event);
  const RunTrack* const last = all_.runs.ended();
  if (last && is_of_run_over(*last, line, m.event, all_.runs.next_is_described())) return;
  if (all_.tests.is_after_end(m) || is_before_end(m.event)) return;
  RunTrack* const open = all_.runs.open();
  if (open && line.is(Tells::time) && !line.tests && !line.number && open->epochs.are_all_timed()) return;
  if (m.event.text(Field::since) == "heading" && (!open || !open->epochs.open)) return;
  if (line.is(Tells::end_of_training)) {
    if (open && open->epochs.open) open->epochs.tell_trained(m.now);
    return;
  }
  if (fills_bar_of_epochs(open, m.event)) return;
  if (line.is(Tells::end) && ends_nothing(open, m.event)) return;
  RunTrack& r = run_of(m, line.number, line.is(Tells::beginning));
  if (m.event.text(Field::unit) == "sample") return epoch_of_samples(r, m);
  epoch_of(r, m);
}

// An epoch of that run.
void track::Epochs::epoch_of(RunTrack& r, const Moment& m) {
  const EpochLine line(m.event);
  take_up(r, m, line.tests);
  if (line.is(Tells::beginning)) begin(r, m, line.number);
  if (line.number) r.epochs.see(*line.number, m.event.has(Field::epochs));
  if (!line.tests) plan_epochs(r, m.event, steps_of(r, m.event, nullptr));
  if (line.is(Tells::time)) take_time(r, m, line.tests);
  end_with_last(r, m.event);
  if (line.is(Tells::end)) end(r, m, line.number);
}

// The run that a line about an epoch is of; may begin one.
RunTrack& track::Epochs::run_of(const Moment& m, std::optional<std::int64_t> number, bool begins) {
  const bool again = number && (begins ? counts_again(m, *number) : measures_again(m.event, *number));
  return again ? all_.runs.begin_again(m) : all_.runs.for_measurement(m);
}

// The run has come to its epochs, or to a test of one.
void track::Epochs::take_up(RunTrack& r, const Moment& m, bool tests) {
  all_.descriptions.finish_net(r, m.out);
  if (tests && r.window.from && r.window.from->epoch) r.window.bar_over = true;
  if (!r.job_known) r.run.job = tests ? Job::test : Job::train;  // what a log shows first may be a test alone
  r.reach(Stage::progressed);
  r.job_known = r.job_known || !tests;
  all_.values.take(r, m.event);
}

namespace {

// The tests that the time of an epoch holds, where it is told from its beginning to its line (since = "epoch").
Duration tests_in(RunTrack& r, const Event& event) {
  if (event.text(Field::since) != "epoch" || event.text(Field::phase) == name_of(Phase::test)) return {};
  return std::exchange(r.window.from ? r.window.test_time : r.training.tests_before, Duration{});
}

}  // namespace

// How long all of the epoch took. A log that shows its iterations has been measured by them, but for what came behind
// the last one shown.
void track::Epochs::take_time(RunTrack& r, const Moment& m, bool tests) {
  if (r.training.by_lines && !tests) {
    end_by_throughput(r, m);
    end_of_bar(r, m);
    // Behind a line that says so a validation follows, which may print nothing.
    if (m.event.text(Field::key) == "validation" && r.window.from) r.window.holds_unmeasured_test = true;
    return show_all_of(r, count_of(m.event, Field::epoch));
  }
  if (!tests) r.window.last_state.reset();  // the bar's end measures all of it
  r.training.epochs_of_block = 0;
  if (const auto took = time_of_epoch(r.epochs, m.event)) {
    const Duration trained = *took - tests_in(r, m.event);
    if (trained > Duration::zero()) return measure(r, m, trained);
  }
  ++m.out.rejected;
}

// By the clock: from its beginning to this line. A log that shows its iterations has been measured by them.
void track::Epochs::end(RunTrack& r, const Moment& m, std::optional<std::int64_t> number) {
  end_plan(r, number);
  if (r.test && !r.test->beside)
    all_.tests.end(r, m.now, m.out);  // the last one of a run, of which nothing else tells
  const auto began = std::exchange(r.epochs.began, {});
  if (!began || !m.now || r.window.from || r.epochs.was_measured_last(number)) return;
  const Duration took = between(*began, *m.now) - r.window.test_time;
  if (took > Duration::zero()) return measure(r, m, took);
  ++m.out.rejected;
}

// Several epochs together, between evaluations: measured where a block is all that the log shows, and no epoch
// begins in it. (One that says it is of a single epoch may be of more: PCL's numbers go on by four.)
void track::Epochs::begin_block(RunTrack& r, const Moment& m) {
  const auto epochs = positive_of(m.event, Field::value);
  if (!epochs || *epochs < 2 || m.event.text(Field::since) != "start") return;
  r.epochs.began = m.now;
  r.training.epochs_of_block = *epochs;
  if (!r.window.from) r.window.test_time = {};
}

namespace {

// An epoch far shorter than the shortest before it, by the clock: the training reached its target in it. (The
// first one alone shows nothing: it may have waited for its data. Nor did the one before reach it, where another such
// comes behind: it is faster since.)
bool is_cut_short(RunTrack& r, Duration took) {
  if (r.run.train.segments <= 1 || !r.epochs.is_far_shorter(took)) return false;
  return !std::exchange(r.epochs.cut_short, true);
}

}  // namespace

namespace {

// Where an epoch's training ends stands the run. False: it is no measurement, or was shown before.
bool come_to_end_of_epoch(RunTrack& r, const track::Moment& m, std::optional<std::int64_t> number,
                          const Segment& all, Duration of_epoch) {
  const std::int64_t done = all.first_iteration + all.iterations;
  if (!m.event.has(Field::seconds) && is_cut_short(r, of_epoch)) {
    ++m.out.rejected;
    return false;
  }
  if (r.epochs.was_measured_last(number) && r.run.iteration == done) return false;
  if (!number && m.event.has(Field::batch) && !r.epochs.fill_bar(all.iterations)) return false;
  r.run.iteration = done;
  r.epochs.measured(number, of_epoch, m.event.time);
  return true;
}

}  // namespace

void track::Epochs::measure(RunTrack& r, const Moment& m, Duration took) {
  bool derived = false;
  const std::int64_t epochs = std::max<std::int64_t>(std::exchange(r.training.epochs_of_block, 0), 1);
  const Phase phase = phase_of(m.event, r.run.job);
  const bool trains = phase == Phase::train;
  std::int64_t steps = product_or_zero(steps_of(r, m.event, &derived), epochs);
  const std::int64_t untimed = steps == 0 && trains ? track::steps_without_times(r) : 0;
  const bool counted = untimed > 0;
  if (counted) steps = untimed;
  if (steps <= 0) return hold_alone(r, m, took);
  if (derived) note_derived(r.run, "steps_per_epoch: dataset_size / batch_size");
  const bool is_one = steps == epochs && !m.event.has(Field::batches) && m.event.has(Field::iterations);
  if (is_one || setting_of(r.run, "epoch_covers") == "epoch") count_epochs(r);
  auto number = count_of(m.event, Field::epoch);
  if (!number && trains && r.epochs.open) number = r.epochs.announced;
  Segment all{phase, 0, steps, all_.values.samples(r, phase), took, {}};
  all.first_iteration = counted  ? r.epochs.done_in_epochs_over
                        : number ? r.epochs.done_before(*number, steps)
                        : trains ? r.run.train.iterations
                                 : 0;
  if (trains && !come_to_end_of_epoch(r, m, number, all, took / epochs)) return;
  // How many there will be, its steps alone do not tell.
  if (counted && !r.epochs.around && number != count_of(m.event, Field::epochs)) r.run.max_iterations.reset();
  const bool amid_bar = r.window.from && r.window.from->epoch && !r.training.tests_of_bar;
  if (!trains && amid_bar) add_bounded(r.window.test_time, took);  // the bar's time goes on
  all_.runs.add_segment(r, all, m.out);
}

}  // namespace etad
