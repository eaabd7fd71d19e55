// Phases of testing: those within a training, and testing jobs.
#include <algorithm>
#include <utility>

#include "parsers/training/tracker_parts.h"

namespace etad {

using track::RunTrack;
using track::Stage;
using track::TestPhase;

void track::Tests::start(const Moment& m) {
  const bool job = track::is_of_testing_job(m.event);
  if (state_.standing) state_.standing->evaluates = true;
  if (!job && all_.runs.ended()) return;  // a test behind a run's end is no new run
  RunTrack* r = &all_.runs.for_measurement(m);
  if (m.event.has(Field::position)) all_.windows.position(*r, m);
  if (job && r->progressed()) {
    r = &all_.runs.begin(m);
    all_.runs.declare(*r);
  }
  all_.descriptions.finish_net(*r, m.out);
  const std::int64_t net = count_of(m.event, Field::net).value_or(0);
  auto announced = positive_of(m.event, Field::iterations);
  if (!announced && r->test && r->test->is_announcement_of(net)) {
    announced = r->test->announced;
    r->test.reset();
  }
  if (r->test) end(*r, r->test->end_before(m.now), m.out);
  r->window.end_snapshot_by_test(count_of(m.event, Field::iteration).value_or(0), m.event.time);
  r->reach(Stage::progressed);
  TestPhase test;
  test.net = net;
  test.since = m.now;
  test.announced = announced.value_or(0);
  if (job) {
    r->run.job = Job::test;
    r->job_known = true;
    r->run.first_iteration = 0;
    r->run.max_iterations = announced;
    test.shows_batches = true;
  } else {
    test.iteration = count_of(m.event, Field::iteration).value_or(r->run.iteration.value_or(0));
    // Only the first of a test's lines may move the run on; an older one (another rank's) must not turn it
    // back.
    if (test.iteration > r->run.iteration.value_or(0)) r->run.iteration = test.iteration;
  }
  r->test = test;
}

namespace {

void derive(RunTrack& r, std::string_view key, std::int64_t value, std::string_view how) {
  if (r.run.settings.contains(std::string(key))) return;
  take_setting(r, key, std::to_string(value));
  note_derived(r.run, how);
}

// A test behind the last steps displayed of an epoch: the epoch is over, although its very last steps were
// not displayed; and so the training is tested, after each epoch.
void epoch_is_over(RunTrack& r) {
  const std::int64_t steps = r.epochs.steps.value_or(0), reached = r.run.iteration.value_or(0);
  if (steps <= 0 || reached <= 0 || !r.epochs.first_number) return;
  const std::int64_t rest = (steps - reached % steps) % steps;
  if (rest > r.training.stride) return;
  r.run.iteration = reached + rest;
  derive(r, "test_interval", steps, "test_interval: steps of an epoch");
}

// The result of the test behind the last epoch: nothing is left to do, and such logs say no more.
bool is_last_test(const RunTrack& r) {
  return r.run.job == Job::train && r.epochs.steps && r.run.max_iterations &&
         r.run.iteration.value_or(0) >= *r.run.max_iterations;
}

}  // namespace

void track::Tests::begin_shown(RunTrack& r, const Moment& m) {
  const bool job = r.run.job == Job::test;
  if (!job) epoch_is_over(r);
  TestPhase test;
  test.iteration = job ? 0 : r.run.iteration.value_or(0);
  if (job) test.announced = r.run.max_iterations.value_or(0);
  r.test = test;
  if (const auto batches = positive_of(m.event, Field::batches); batches && !job)
    derive(r, "test_iter", *batches, "test_iter: batches of a test");
}

// A job that says with each line that it tests. What went on before is over, and so is such a job that had come
// further.
void track::Tests::begin_job(const Moment& m) {
  const std::int64_t at = count_of(m.event, Field::iteration).value_or(0);
  RunTrack* r = all_.runs.open();
  const bool other = r && r->progressed() && (r->run.job != Job::test || at < r->run.iteration.value_or(0));
  if (!r || other) r = &all_.runs.begin(m);
  if (r->progressed()) return;
  r->run.job = Job::test;
  r->job_known = true;
  r->run.first_iteration = 0;
  r->run.max_iterations = positive_of(m.event, Field::max_iter);
}

// A test phase that shows its batches. Where the lines state the mean over them, the whole of the phase is
// one segment, told at its end; otherwise each interval between two of them is one.
void track::Tests::progress(const Moment& m) {
  if (is_after_end(m)) return;
  if (track::is_of_testing_job(m.event)) begin_job(m);
  RunTrack& r = all_.runs.for_progress(m);
  const auto batch = count_of(m.event, Field::batch);
  if (!batch && !count_of(m.event, Field::iteration)) return;
  // A first batch when most were shown already: this test follows upon another.
  if (batch && r.test && r.test->is_followed_by(*batch)) end(r, r.test->done_at, m.out);
  if (!r.test) begin_shown(r, m);
  const auto shown = r.test->batches_shown(m.event, r.epochs.counts_batches_from_one());
  if (!shown) return;  // another value of the same batch
  const bool job = r.run.job == Job::test;
  if (job) {
    r.run.iteration = *shown;
    r.training.stride = *shown - r.test->done;
  }
  r.test->take_mean(m.event, m.now, *shown);
  if (!r.test->states_mean()) interval(r, m, *shown);
  r.test->display(*shown, m.now);
  if (job) give_stated(r, m.out);  // a job's phase lasts as long as the job
}

// The batches since those displayed before.
void track::Tests::interval(RunTrack& r, const Moment& m, std::int64_t shown) {
  const auto batches = r.test->since_last(m.now, shown, r.run.job == Job::test);
  if (!batches) return;
  if (batches->took > Duration::zero()) {
    give(r, *batches, m.out);
  } else {
    ++m.out.rejected;
  }
}

void track::Tests::give(RunTrack& r, const TestPhase::Batches& b, Records& out) {
  all_.runs.add_segment(
      r, {Phase::test, b.first, b.count, all_.values.test_samples(r, r.test->net), b.took, b.since}, out);
}

void track::Tests::give_stated(RunTrack& r, Records& out) {
  if (!r.test) return;
  if (const auto batches = r.test->take_stated(r.run.job == Job::test)) give(r, *batches, out);
}

// A test behind a run's end is no new run.
bool track::Tests::is_after_end(const Moment& m) const {
  return all_.runs.ended() && m.event.text(Field::phase) == name_of(Phase::test);
}

// A result that says itself how long its test took.
void track::Tests::end_stated(RunTrack& r, const Moment& m, Duration took) {
  const bool known = r.test.has_value();
  TestPhase test = std::exchange(r.test, {}).value_or(TestPhase{});
  if (!known) test.iteration = r.run.iteration.value_or(0);
  r.reach(Stage::progressed);
  r.dirty = true;
  if (took != std::exchange(r.training.last_stated, took))  // some print each result twice
    add_bounded(r.training.tests_stated, took);
  // Where the bar itself shows how long the training waited, a result may be printed long after its test.
  const bool late = r.training.shows_waits && !r.window.other_bar;
  if (!late) (r.window.from ? r.window.test_time : r.training.tests_before) += took;
  if (const auto n = positive_of(m.event, Field::iterations)) test.announced = *n;
  if (test.announced <= 0) test.announced = iterations_by_rate(m.event, Field::rate, took, 1, 0);
  if (test.announced <= 0) test.announced = all_.values.test_iterations(r, test.net);
  if (test.announced <= 0) return;
  all_.runs.add_segment(
      r,
      {Phase::test, test.iteration, test.announced, all_.values.test_samples(r, test.net), took, test.since},
      m.out);
}

// A result behind the line of training that it belongs to, of a log that does not show where the test began: it
// lies between the two. What an epoch's last line left undone of it was done before, at the step time so far.
// Amid an epoch nothing says how long the test took.
void track::Tests::since_progress(RunTrack& r, const Moment& m) {
  const auto& from = r.window.from;
  if (r.test) return r.test->tell_result(m.now);
  if (!from) return;
  if (!m.event.time || !from->dated) {
    r.window.holds_undated_test = true;
    return;
  }
  Duration rest{};
  if (const auto at = count_of(m.event, Field::iteration)) {
    if (*at + (r.training.from_zero ? 1 : 0) != from->iteration) {
      r.window.holds_unmeasured_test = true;
      return;
    }
  } else {
    // Behind an epoch's first step, where they count from 0, all of it is left.
    const bool begins = r.epochs.line.batch == 0;
    const auto left = begins ? r.epochs.steps : r.epochs.left_of(from->iteration);
    const PhaseSummary& done = r.run.train;
    if (!left || *left > r.training.stride || (*left > 0 && done.iterations == 0)) {
      r.window.holds_unmeasured_test = true;
      return;
    }
    if (*left > 0)
      rest = from_seconds(to_seconds(done.duration) / static_cast<double>(done.iterations) *
                          static_cast<double>(*left));
  }
  const Instant last = r.window.shown_again.value_or(*from->at);  // of the lines that showed this iteration
  const Duration more = between(last, *m.event.time) - rest - r.window.test_time;
  if (more > Duration::zero()) add_bounded(r.window.test_time, more);
}

// A result behind the line that tells of an epoch's training tells of a test since that line, where the epoch is
// measured from heading to heading. Of several results the last one counts. Where the epoch is measured from line to
// line, a test lies somewhere between the two.
void track::Tests::since_trained(RunTrack& r, const Moment& m) {
  if (r.test) return r.test->tell_result(m.now);
  const auto& trained = r.epochs.trained;
  if (r.window.from) r.window.holds_unmeasured_test = true;
  if (!trained || r.epochs.trained_again || r.window.from || !m.event.time) return;
  r.window.test_time = std::max(r.window.test_time, between(*trained, *m.event.time));
}

// A result behind a state of the training's bar: the bar has come so far before.
void track::Tests::see_bar(const Moment& m) {
  Event bar = m.event;
  bar.kind = EventKind::progress;
  bar.clear_values();
  for (const Field f : {Field::iteration, Field::max_iter, Field::elapsed})
    if (const FieldValue* const v = m.event.find(f)) bar.add(*v);
  all_.windows.progress(m.with(bar));
}

// A result behind a bar's state that does not say how long its test took: that is what passed since the state before, if it
// showed this iteration. If not, the test lies somewhere before.
void track::Tests::see_wait(const Moment& m) {
  RunTrack* const r = all_.runs.open();
  const auto elapsed = m.event.number(Field::elapsed);
  if (!r || !elapsed || !r->window.from || !r->training.last_elapsed) return;
  const auto waited = positive_seconds(*elapsed - *r->training.last_elapsed);
  if (r->run.iteration != count_of(m.event, Field::iteration)) {
    r->window.holds_unknown_gap = true;
  } else if (waited) {
    add_bounded(r->window.test_time, *waited);
  }
}

void track::Tests::result(const Moment& m) {
  if (state_.standing) state_.standing->evaluates = true;
  if (m.event.has(Field::max_iter) && m.event.has(Field::elapsed)) {
    if (!m.event.has(Field::seconds)) see_wait(m);
    see_bar(m);
  }
  RunTrack* const r = all_.runs.open();
  if (!r || !r->declared()) return all_.windows.count_logged(m.event);
  if (m.event.text(Field::since) == "progress") return since_progress(*r, m);
  if (m.event.text(Field::since) == "trained") return since_trained(*r, m);
  const bool measured = r->test && r->test->is_clocked() && m.now;
  if (const auto took = positive_seconds(m.event.number(Field::seconds)); took && !measured)
    return end_stated(*r, m, *took);
  const auto iterations = positive_of(m.event, Field::iterations);  // a result may say how many they were
  if (r->test) {
    if (iterations) r->test->announced = *iterations;
    const bool last = r->test->states_mean() && is_last_test(*r);
    end(*r, m.now, m.out);
    if (!last) return;
    r->run.state = RunState::finished;
    r->reach(Stage::ended);
  } else if (iterations) {
    if (!r->window.held_tests.empty()) r->window.held_tests.back().iterations = *iterations;
  }
}

// `at`: when it ended; nullopt where its lines do not tell.
void track::Tests::end(RunTrack& r, std::optional<Instant> at, Records& out) {
  give_stated(r, out);
  const TestPhase test = std::exchange(r.test, {}).value_or(TestPhase{});
  r.dirty = true;
  if (!test.since || !at) {
    r.window.holds_unknown_gap = true;
    return;
  }
  const Duration took = between(*test.since, *at);
  if (!test.beside) {
    add_bounded(r.window.test_time, took);
    if (!r.window.from) add_bounded(r.training.tests_before, took);
  }
  Segment s{Phase::test, test.iteration, 0, all_.values.test_samples(r, test.net), took, test.since};
  if (test.shows_batches) {  // what came after the last batch displayed
    if (!test.done_at) return;
    s.iterations = test.announced - test.done;
    s.duration = between(*test.done_at, *at);
    s.started_at = test.done_at;
  } else {
    s.iterations = test.announced > 0 ? test.announced : all_.values.test_iterations(r, test.net);
  }
  if (s.iterations <= 0 && s.duration > Duration::zero()) return;
  if (!r.window.can_hold()) release(r, out);
  r.window.held_tests.push_back(s);
}

// An epoch that begins while a test goes on: others test, and only until now did the training wait.
void track::Tests::go_on_beside(RunTrack& r, const Moment& m) {
  if (!r.test) return;
  if (const auto waited = r.test->go_on_beside(m.now)) add_bounded(r.window.test_time, *waited);
}

// A test phase is given out when the window around it closes: only then it is known whether the clock was
// set.
void track::Tests::release(RunTrack& r, Records& out) {
  for (const Segment& test : std::exchange(r.window.held_tests, {})) {
    if (test.duration <= Duration::zero()) {
      ++out.rejected;
    } else if (test.iterations > 0) {
      all_.runs.add_segment(r, test, out);
    }
  }
}

}  // namespace etad
