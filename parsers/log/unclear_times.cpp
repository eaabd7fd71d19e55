#include "parsers/log/unclear_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "parsers/log/stamped_times.h"
#include "parsers/log/step_times.h"
#include "parsers/log/time_to_come.h"
#include "parsers/training/line_numbers.h"

namespace etad {
namespace {

using Meaning = UnclearTimesState::Meaning;

constexpr std::size_t kLongestTold = 64;  // bytes

// An epoch's line that is not (yet) measured by its time says how far the run has come, where no lines count its steps.
void make_progress(Event& event, bool counts_steps) {
  event.kind = counts_steps ? EventKind::none : EventKind::progress;
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

// A log that begins amid a training does not show the first epochs.
bool begins_amid(std::optional<std::int64_t> epoch) {
  constexpr std::int64_t kFirstOnes = 3;
  return epoch && *epoch > kFirstOnes;
}

// There a time counts from the beginning where each epoch adds what those before it took, each, by their number (which may
// count from 0 or from 1).
bool grew_evenly(double seconds, double before, std::int64_t epochs, std::int64_t done) {
  constexpr double kOff = 0.2;
  const double each = (seconds - before) / static_cast<double>(epochs);
  return each >= (1 - kOff) * before / static_cast<double>(done + 1) &&
         each <= (1 + kOff) * before / static_cast<double>(done);
}

// A time so far that falls back to about what it was at first, where no line numbers its epochs: another training's.
bool falls_back(double seconds, double before, double first) {
  constexpr double kFar = 3, kAbout = 4;
  return kFar * seconds < before && seconds < kAbout * first && first < kAbout * seconds;
}

}  // namespace

void UnclearTimes::begin(std::optional<std::int64_t> epoch, std::optional<std::int64_t> step,
                         double seconds) {
  UnclearTimesState anew;
  anew.steps = state_.steps;
  anew.stamped = state_.stamped;
  anew.to_come = state_.to_come;
  anew.counts_steps = state_.counts_steps;
  state_ = std::move(anew);
  state_.epoch = epoch;
  state_.step = step;
  state_.first = state_.last = seconds;
}

void UnclearTimes::say(Event& event, Field as, double seconds) {
  // With digits enough for a step of a microsecond; not as few as may be, for what is written tells how exact it is.
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.12f", seconds);
  said_ = text.data();
  event.remove(Field::duration);
  event.add(as, 1, said_);
}

void UnclearTimes::take_time_to_come(Event& event) {
  const auto steps = steps_to_come(state_.to_come, event);
  if (!steps) return;
  said_ = std::to_string(steps->units);
  const double each = steps->unit / static_cast<double>(steps->left);
  if (steps->in_epoch || steps->of_last_steps) {
    event.add(Field::seconds, each, said_);
    if (steps->of_last_steps) {
      if (event.text(Field::since) == "epoch") event.remove(Field::since);
    } else if (steps->of == TimeToComeState::Of::epoch && !event.has(Field::since)) {
      event.add(Field::since, 1, "epoch");
    }
  } else {
    event.add(Field::elapsed, each * static_cast<double>(steps->done), said_);
  }
}

// Episodes are what a run counts where no line counts their steps.
void UnclearTimes::take_episode(Event& event) const {
  if (state_.counts_steps) event.kind = EventKind::none;
  event.remove(Field::unit);
}

void UnclearTimes::resolve(Event& event) {
  if (event.text(Field::unit) == "episode") {
    take_episode(event);
  } else if (!state_.counts_steps && event.kind == EventKind::progress) {
    state_.counts_steps = event.text(Field::unit) != name_of(Field::epoch);
  }
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
  state_.told_so_far = event.text(Field::since) == "start";
  if (!shorter) {
    state_.told = kept(Field::duration);
    state_.told_scale = event.find(Field::duration)->scale;
    state_.told_steps = kept(Field::iterations);
    state_.told_rate = kept(Field::rate);
  }
  for (const Field f : {Field::duration, Field::iterations, Field::rate}) event.remove(f);
}

// A bar that came to its end above the line that numbers its epoch, if only by what its validation came to: the epoch's
// time, and its steps. One above a heading was something else's.
void UnclearTimes::resolve_bar(Event& event) {
  if (event.kind == EventKind::epoch && !event.has(Field::duration) && !event.has(Field::iterations)) {
    state_.told.clear();
    return state_.told_steps.clear();
  }
  const auto number = count_of(event, event.kind == EventKind::epoch ? Field::epoch : Field::iteration);
  const bool of_validation = number && event.kind == EventKind::test_result;
  const bool of_epoch =
      event.kind == EventKind::epoch || of_validation ||
      (event.kind == EventKind::progress && event.text(Field::unit) == name_of(Field::epoch));
  if (!of_epoch) return;
  const auto steps = whole_number(state_.told_steps).value_or(0);
  const bool shown_before = of_validation && number == state_.epoch_of_bar;
  if (shown_before || (state_.bar && steps < *state_.bar / 2)) {  // that of a test
    state_.told.clear();
    return state_.told_steps.clear();
  }
  state_.bar = steps;
  state_.epoch_of_bar = number;
  event.kind = EventKind::epoch;
  for (const Field f : {Field::duration, Field::iterations, Field::unit, Field::eta, Field::since})
    event.remove(f);
  event.rename(Field::iteration, Field::epoch);
  event.rename(Field::max_iter, Field::epochs);
  heard_ = std::exchange(state_.told, {});
  steps_ = std::exchange(state_.told_steps, {});
  said_ = std::exchange(state_.told_rate, {});
  event.add(Field::seconds, state_.told_scale, heard_);
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
    heard_ = std::exchange(state_.told, {});
    if (!stated) told = event.add(Field::duration, state_.told_scale, heard_);
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
    resolve_epoch(event, see_epoch_time(state_.steps, *seconds));
  } else {
    resolve_progress(event, *seconds, told);
  }
}

// Whether epochs are stamped many times as far apart as their lines state, twice in a row: the time is in another unit, or
// of something else, and the stamps count.
bool UnclearTimes::is_far_off_stamps(const Event& event, double seconds) {
  constexpr double kMany = 30, kAlike = 2;
  const auto before = std::exchange(state_.epoch_at, event.time);
  const bool known = before && event.time && seconds > 0;
  const double times = known ? to_seconds(*event.time - *before) / seconds : 0;
  const double last = std::exchange(state_.times_stated, times);
  return std::min(times, last) >= kMany && std::max(times, last) <= kAlike * std::min(times, last);
}

void UnclearTimes::resolve_epoch(Event& event, double seconds) {
  const auto epoch = count_of(event, Field::epoch);
  if (!state_.last || (epoch && state_.epoch && *epoch <= *state_.epoch)) {
    const bool of_all_perhaps = !state_.last && begins_amid(epoch);
    begin(epoch, {}, seconds);
    state_.epoch_at = event.time;
    return of_all_perhaps ? make_progress(event, state_.counts_steps) : say(event, Field::seconds, seconds);
  }
  const double before = *state_.last;
  if (state_.meaning == Meaning::elapsed && !epoch && falls_back(seconds, before, state_.first.value_or(0))) {
    begin(epoch, {}, seconds);
    state_.epoch_at = event.time;
    state_.meaning = Meaning::elapsed;
    return say(event, Field::seconds, seconds);
  }
  const bool next = !epoch || !state_.epoch || *epoch == *state_.epoch + 1;
  const bool evenly = epoch && begins_amid(state_.epoch) &&
                      grew_evenly(seconds, before, *epoch - *state_.epoch, *state_.epoch);
  const bool more = evenly || grew(seconds, before, state_.first.value_or(0));
  state_.last = seconds;
  state_.epoch = epoch;
  if (state_.meaning == Meaning::grown) state_.meaning = more ? Meaning::elapsed : Meaning::own;
  if (state_.meaning == Meaning::open) {
    state_.meaning = more ? Meaning::grown : Meaning::own;
    if (more) return make_progress(event, state_.counts_steps);
  }
  if (state_.meaning == Meaning::elapsed && next && seconds < before)
    state_.meaning = Meaning::own;  // it was by chance
  const double took = state_.meaning == Meaning::own ? seconds : seconds - before;
  if (is_far_off_stamps(event, took)) return make_progress(event, state_.counts_steps);
  if (state_.meaning == Meaning::own) return say(event, Field::seconds, seconds);
  if (next && seconds > before) return say(event, Field::seconds, seconds - before);
  make_progress(event, state_.counts_steps);
  if (seconds > before) say(event, Field::elapsed, seconds);
}

// Takes the time where lines that are unequally far apart have shown what it is of.
bool UnclearTimes::take_step_time(Event& event, std::optional<std::int64_t> epoch,
                                  std::optional<std::int64_t> step, double seconds) {
  StepTimesState& steps = state_.steps;
  see_step_time(steps, event, epoch, step, seconds);
  if (steps.meaning == StepTimesState::Meaning::open) return false;
  if (steps.meaning == StepTimesState::Meaning::step) {
    event.rename(Field::duration, Field::seconds);
  } else if (steps.apart) {
    steps_ = std::to_string(*steps.apart);
    event.remove(Field::iterations);
    event.rename(Field::duration, Field::lapse);
    event.add(Field::iterations, 1, steps_);
  } else {
    event.remove(Field::duration);
  }
  return true;
}

// What the time of a line of progress is of, as far as it shows beside the one before it. `told`: on a line of its own.
void UnclearTimes::see_progress_time(double seconds, bool told, bool same_epoch, bool one_step) {
  constexpr std::int64_t kRises = 6, kSteepRises = 3;
  constexpr double kSteep = 1.5;
  if (state_.meaning == Meaning::open && seconds > *state_.last) {
    ++state_.rises;
    const bool steep = state_.rises >= kSteepRises && seconds >= kSteep * *state_.first;
    if (steep || state_.rises >= kRises) state_.meaning = Meaning::elapsed;
  } else if (seconds < *state_.last) {
    if (state_.meaning == Meaning::open && same_epoch)
      state_.meaning = told && !state_.told_so_far ? Meaning::interval
                       : one_step && !told         ? Meaning::own
                                                   : Meaning::none;
    if (state_.meaning == Meaning::elapsed && same_epoch) {  // it grew by chance
      state_.meaning = Meaning::none;
      state_.steps = {};
    }
    state_.rises = 0;
    state_.first = seconds;  // counted from the epoch's beginning, perhaps
  }
}

// As what it is known to be, or not at all.
void UnclearTimes::say_progress_time(Event& event, double seconds, bool told, bool one_step,
                                     std::int64_t since_last) {
  if (state_.meaning == Meaning::elapsed) {
    event.rename(Field::duration, Field::elapsed);
  } else if (state_.meaning == Meaning::own && one_step) {
    event.rename(Field::duration, Field::seconds);
  } else if (state_.meaning == Meaning::interval && told && since_last > 0) {
    event.kind = EventKind::step_time;
    for (const Field f : {Field::iterations, Field::since}) event.remove(f);
    say(event, Field::seconds, seconds / static_cast<double>(since_last));
    steps_ = std::to_string(since_last);
    event.add(Field::iterations, 1, steps_);
  } else {
    event.remove(Field::duration);
  }
}

void UnclearTimes::resolve_progress(Event& event, double seconds, bool told) {
  const auto epoch = count_of(event, Field::epoch);
  const auto step =
      event.has(Field::iteration) ? count_of(event, Field::iteration) : count_of(event, Field::batch);
  if (event.time) {  // the stamps say it, but where something else lay between them
    const auto each = step_time_beside_stamps(state_.stamped, event, epoch, step, seconds);
    return each ? say(event, Field::seconds, *each) : event.remove(Field::duration);
  }
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
  see_progress_time(seconds, told, same_epoch, one_step);
  state_.last = seconds;
  state_.epoch = epoch;
  state_.step = step;
  say_progress_time(event, seconds, told, one_step, since_last);
}

}  // namespace etad
