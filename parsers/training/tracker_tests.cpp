// Phases of testing: those within a training, and testing jobs.
#include <algorithm>

#include "parsers/training/tracker_parts.h"

namespace etad {

using track::OpenTest;
using track::RunTrack;
using track::Stage;

void track::Tests::start(const Moment& m) {
  const bool job = m.event.text(Field::job) == name_of(Job::test);
  if (!job && all_.state.current && all_.state.current->ended())
    return;  // a test behind a run's end is no new run
  RunTrack* r = &all_.runs.for_measurement(m);
  if (m.event.has(Field::position)) all_.windows.position(*r, m);
  if (job && r->progressed()) {
    r = &all_.runs.begin(m);
    all_.runs.declare(*r);
  }
  all_.descriptions.finish_net(*r, m.out);
  const std::int64_t net = count_of(m.event, Field::net).value_or(0);
  auto announced = positive_of(m.event, Field::iterations);
  const bool same = r->test && !r->test->shows_batches && r->test->net == net && r->test->announced > 0;
  if (same && !announced) {  // announced before it began
    announced = r->test->announced;
    r->test.reset();
  }
  if (r->test) end(*r, r->test->shows_batches ? m.now : std::nullopt, m.out);
  if (const auto& save = r->window.saving)
    end_save(r->window, save->iteration == count_of(m.event, Field::iteration).value_or(0) ? m.event.time
                                                                                           : std::nullopt);
  r->reach(Stage::progressed);
  OpenTest test;
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

// How many batches of the test are done when this one is displayed. Some count them from 1.
std::int64_t batches_done(OpenTest& test, const track::EpochCount& epochs, std::int64_t batch) {
  if (!test.first_batch) test.first_batch = batch;
  const bool from_one = *test.first_batch == 1 || (*test.first_batch > 1 && epochs.first_batch == 1);
  const std::int64_t done = from_one ? batch : batch + 1;
  return test.announced > 0 ? std::min(done, test.announced) : done;
}

void derive(Run& run, std::string_view key, std::int64_t value, std::string_view how) {
  if (run.settings.contains(std::string(key))) return;
  take_setting(run, key, std::to_string(value));
  note_derived(run, how);
}

// A test behind the last steps displayed of an epoch: the epoch is over, although its very last steps were
// not displayed; and so the training is tested, after each epoch.
void epoch_is_over(RunTrack& r) {
  const std::int64_t steps = r.epochs.steps.value_or(0), reached = r.run.iteration.value_or(0);
  if (steps <= 0 || reached <= 0 || !r.epochs.first) return;
  const std::int64_t rest = (steps - reached % steps) % steps;
  if (rest > r.training.stride) return;
  r.run.iteration = reached + rest;
  derive(r.run, "test_interval", steps, "test_interval: steps of an epoch");
}

// The result of the test behind the last epoch: nothing is left to do, and such logs say no more.
bool is_last_test(const RunTrack& r) {
  return r.run.job == Job::train && r.epochs.steps && r.run.max_iterations &&
         r.run.iteration.value_or(0) >= *r.run.max_iterations;
}

// The mean over all batches shown, where the line states it.
void take_stated(OpenTest& test, const Event& event, std::optional<Instant> now, std::int64_t shown) {
  const auto mean = rounded(event, Field::seconds);
  if (!mean || mean->first <= 0 || event.text(Field::since) != "epoch") return;
  test.stated = mean->first * static_cast<double>(shown);
  test.stated_error = mean->second * static_cast<double>(shown);
  if (const auto took = positive_seconds(test.stated); took && now && test.done == 0)
    test.began = *now - std::chrono::duration_cast<Instant::duration>(*took);
}

}  // namespace

void track::Tests::begin_shown(RunTrack& r, const Moment& m) {
  const bool job = r.run.job == Job::test;
  if (!job) epoch_is_over(r);
  r.test.emplace();
  r.test->iteration = job ? 0 : r.run.iteration.value_or(0);
  if (const auto batches = positive_of(m.event, Field::batches); batches && !job)
    derive(r.run, "test_iter", *batches, "test_iter: batches of a test");
}

// A test phase that shows its batches. Where the lines state the mean over them, the whole of the phase is
// one segment, told at its end; otherwise each interval between two of them is one.
void track::Tests::progress(const Moment& m) {
  if (is_after_end(m)) return;
  RunTrack& r = all_.runs.for_measurement(m);
  all_.descriptions.finish_net(r, m.out);
  r.reach(Stage::progressed);
  const auto batch = count_of(m.event, Field::batch);
  if (!batch && !count_of(m.event, Field::iteration)) return;
  // A first batch when most were shown already: this test follows upon another.
  if (r.test && batch && *batch <= 1 && 2 * r.test->done > std::max<std::int64_t>(2, r.test->announced))
    end(r, r.test->done_at, m.out);
  if (!r.test) begin_shown(r, m);
  OpenTest& test = *r.test;
  test.shows_batches = true;
  if (const auto batches = positive_of(m.event, Field::batches)) test.announced = *batches;
  const auto shown = batch ? batches_done(test, r.epochs, *batch) : *count_of(m.event, Field::iteration);
  const std::int64_t n = shown - test.done;
  if (n <= 0) return;  // another value of the same batch
  if (r.run.job == Job::test) r.run.iteration = shown;
  take_stated(test, m.event, m.now, shown);
  if (test.stated <= 0) interval(r, m, n);
  test.done = shown;
  test.done_at = m.now;
}

// The batches since those displayed before, by the two lines' times.
void track::Tests::interval(RunTrack& r, const Moment& m, std::int64_t n) {
  const OpenTest& test = *r.test;
  const auto from = test.done_at ? test.done_at : test.since;
  if (from && m.now) {
    const Duration took = between(*from, *m.now);
    const std::int64_t first = r.run.job == Job::test ? test.done : test.iteration;
    if (took > Duration::zero()) {
      all_.runs.add_segment(r, {Phase::test, first, n, all_.values.test_samples(r, test.net), took, from},
                            m.out);
    } else {
      ++m.out.rejected;
    }
  }
}

// The batches displayed of a test whose lines state their mean. One of many says nothing of the others: it
// waited for the data.
void track::Tests::give_stated(RunTrack& r, Records& out) {
  if (!r.test || r.test->stated <= 0) return;
  OpenTest& test = *r.test;
  constexpr double kMostError = 0.05;
  const bool alone = test.done == 1 && test.announced > 1;
  const double seconds = test.stated - test.given_seconds;
  const auto took = positive_seconds(seconds);
  if (alone || !took || test.done <= test.given || test.stated_error > kMostError * seconds) return;
  const auto began = test.given == 0 ? test.began : std::nullopt;
  all_.runs.add_segment(r,
                        {Phase::test, test.iteration, test.done - test.given,
                         all_.values.test_samples(r, test.net), *took, began},
                        out);
  test.given = test.done;
  test.given_seconds = test.stated;
}

// A test behind a run's end is no new run.
bool track::Tests::is_after_end(const Moment& m) const {
  return all_.state.current && all_.state.current->ended() &&
         m.event.text(Field::phase) == name_of(Phase::test);
}

// A result that says itself how long its test took.
void track::Tests::end_stated(RunTrack& r, const Moment& m, Duration took) {
  OpenTest test = r.test.value_or(OpenTest{});
  if (!r.test) test.iteration = r.run.iteration.value_or(0);
  r.test.reset();
  r.reach(Stage::progressed);
  r.dirty = true;
  if (r.window.from) r.window.tests += took;
  if (const auto n = positive_of(m.event, Field::iterations)) test.announced = *n;
  if (test.announced <= 0) test.announced = iterations_by_rate(m.event, Field::rate, took, 1, 0);
  if (test.announced <= 0) test.announced = all_.values.test_iterations(r, test.net);
  if (test.announced <= 0) return;
  all_.runs.add_segment(
      r,
      {Phase::test, test.iteration, test.announced, all_.values.test_samples(r, test.net), took, test.since},
      m.out);
}

void track::Tests::result(const Moment& m) {
  RunTrack* const r = all_.runs.open();
  if (!r || !r->declared()) return;
  const bool measured = r->test && (r->test->since || r->test->done_at) && m.now;
  if (const auto took = positive_seconds(m.event.number(Field::seconds)); took && !measured)
    return end_stated(*r, m, *took);
  const auto iterations = positive_of(m.event, Field::iterations);  // a result may say how many they were
  if (r->test) {
    if (iterations) r->test->announced = *iterations;
    const bool last = r->test->stated > 0 && is_last_test(*r);
    end(*r, m.now, m.out);
    if (!last) return;
    r->run.state = RunState::finished;
    r->reach(Stage::ended);
  } else if (iterations && !r->window.held.empty()) {
    r->window.held.back().iterations = *iterations;
  }
}

// `at`: when it ended; nullopt where its lines do not tell.
void track::Tests::end(RunTrack& r, std::optional<Instant> at, Records& out) {
  give_stated(r, out);
  const OpenTest test = *r.test;
  r.test.reset();
  r.dirty = true;
  if (!test.since || !at) {
    r.window.broken = true;
    return;
  }
  const Duration took = between(*test.since, *at);
  if (!test.beside) {
    r.window.tests += took;
    if (!r.window.from) r.training.tests_before += took;
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
  if (r.window.held.size() >= track::kMaxHeldTests) release(r, out);
  r.window.held.push_back(s);
}

// An epoch that begins while a test goes on: others test, and only until now did the training wait.
void track::Tests::go_on_beside(RunTrack& r, const Moment& m) {
  if (!r.test || !r.test->since || r.test->shows_batches || r.test->beside || !m.now) return;
  r.window.tests += between(*r.test->since, *m.now);
  r.test->beside = true;
}

// A test phase is given out when the window around it closes: only then it is known whether the clock was
// set.
void track::Tests::release(RunTrack& r, Records& out) {
  for (const Segment& test : r.window.held) {
    if (test.duration <= Duration::zero()) {
      ++out.rejected;
    } else if (test.iterations > 0) {
      all_.runs.add_segment(r, test, out);
    }
  }
  r.window.held.clear();
}

}  // namespace etad
