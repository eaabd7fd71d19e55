#include "parsers/training/bar_states.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "parsers/training/line_numbers.h"
#include "parsers/training/tracker_parts.h"

namespace etad::track {

std::optional<Anchor> beginning_of_bar(const Event& event, const Anchor& here,
                                       const std::optional<Anchor>& from) {
  if (!from && here.elapsed && here.iteration == 1 && event.text(Field::since) == "start") {
    Anchor beginning;
    beginning.elapsed = 0;
    return beginning;
  }
  const bool is_next = from && from->epoch && from->epoch != here.epoch && here.iteration > from->iteration;
  if (is_next && here.epoch && here.steps > 0) {  // by a mean
    Anchor beginning;
    beginning.iteration = here.iteration - here.steps;
    beginning.elapsed = 0;
    beginning.epoch = here.epoch;
    return beginning;
  }
  const auto batch = count_of(event, Field::batch);
  const auto done = batch ? *batch : here.iteration - here.epoch.value_or(0);
  const bool bar = batch || event.has(Field::max_iter);
  if (!here.elapsed || !here.epoch || !bar || event.has(Field::seconds)) return {};
  if (from && from->epoch == here.epoch) return {};
  Anchor beginning;
  beginning.iteration = here.iteration - done;
  beginning.elapsed = 0;
  beginning.error = here.error;
  beginning.epoch = here.epoch;
  return beginning;
}

bool may_rush(const RunTrack& r, const Segment& window) {
  const auto& from = r.window.from;
  return r.run.train.segments == 0 && !r.training.doubtful && from && from->epoch && from->elapsed == 0 &&
         window.first_iteration > 0;
}

bool rushes(const Segment& first, const Segment& next) {
  constexpr double kMuchFaster = 3;
  return to_seconds(first.duration) / static_cast<double>(first.iterations) * kMuchFaster <
         to_seconds(next.duration) / static_cast<double>(next.iterations);
}

namespace {

bool is_about_full(const EpochCount& epochs, std::int64_t steps) {
  constexpr double kNearly = 0.9;
  return epochs.last_batch && steps > 1 &&
         static_cast<double>(*epochs.last_batch) >= kNearly * static_cast<double>(steps);
}

}  // namespace

std::int64_t steps_without_times(const RunTrack& r) {
  const EpochCount& epochs = r.epochs;
  if (epochs.steps || !r.run.max_iterations || r.training.by_lines) return 0;
  // A plan told in words is that of all epochs.
  if (r.run.settings.count("max_iter") > 0 && !epochs.around) return 0;
  const std::int64_t steps =
      epochs.around ? epochs.bar_of.value_or(0) : *r.run.max_iterations - epochs.done_in_epochs_over;
  return is_about_full(epochs, steps) ? steps : 0;
}

std::int64_t steps_told_of_one(const RunTrack& r, const Event& event) {
  const EpochCount& epochs = r.epochs;
  const bool is_one = positive_of(event, Field::iterations) == 1 && event.has(Field::seconds);
  if (!is_one || event.has(Field::batches) || event.has(Field::batch) || event.has(Field::rate)) return 0;
  const bool shown = r.training.by_lines || epochs.line.batch || epochs.last_batch;
  return shown || r.known.counts_epochs ? 0 : epochs.steps.value_or(0);
}

void plan_bars(RunTrack& r, const Event& event) {
  EpochCount& epochs = r.epochs;
  const auto all = positive_of(event, Field::epochs), number = count_of(event, Field::epoch);
  const std::int64_t steps = epochs.bar_of.value_or(0);
  if (!all || !number || !event.has(Field::seconds) || epochs.steps || !is_about_full(epochs, steps)) return;
  if (r.run.settings.count("max_iter") > 0) return;
  if (epochs.done_in_epochs_over != epochs.done_before(*number, steps)) return;
  const std::int64_t one_more =
      epochs.first_number == 0 && all == number ? 1 : 0;  // "Epoch 0/24" to "Epoch 24/24"
  epochs.around = *all + one_more;
  r.run.max_iterations = product_or_zero(*epochs.around, steps);
  r.training.endless = false;
}

bool is_planned_for_each(const RunTrack& r, const Event& event) {
  const auto of = positive_of(event, Field::max_iter), done = count_of(event, Field::iteration);
  const std::int64_t all = r.run.max_iterations.value_or(0);
  const bool anew =
      event.text(Field::since) == "epoch" && !event.has(Field::elapsed) && !r.epochs.announced_of;
  return anew && !r.progressed() && event.has(Field::loss) && of && done && *done <= *of && *of < all &&
         all % *of == 0;
}

bool ends_bar(const Event& event, const Anchor& here) {
  const bool by_batches = event.has(Field::batch);
  return here.epoch && count_of(event, by_batches ? Field::batch : Field::iteration) ==
                           positive_of(event, by_batches ? Field::batches : Field::max_iter);
}

// The line is of no training: its bar has but begun, or is one that moves amid such a bar. Bars of few may count epochs
// around those of their steps, and stand until the first of them is full; what shows a loss, trains. Nobody trains for ten
// thousand epochs that have bars of their own.
bool Windows::stands_by_bar(const Event& event) {
  constexpr std::int64_t kFew = 100, kMoreThanEpochs = 10000;
  auto& standing = state_.standing;
  const bool beside = event.text(Field::key) == "beside";
  if (!beside && !standing) return false;
  const auto of = positive_of(event, Field::max_iter), iteration = count_of(event, Field::iteration);
  const bool of_epochs = event.text(Field::since) == "epoch";  // each may have a bar
  if (!of || !iteration || event.has(Field::loss)) {
    standing.reset();
  } else if (*iteration > 0) {
    const bool shorter = standing && standing->of >= kMoreThanEpochs && *of < standing->of;
    if (shorter && !standing->amid && !all_.runs.under_way()) standing->amid = of;
    if (!beside && standing->amid == of) {
      standing->waited = std::max(standing->waited, event.number(Field::elapsed).value_or(0));
      return true;
    }
    if (!beside || (standing && standing->of == *of)) standing.reset();
  } else if (all_.runs.under_way()) {
    standing.reset();
  } else if (standing && standing->of == *of) {
    standing->waited = std::max(standing->waited, event.number(Field::elapsed).value_or(0));
  } else if (standing && (standing->evaluates || (standing->of > kFew && !of_epochs))) {
    standing->amid = of;
  } else {
    standing = StandingBar{*of, 0, false, {}};
  }
  return beside;
}

// Nothing more comes that would show whether they rushed.
void Windows::end_doubt(RunTrack& r, Records& out) {
  if (const auto first = std::exchange(r.training.doubtful, {})) all_.runs.add_segment(r, *first, out);
}

// Bars that are wiped when they are full (leave=False) end with the state before. They count seconds from their beginning,
// of which half a one, on average, is not shown. From a later state on the roundings of both are as likely too much as too
// little: what lies between is measured where they are a small part of it.
void Windows::end_bar(RunTrack& r, Records& out) {
  const auto last = std::exchange(r.window.last_state, {});
  if (!last || !r.window.from || !r.window.from->elapsed) return;
  constexpr double kUnshown = 0.5, kMostError = 0.05, kMostBetween = 0.1;
  const Anchor from = *r.window.from;
  const bool all = *from.elapsed <= 0;
  const double took = *last->elapsed - *from.elapsed + (all ? kUnshown : 0);
  const double rounding = from.error + last->error;  // of means it grows with the steps that they are of
  const bool drowns = all ? kUnshown > kMostError * took : last->steps > 0 || rounding > kMostBetween * took;
  if (drowns || last->iteration <= from.iteration) return;
  all_.tests.release(r, out);
  Segment window{
      Phase::train,       from.iteration, last->iteration - from.iteration, all_.values.train_samples(r),
      from_seconds(took), from.at};
  give_window(r, window, out);
  r.window.from = last;  // from where it may go on after all
}

std::optional<std::int64_t> reached_by_lines(const RunTrack& r) {
  const std::int64_t behind = r.training.beside_bar.steps_behind();
  if (!r.run.iteration) return {};
  if (behind <= 0) {
    const std::int64_t further = r.training.shown_beside - *r.run.iteration;
    return *r.run.iteration + (further <= r.training.stride ? std::max<std::int64_t>(further, 0) : 0);
  }
  const std::int64_t at = *r.run.iteration + behind;
  return std::max(*r.run.iteration, std::min(at, r.run.max_iterations.value_or(at)));
}

namespace {

// Far longer than the steps from one state to the next take: a bar that is drawn once more before it counts on does not
// wait so long.
bool is_no_step(const RunTrack& r, Duration waited) {
  constexpr double kFar = 2, kLeast = 5;
  const PhaseSummary& before = r.run.train;
  const double steps = kFar * static_cast<double>(std::max<std::int64_t>(r.training.stride, 1));
  return before.iterations > 0 && to_seconds(waited) >= kLeast &&
         to_seconds(waited) * static_cast<double>(before.iterations) > steps * to_seconds(before.duration);
}

}  // namespace

void see_wait(RunTrack& r, const Event& event, const Anchor& here) {
  if (!here.elapsed && !r.training.last_elapsed) return;  // as where lines show no time so far
  const auto before = std::exchange(r.training.last_elapsed, here.elapsed);
  if (r.run.iteration != here.iteration || here.epoch || !before || !here.elapsed) return;
  const auto waited = positive_seconds(*here.elapsed - *before);
  if (!waited) return;
  if (!r.window.other_bar && (!event.has(Field::max_iter) || !is_no_step(r, *waited))) return;
  add_bounded(r.window.waited, *waited);
  r.training.shows_waits = r.training.shows_waits || r.window.other_bar;
}

// Another one has begun where the bar is another's, or counts from its beginning again: what the one before it had is over.
void TestsOfBar::see_test(std::int64_t at, std::int64_t out_of, std::optional<double> seconds_of_test) {
  if (!epoch || batch >= batches) return;
  if (of > 0 && (of != out_of || at < done)) {
    passed = clamped_sum(passed, of);
    batch = clamped_sum(batch, of);
    seconds += took;
    elapsed += took;
    of = 0;
  }
  if (of == 0) took = 0;
  of = out_of;
  done = at;
  took = seconds_of_test.value_or(took);
}

std::optional<TestsOfBar::Own> TestsOfBar::own_of(std::int64_t number, const Own& shown) {
  const bool next = epoch != number;
  const std::int64_t further = shown.batch - batch;
  if (!next && of > 0 && further < of) return {};
  if (of > 0) {
    const double waited = shown.elapsed - elapsed;
    if (!next && further == of)
      seconds += waited;
    else if (!next)
      seconds +=
          std::min(waited, took > 0 ? took : waited * static_cast<double>(of) / static_cast<double>(further));
    passed = clamped_sum(passed, of);
    of = done = 0;
  }
  if (passed > in_bar(batches)) {
    bar_of = batches;
    all = passed;
  }
  if (next) {
    passed = 0;
    seconds = 0;
  }
  epoch = number;
  batch = shown.batch;
  batches = shown.batches;
  elapsed = shown.elapsed;
  const Own own{batch - passed, batches - in_bar(batches), elapsed - seconds};
  return 0 < own.batch && own.batch <= own.batches && own.elapsed >= 0 ? own : shown;
}

namespace {

// Each epoch has fewer steps than its bar had said so far.
void shorten_epochs(RunTrack& r, std::int64_t said, std::int64_t own) {
  EpochCount& epochs = r.epochs;
  if (said <= own || epochs.steps != said) return;
  const std::int64_t last = epochs.line.epoch.value_or(0);
  const std::int64_t fewer = epochs.done_before(last, said) - epochs.done_before(last, own);
  epochs.steps = own;
  if (r.run.iteration) *r.run.iteration -= fewer;
  if (r.window.from) r.window.from->iteration -= fewer;
  if (r.window.last_state) r.window.last_state->iteration -= fewer;
  if (auto& plan = r.run.max_iterations; plan && *plan % said == 0) plan = *plan / said * own;
}

std::string written(double seconds) {
  const double whole = std::round(seconds);
  return seconds == whole ? std::to_string(static_cast<std::int64_t>(whole)) : std::to_string(seconds);
}

}  // namespace

BarWithoutTests::BarWithoutTests(RunTrack& r, const Event& shown) : event_(shown) {
  TestsOfBar& tests = *r.training.tests_of_bar;
  const bool whole = shown.kind == EventKind::epoch;  // with the time of all its steps
  const Field of = whole ? Field::iterations : Field::batches;
  const Field time = whole ? Field::seconds : Field::elapsed;
  const auto batches = positive_of(shown, of);
  if (!batches) return;
  if (shown.text(Field::phase) == name_of(Phase::test)) {
    tests.see_test(count_of(shown, Field::batch).value_or(*batches), *batches, shown.number(time));
    return;
  }
  const auto epoch = count_of(shown, Field::epoch), batch = whole ? batches : count_of(shown, Field::batch);
  const auto elapsed = shown.number(time);
  if (!epoch || !batch || !elapsed) return;
  const std::int64_t said = *batches - tests.in_bar(*batches);
  const auto own = tests.own_of(*epoch, {*batch, *batches, *elapsed});
  amid_test_ = !own;
  if (!own) return;
  shorten_epochs(r, said, own->batches);
  if (own->batch != *batch || own->batches != *batches) tell(whole ? of : Field::batch, of, time, *own);
}

void BarWithoutTests::tell(Field done, Field of, Field time, const TestsOfBar::Own& own) {
  done_ = std::to_string(done == of ? own.batches : own.batch);
  of_ = std::to_string(own.batches);
  time_ = written(own.elapsed);
  event_ = event_.without({Field::rate}).with(done, done_).with(of, of_).with(time, time_);
}

}  // namespace etad::track
