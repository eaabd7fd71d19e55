// Windows of training and phases of testing.
//
// A window runs from one displayed iteration to the next. Its time is the difference of the two lines' times
// less the test phases inside. Where the log itself says how long the window took and the two disagree beyond
// measure, the clock was set in between, and the log's own word counts.
#include <cmath>

#include "parsers/tracker_impl.h"

namespace etad {

using track::Anchor;
using track::OpenTest;
using track::RunTrack;
using track::Window;

namespace {

using namespace std::chrono_literals;

// Beyond this the clock must have been set: rounding and the printing itself never come near it.
constexpr Duration kGrossAtLeast = 2s;
constexpr double kGrossShare = 0.05;
constexpr double kMaxSeconds = 1e9;  // about thirty years: no window is longer

std::optional<Duration> duration_of(double seconds) {
  if (!std::isfinite(seconds) || seconds > kMaxSeconds || seconds < -kMaxSeconds) return {};
  return from_seconds(seconds);
}

std::optional<Duration> stated_window(const Event& event, const Anchor& from, const Anchor& to) {
  const auto n = static_cast<double>(to.iteration - from.iteration);
  if (const auto lapse = event.number(Field::lapse)) return duration_of(*lapse);
  if (from.elapsed && to.elapsed) return duration_of(*to.elapsed - *from.elapsed);
  if (const auto rate = event.number(Field::rate); rate && *rate > 0) return duration_of(n / *rate);
  if (const auto step = event.number(Field::seconds)) return duration_of(n * *step);
  return {};
}

bool whole_second(Instant at) {
  return at.time_since_epoch() % 1s == 0s;
}

// Which of the two to believe.
std::optional<Duration> believed(const std::optional<Duration>& stated, const Anchor& from,
                                 const Anchor& to) {
  if (!from.at || !to.at) return stated;
  const Duration measured = *to.at - *from.at;
  if (!stated || *stated <= 0s) return measured;
  const Duration apart = measured > *stated ? measured - *stated : *stated - measured;
  const bool gross = apart > kGrossAtLeast && to_seconds(apart) > kGrossShare * to_seconds(*stated);
  const bool coarse = whole_second(*from.at) && whole_second(*to.at) && apart <= 1s;
  return gross || coarse ? *stated : measured;
}

// Where a line says the run stands; epochs and batches are multiplied out.
std::optional<std::int64_t> iteration_of(RunTrack& r, const Event& event, std::int64_t steps_per_epoch) {
  if (const auto n = count_of(event, Field::iteration)) return n;
  const auto batch = count_of(event, Field::batch);
  if (!batch) return {};
  const auto epoch = count_of(event, Field::epoch);
  if (!epoch) return batch;
  const auto batches = positive_of(event, Field::batches).value_or(steps_per_epoch);
  if (batches <= 0) return {};
  if (!r.known.first_epoch) r.known.first_epoch = *epoch;
  // Some count epochs from 1. A run first seen in epoch 1 is taken to be at its start.
  const std::int64_t base = *r.known.first_epoch == 1 ? 1 : 0;
  const std::int64_t done = *epoch > base ? product(*epoch - base, batches) : 0;
  return done + *batch;
}

}  // namespace

void Tracker::Impl::progress(const Moment& m) {
  if (m.event.text(Field::phase) == name_of(Phase::test) || m.event.text(Field::job) == name_of(Job::test))
    return test_progress(m);
  RunTrack* r = &run_for_measurement(m);
  const std::int64_t steps =
      r->known.steps_per_epoch ? *r->known.steps_per_epoch : labels.steps_per_epoch.value_or(0);
  auto iteration = iteration_of(*r, m.event, steps);
  if (!iteration) return;
  // A log without start lines that counts from the beginning again: another run.
  if (!r->headed && r->window.from && *iteration < r->window.from->iteration) {
    r = &begin(m);
    declare(*r);
    iteration = iteration_of(*r, m.event, steps);
    if (!iteration) return;
  }
  train_progress(*r, m, *iteration);
}

void Tracker::Impl::train_progress(RunTrack& r, const Moment& m, std::int64_t iteration) {
  finish_net(r, m.out);
  r.dirty = r.progressed = true;
  if (!r.job_known) r.run.job = Job::train;
  r.job_known = true;
  if (r.run.job == Job::time) {  // a timing run's steps are no training
    r.run.iteration = iteration;
    return;
  }
  if (r.test) end_test(r, r.test->shows_batches ? r.test->done_at : std::nullopt, m.out);
  const Anchor here{iteration, m.now, m.event.number(Field::elapsed)};
  if (!r.run.first_iteration) r.run.first_iteration = r.headed && !r.resumed ? 0 : iteration;
  if (iteration < *r.run.first_iteration) r.run.first_iteration = iteration;  // the resume came to nothing
  if (!r.window.from && r.run.started_at && m.now && r.headed && !r.run.startup) {
    const Duration before = *m.now - *r.run.started_at - r.tests_before;
    if (before >= Duration::zero()) r.run.startup = before;
  }
  if (r.window.from && iteration == r.window.from->iteration) return;  // shown again
  r.run.iteration = iteration;
  const double loss = m.event.number(Field::loss).value_or(std::nan(""));
  if (m.event.has(Field::loss) && !std::isfinite(loss)) r.run.loss_is_nan = true;
  if (r.window.from && iteration > r.window.from->iteration) close_window(r, m, here);
  m.out.points.push_back({r.run.ordinal, {iteration, m.now, loss}});
  r.window = Window{here, {}, 0, false};
}

void Tracker::Impl::close_window(RunTrack& r, const Moment& m, const Anchor& to) {
  const Window& w = r.window;
  if (w.broken) return;
  const Anchor& from = *w.from;
  auto duration = believed(stated_window(m.event, from, to), from, to);
  if (!duration && m.event.has(Field::samples_per_second)) {
    const auto rate = m.event.number(Field::samples_per_second);
    const std::int64_t samples = product(train_samples(r), to.iteration - from.iteration);
    if (!rate || *rate <= 0 || samples == 0) return;
    duration = duration_of(static_cast<double>(samples) / *rate);
    note_derived(r.run, "seconds: samples / samples_per_second");
  }
  if (!duration) return;
  *duration -= w.tests;
  if (*duration <= Duration::zero()) {
    ++m.out.rejected;
  } else if (w.snapshots > 0) {
    r.run.snapshot_time += *duration;
  } else {
    add_segment(
        r,
        {Phase::train, from.iteration, to.iteration - from.iteration, train_samples(r), *duration, from.at},
        m.out);
  }
}

void Tracker::Impl::add_segment(RunTrack& r, const Segment& s, Records& out) {
  PhaseSummary& sums = s.phase == Phase::train ? r.run.train : r.run.test;
  sums.iterations += s.iterations;
  sums.duration += s.duration;
  ++sums.segments;
  r.dirty = true;
  out.segments.push_back({r.run.ordinal, s});
}

void Tracker::Impl::test_start(const Moment& m) {
  const bool job = m.event.text(Field::job) == name_of(Job::test);
  RunTrack* r = &run_for_measurement(m);
  if (job && r->progressed) {
    r = &begin(m);
    declare(*r);
  }
  finish_net(*r, m.out);
  if (r->test) end_test(*r, r->test->shows_batches ? m.now : std::nullopt, m.out);
  r->progressed = true;
  OpenTest test;
  test.net = count_of(m.event, Field::net).value_or(0);
  test.since = m.now;
  test.announced = positive_of(m.event, Field::iterations).value_or(0);
  if (job) {
    r->run.job = Job::test;
    r->job_known = true;
    r->run.first_iteration = 0;
    r->run.max_iterations = positive_of(m.event, Field::iterations);
    test.shows_batches = true;
  } else {
    test.iteration = count_of(m.event, Field::iteration).value_or(r->run.iteration.value_or(0));
    // Only the first of a test's lines may move the run on; an older one (another rank's) must not turn it
    // back.
    if (test.iteration > r->run.iteration.value_or(0)) r->run.iteration = test.iteration;
  }
  r->test = test;
}

// A test phase that shows its batches: each stretch between two of them is a segment.
void Tracker::Impl::test_progress(const Moment& m) {
  RunTrack& r = run_for_measurement(m);
  finish_net(r, m.out);
  r.progressed = true;
  const auto batch = count_of(m.event, Field::batch);
  const auto shown = batch ? std::optional(*batch + 1) : count_of(m.event, Field::iteration);
  if (!shown) return;
  if (!r.test) {
    r.test.emplace();
    r.test->iteration = r.run.job == Job::test ? 0 : r.run.iteration.value_or(0);
  }
  OpenTest& test = *r.test;
  test.shows_batches = true;
  if (const auto batches = positive_of(m.event, Field::batches)) test.announced = *batches;
  const std::int64_t n = *shown - test.done;
  if (n <= 0) return;  // another value of the same batch
  const auto from = test.done_at ? test.done_at : test.since;
  if (from && m.now) {
    const Duration took = *m.now - *from;
    const std::int64_t first = r.run.job == Job::test ? test.done : test.iteration;
    if (took > Duration::zero()) {
      add_segment(r, {Phase::test, first, n, test_samples(r, test.net), took, from}, m.out);
    } else {
      ++m.out.rejected;
    }
  }
  test.done = *shown;
  test.done_at = m.now;
  if (r.run.job == Job::test) r.run.iteration = *shown;
}

void Tracker::Impl::test_result(const Moment& m) {
  RunTrack* const r = open_run();
  if (!r || !r->test) return;
  end_test(*r, m.now, m.out);
}

// `at`: when it ended; nullopt where its lines do not tell.
void Tracker::Impl::end_test(RunTrack& r, std::optional<Instant> at, Records& out) {
  const OpenTest test = *r.test;
  r.test.reset();
  r.dirty = true;
  if (!test.since || !at) {
    r.window.broken = true;
    return;
  }
  const Duration took = *at - *test.since;
  if (took < Duration::zero()) {
    ++out.rejected;
    r.window.broken = true;
    return;
  }
  r.window.tests += took;
  if (!r.window.from) r.tests_before += took;
  Segment s{Phase::test, test.iteration, 0, test_samples(r, test.net), took, test.since};
  if (test.shows_batches) {  // what came after the last batch displayed
    if (!test.done_at) return;
    s.iterations = test.announced - test.done;
    s.duration = *at - *test.done_at;
    s.started_at = test.done_at;
  } else {
    s.iterations = test.announced > 0 ? test.announced : test_iterations(r, test.net);
  }
  if (s.iterations <= 0) return;
  if (s.duration > Duration::zero()) {
    add_segment(r, s, out);
  } else {
    ++out.rejected;
  }
}

void Tracker::Impl::snapshot(const Moment& m) {
  RunTrack* const r = open_run();
  if (!r || !r->declared) return;
  ++r->window.snapshots;
  ++r->run.snapshots;
  const auto iteration = count_of(m.event, Field::iteration);
  if (iteration && *iteration > r->run.iteration.value_or(0)) r->run.iteration = iteration;
  r->dirty = true;
}

void Tracker::Impl::resume(const Moment& m) {
  RunTrack& r = run_for_header(m);
  r.resumed = true;
  if (const auto iteration = count_of(m.event, Field::iteration)) r.run.first_iteration = iteration;
  if (const auto file = m.event.text(Field::file); !file.empty()) take_setting(r.run, "resumed_from", file);
  take_values(r, m.event);
}

}  // namespace etad
