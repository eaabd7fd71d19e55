#include "parsers/log/step_times.h"

#include <algorithm>
#include <utility>

#include "parsers/training/line_numbers.h"

namespace etad {
namespace {

std::optional<std::int64_t> steps_of_epoch(const Event& event) {
  return positive_of(event, event.has(Field::batches) ? Field::batches : Field::max_iter);
}

// The first step takes longer than those behind it, as a rule. Where it took much less than two lines further on say, of
// which the later one says no more, as it would if it counted from the beginning, those are of many steps.
void see_beside_first(StepTimesState& steps, std::int64_t apart, double seconds) {
  constexpr std::int64_t kMany = 10;
  constexpr double kMuch = 10;
  const double first = steps.of_first_step.value_or(0);
  if (steps.meaning == StepTimesState::Meaning::open && apart >= kMany && first > 0 &&
      seconds >= kMuch * first && seconds <= *steps.took)
    steps.meaning = StepTimesState::Meaning::span;
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
    see_beside_first(steps, *apart, seconds);
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

std::optional<std::int64_t> steps_between(std::optional<std::int64_t> last_epoch,
                                          std::optional<std::int64_t> last_step, const Event& event,
                                          std::optional<std::int64_t> epoch,
                                          std::optional<std::int64_t> step) {
  if (!step || !last_step) return {};
  if (*step > *last_step) return *step - *last_step;
  const bool next = epoch && last_epoch ? *epoch == *last_epoch + 1 : epoch == last_epoch;
  const auto all = steps_of_epoch(event);
  if (!next || !all || *last_step > *all || *step > *all) return {};
  return *all - *last_step + *step;
}

void see_step_time(StepTimesState& steps, const Event& event, std::optional<std::int64_t> epoch,
                   std::optional<std::int64_t> step, double seconds) {
  const auto apart = steps_between(steps.epoch, steps.step, event, epoch, step);
  if (!steps.step && step && *step <= 1) steps.of_first_step = seconds;
  compare(steps, apart, seconds);
  see_epoch(steps, epoch, step, seconds);
  if (epoch != steps.epoch) {
    steps.lines = 0;
    steps.sum = 0;
  }
  ++steps.lines;
  steps.sum += seconds;
  steps.of = steps_of_epoch(event).value_or(0);
  steps.epoch = epoch;
  steps.step = step;
  steps.apart = apart;
  steps.took = seconds;
}

// It is about what its steps come to.
double see_epoch_time(StepTimesState& steps, double seconds) {
  constexpr double kFarApart = 4, kFewest = 3, kNearly = 0.8, kMuchLess = 0.5;
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

}  // namespace etad
