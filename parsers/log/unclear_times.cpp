#include "parsers/log/unclear_times.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "parsers/training/line_numbers.h"

namespace etad {
namespace {

using Meaning = UnclearTimesState::Meaning;

constexpr std::size_t kLongestTold = 64;  // bytes

// An epoch's line that is not (yet) measured by its time says how far the run has come.
void make_progress(Event& event) {
  event.kind = EventKind::progress;
  event.remove(Field::duration);
  event.remove(Field::iterations);
  event.rename(Field::epoch, Field::iteration);
  event.rename(Field::epochs, Field::max_iter);
}

// Whether a time has grown by much of the first epoch's, which may have waited for its data: each epoch's own time
// does not, twice in a row.
bool grew(double seconds, double before, double first) {
  constexpr double kMuch = 0.3;
  return first > 0 && seconds - before >= kMuch * first;
}

// Also across the end of an epoch whose number of steps the line tells.
std::optional<std::int64_t> steps_since(const StepTimesState& last, const Event& event,
                                        std::optional<std::int64_t> epoch, std::optional<std::int64_t> step) {
  if (!step || !last.step) return {};
  if (*step > *last.step) return *step - *last.step;
  const bool next = epoch && last.epoch ? *epoch == *last.epoch + 1 : epoch == last.epoch;
  const auto all = positive_of(event, event.has(Field::batches) ? Field::batches : Field::max_iter);
  if (!next || !all || *last.step > *all || *step > *all) return {};
  return *all - *last.step + *step;
}

// Two lines in a row that are as far from those before them and say as long, and one that is at most half as far or
// at least twice as far: a step's own time is the same there, that of all steps is not.
void compare(StepTimesState& steps, std::optional<std::int64_t> apart, double seconds) {
  const auto alike = [](double a, double b) { return a < 1.2 * b && b < 1.2 * a; };
  if (!apart || *apart <= 0) return;
  if (steps.meaning == StepTimesState::Meaning::open && steps.usual_apart) {
    const double times = static_cast<double>(*apart) / static_cast<double>(*steps.usual_apart);
    if (times <= 0.5 || times >= 2) {
      if (alike(seconds, *steps.usual)) steps.meaning = StepTimesState::Meaning::step;
      if (alike(seconds, times * *steps.usual)) steps.meaning = StepTimesState::Meaning::span;
    }
  }
  if (apart == steps.apart && steps.took && alike(seconds, *steps.took)) {
    steps.usual_apart = apart;
    steps.usual = seconds;
  }
}

// One line for each epoch, of steps that go on from epoch to epoch, says what the epoch took.
void see_epoch(StepTimesState& steps, std::optional<std::int64_t> epoch, std::optional<std::int64_t> step,
               double seconds) {
  constexpr std::int64_t kEpochs = 3;
  constexpr double kAlike = 2;
  const bool next = epoch && steps.epoch && *epoch == *steps.epoch + 1;
  const bool goes_on = step && steps.step && *step > *steps.step + 1;
  const bool alike = steps.took && seconds < kAlike * *steps.took && *steps.took < kAlike * seconds;
  steps.epochs_alone = next && goes_on && alike ? steps.epochs_alone + 1 : 0;
  if (steps.meaning == StepTimesState::Meaning::open && steps.epochs_alone >= kEpochs)
    steps.meaning = StepTimesState::Meaning::span;
}

}  // namespace

void UnclearTimes::begin(std::optional<std::int64_t> epoch, std::optional<std::int64_t> step,
                         double seconds) {
  auto steps = std::move(state_.steps);
  const auto to_come = state_.to_come;
  state_ = {};
  state_.steps = std::move(steps);
  state_.to_come = to_come;
  state_.epoch = epoch;
  state_.step = step;
  state_.first = state_.last = seconds;
}

void UnclearTimes::say(Event& event, Field as, double seconds) {
  said_ = std::to_string(seconds);
  event.remove(Field::duration);
  event.add(as, 1, said_);
}

// Of several epochs, what the first three tenths of one show.
TimeToComeState::Of UnclearTimes::time_to_come_of(const Event& event, double seconds) {
  using Of = TimeToComeState::Of;
  const auto epoch = count_of(event, Field::epoch), batch = count_of(event, Field::batch);
  const bool several = positive_of(event, Field::epochs).value_or(1) > 1 && epoch && batch;
  if (!several || event.text(Field::since) == "epoch") return Of::epoch;
  TimeToComeState& known = state_.to_come;
  if (!known.first) known.first = epoch;
  if (known.of != Of::open) return known.of;
  if (known.epoch != epoch || *batch < known.batch) {
    known.epoch = epoch;
    known.batch = batch;
    known.seconds = seconds;
    return Of::open;
  }
  constexpr double kShown = 0.7;
  const auto all = static_cast<double>(positive_of(event, Field::batches).value_or(0));
  const double left = (all - static_cast<double>(*batch)) / (all - static_cast<double>(*known.batch));
  if (left > kShown) return Of::open;
  known.of = seconds > (1 + left) / 2 * known.seconds ? Of::all : Of::epoch;
  return known.of;
}

// One that rounding may have taken more than a fiftieth from says next to nothing.
void UnclearTimes::take_time_to_come(Event& event) {
  constexpr double kMostError = 0.02;
  if (!event.has(Field::eta) || event.time || event.kind != EventKind::progress) return;
  for (const Field f : {Field::seconds, Field::lapse, Field::elapsed, Field::rate, Field::samples_per_second})
    if (event.has(f)) return;
  const bool in_epoch = event.has(Field::batches) && !event.has(Field::max_iter);
  auto done = count_of(event, in_epoch ? Field::batch : Field::iteration);
  auto all = positive_of(event, in_epoch ? Field::batches : Field::max_iter);
  const auto left = rounded(event, Field::eta);
  if (!done || *done == 0 || !all || *done >= *all || !left || left->first <= 0) return;
  const auto of = in_epoch ? time_to_come_of(event, left->first) : TimeToComeState::Of::epoch;
  if (of == TimeToComeState::Of::open) return;
  if (left->second <= 0 || left->second > kMostError * left->first) return;
  if (of == TimeToComeState::Of::all) {
    const std::int64_t before = *count_of(event, Field::epoch) - (state_.to_come.first == 0 ? 0 : 1);
    *done += product(std::max<std::int64_t>(before, 0), *all);
    *all = product(*all, *positive_of(event, Field::epochs));
    if (*done >= *all) return;
  }
  // A whole number of what it was rounded to, so that its rounding is known of what is worked out as well.
  const double unit = 2 * left->second;
  said_ = std::to_string(std::llround(left->first / unit));
  const double each = unit / static_cast<double>(*all - *done);
  if (in_epoch) {
    event.add(Field::seconds, each, said_);
    if (of == TimeToComeState::Of::epoch && !event.has(Field::since)) event.add(Field::since, 1, "epoch");
  } else {
    event.add(Field::elapsed, each * static_cast<double>(*done), said_);
  }
}

void UnclearTimes::resolve(Event& event) {
  resolve_duration(event);
  take_time_to_come(event);
}

// A time on a line of its own. Of several bars the one that took longest was the training's, and the others tests.
void UnclearTimes::hear(Event& event) {
  const auto kept = [&event](Field f) { return std::string(event.text(f).substr(0, kLongestTold)); };
  Event before;
  before.add(Field::duration, state_.told_scale, state_.told);
  const bool shorter = event.has(Field::iterations) && !state_.told_steps.empty() &&
                       event.number(Field::duration) < before.number(Field::duration);
  if (!shorter) {
    state_.told = kept(Field::duration);
    state_.told_scale = event.find(Field::duration)->scale;
    state_.told_steps = kept(Field::iterations);
    state_.told_rate = kept(Field::rate);
  }
  for (const Field f : {Field::duration, Field::iterations, Field::rate}) event.remove(f);
}

// A bar that came to its end above the line that numbers its epoch: the epoch's time, and its steps. One above a heading
// was something else's.
void UnclearTimes::resolve_bar(Event& event) {
  if (event.kind == EventKind::epoch && !event.has(Field::duration) && !event.has(Field::iterations)) {
    state_.told.clear();
    return state_.told_steps.clear();
  }
  const bool of_epoch = event.kind == EventKind::epoch || (event.kind == EventKind::progress &&
                                                           event.text(Field::unit) == name_of(Field::epoch));
  if (!of_epoch) return;
  event.kind = EventKind::epoch;
  for (const Field f : {Field::duration, Field::iterations, Field::unit, Field::eta}) event.remove(f);
  event.rename(Field::iteration, Field::epoch);
  event.rename(Field::max_iter, Field::epochs);
  told_ = std::exchange(state_.told, {});
  steps_ = std::exchange(state_.told_steps, {});
  said_ = std::exchange(state_.told_rate, {});
  event.add(Field::seconds, state_.told_scale, told_);
  event.add(Field::iterations, 1, steps_);
  if (!said_.empty()) event.add(Field::rate, 1, said_);
}

void UnclearTimes::resolve_duration(Event& event) {
  const FieldValue* stated = event.find(Field::duration);
  if (!stated && state_.told.empty()) return;  // nearly all
  if (event.kind == EventKind::setting && stated) return hear(event);
  if (!state_.told_steps.empty()) return resolve_bar(event);
  const bool counts = event.kind == EventKind::progress || event.kind == EventKind::epoch;
  if (!counts) return event.remove(Field::duration);
  if (event.kind == EventKind::epoch && !stated && !event.has(Field::iterations)) return;  // it begins
  bool told = false;
  if (!state_.told.empty()) {
    told_ = std::exchange(state_.told, {});
    if (!stated) told = event.add(Field::duration, state_.told_scale, told_);
  }
  const auto seconds = event.number(Field::duration);
  if (!seconds || !std::isfinite(*seconds) || *seconds < 0) {
    event.remove(Field::duration);
    return;
  }
  const bool measured = event.has(Field::seconds) || event.has(Field::lapse) || event.has(Field::elapsed) ||
                        event.has(Field::rate);
  if (measured) return event.remove(Field::duration);
  if (event.kind == EventKind::epoch) {
    resolve_epoch(event, weigh_epoch(*seconds));
  } else {
    resolve_progress(event, *seconds, told);
  }
}

// An epoch's own time tells what those of its steps are of: it is about what they come to, and more, where it holds a
// validation. That is not in what is given back.
double UnclearTimes::weigh_epoch(double seconds) {
  constexpr double kFarApart = 4, kFewest = 3, kNearly = 0.8, kMuchLess = 0.5;
  StepTimesState& steps = state_.steps;
  const auto lines = static_cast<double>(std::exchange(steps.lines, 0));
  const auto apart = static_cast<double>(steps.usual_apart.value_or(0));
  const auto all = static_cast<double>(steps.of);
  const double sum = std::exchange(steps.sum, 0.0);
  if (apart < kFarApart || lines < kFewest) return seconds;
  if (all < apart * (lines - 1) || all > apart * (lines + 1)) return seconds;
  const double by_step = sum / lines * all, by_span = by_step / apart;
  if (by_step <= 0 || seconds < kNearly * by_span) return seconds;
  using Of = StepTimesState::Meaning;
  if (steps.meaning == Of::open && seconds >= kNearly * by_step) steps.meaning = Of::step;
  if (steps.meaning == Of::open && seconds <= kMuchLess * by_step) steps.meaning = Of::span;
  if (steps.meaning == Of::open) return seconds;
  return std::min(seconds, steps.meaning == Of::step ? by_step : by_span);
}

void UnclearTimes::resolve_epoch(Event& event, double seconds) {
  const auto epoch = count_of(event, Field::epoch);
  if (!state_.last || (epoch && state_.epoch && *epoch <= *state_.epoch)) {
    begin(epoch, {}, seconds);
    return say(event, Field::seconds, seconds);
  }
  const double before = *state_.last;
  const bool next = !epoch || !state_.epoch || *epoch == *state_.epoch + 1;
  const bool more = grew(seconds, before, state_.first.value_or(0));
  state_.last = seconds;
  state_.epoch = epoch;
  if (state_.meaning == Meaning::grown) state_.meaning = more ? Meaning::elapsed : Meaning::own;
  if (state_.meaning == Meaning::open) {
    state_.meaning = more ? Meaning::grown : Meaning::own;
    if (more) return make_progress(event);
  }
  if (state_.meaning == Meaning::elapsed && next && seconds < before)
    state_.meaning = Meaning::own;  // it was by chance
  if (state_.meaning == Meaning::own) return say(event, Field::seconds, seconds);
  if (next && seconds > before) return say(event, Field::seconds, seconds - before);
  make_progress(event);
  if (seconds > before) say(event, Field::elapsed, seconds);
}

// Takes the time where lines that are unequally far apart have shown what it is of.
bool UnclearTimes::take_step_time(Event& event, std::optional<std::int64_t> epoch,
                                  std::optional<std::int64_t> step, double seconds) {
  StepTimesState& steps = state_.steps;
  const auto apart = steps_since(steps, event, epoch, step);
  compare(steps, apart, seconds);
  see_epoch(steps, epoch, step, seconds);
  if (epoch != steps.epoch) {
    steps.lines = 0;
    steps.sum = 0;
  }
  ++steps.lines;
  steps.sum += seconds;
  steps.of = positive_of(event, event.has(Field::batches) ? Field::batches : Field::max_iter).value_or(0);
  steps.epoch = epoch;
  steps.step = step;
  steps.apart = apart;
  steps.took = seconds;
  if (steps.meaning == StepTimesState::Meaning::open) return false;
  if (steps.meaning == StepTimesState::Meaning::step) {
    event.rename(Field::duration, Field::seconds);
  } else if (apart) {
    steps_ = std::to_string(*apart);
    event.remove(Field::iterations);
    event.rename(Field::duration, Field::lapse);
    event.add(Field::iterations, 1, steps_);
  } else {
    event.remove(Field::duration);
  }
  return true;
}

// The time of a line that is stamped says nothing that the stamps do not.
void UnclearTimes::resolve_progress(Event& event, double seconds, bool told) {
  constexpr std::int64_t kRises = 6, kSteepRises = 3;
  constexpr double kSteep = 1.5;
  if (event.time) return event.remove(Field::duration);
  const auto epoch = count_of(event, Field::epoch);
  const auto step =
      event.has(Field::iteration) ? count_of(event, Field::iteration) : count_of(event, Field::batch);
  const bool counts_on = state_.meaning == Meaning::elapsed || state_.meaning == Meaning::interval;
  if (!told && !counts_on && take_step_time(event, epoch, step, seconds)) return;
  const bool again = epoch == state_.epoch && step && state_.step && *step < *state_.step;
  if (!state_.last || again) {
    // Steps that begin again with their time are counted from a beginning as those before them were.
    const bool anew = again && state_.meaning == Meaning::elapsed && seconds < *state_.last;
    begin(epoch, step, seconds);
    if (!anew) return event.remove(Field::duration);
    state_.meaning = Meaning::elapsed;
    return event.rename(Field::duration, Field::elapsed);
  }
  const bool same_epoch = epoch == state_.epoch;
  const bool one_step = same_epoch && step && state_.step && *step == *state_.step + 1;
  const std::int64_t since_last = step && state_.step && !epoch ? *step - *state_.step : 0;
  if (state_.meaning == Meaning::open && seconds > *state_.last) {
    ++state_.rises;
    const bool steep = state_.rises >= kSteepRises && seconds >= kSteep * *state_.first;
    if (steep || state_.rises >= kRises) state_.meaning = Meaning::elapsed;
  } else if (seconds < *state_.last) {
    if (state_.meaning == Meaning::open && same_epoch)
      state_.meaning = told ? Meaning::interval : one_step ? Meaning::own : Meaning::none;
    state_.rises = 0;
    state_.first = seconds;  // counted from the epoch's beginning, perhaps
  }
  state_.last = seconds;
  state_.epoch = epoch;
  state_.step = step;
  if (state_.meaning == Meaning::elapsed) {
    event.rename(Field::duration, Field::elapsed);
  } else if (state_.meaning == Meaning::own && one_step) {
    event.rename(Field::duration, Field::seconds);
  } else if (state_.meaning == Meaning::interval && told && since_last > 0) {
    event.kind = EventKind::step_time;
    event.remove(Field::iterations);
    say(event, Field::seconds, seconds / static_cast<double>(since_last));
    steps_ = std::to_string(since_last);
    event.add(Field::iterations, 1, steps_);
  } else {
    event.remove(Field::duration);
  }
}

}  // namespace etad
