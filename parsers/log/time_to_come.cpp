#include "parsers/log/time_to_come.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "parsers/training/line_numbers.h"

namespace etad {
namespace {

using Of = TimeToComeState::Of;

bool says_another_time(const Event& event) {
  constexpr std::array kTimes = {Field::seconds, Field::lapse, Field::elapsed, Field::rate,
                                 Field::samples_per_second};
  return event.time || std::ranges::any_of(kTimes, [&event](Field f) { return event.has(f); });
}

// Of several epochs, what the first three tenths of one show.
Of of_what(TimeToComeState& known, const Event& event, double seconds) {
  const auto epoch = count_of(event, Field::epoch), batch = count_of(event, Field::batch);
  const bool several = positive_of(event, Field::epochs).value_or(1) > 1 && epoch && batch;
  if (!several || event.text(Field::since) == "epoch") return Of::epoch;
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

// All steps so far took less than some of them before: what they take each is no mean of all. The rounding of either
// time may be all of the difference.
bool shows_last_steps(TimeToComeState& known, std::int64_t done, double spent, double error) {
  const bool goes_on = done > known.done && known.done > 0;
  if (goes_on && spent + 2 * error < known.spent) known.of_last_steps = true;
  known.done = done;
  known.spent = spent;
  return known.of_last_steps;
}

// The time to come has come down. From its first steps, which set up, it was thought to be longer than it is: what came
// down much faster before does not count.
void come_down(TimeToComeState::Coarse& known, std::int64_t done, std::int64_t units) {
  constexpr double kMuchSlower = 1.5;
  const auto steps_a_unit = [](std::int64_t steps, std::int64_t by) {
    return static_cast<double>(steps) / static_cast<double>(by);
  };
  known.least = units;
  if (known.first_done == 0) {
    known.first_done = done;
    known.first_units = units;
    return;
  }
  if (known.last_done > 0 && steps_a_unit(done - known.last_done, known.last_units - units) >
                                 kMuchSlower * steps_a_unit(known.last_done - known.first_done,
                                                            known.first_units - known.last_units)) {
    known.first_done = known.last_done;
    known.first_units = known.last_units;
  }
  known.last_done = done;
  known.last_units = units;
}

// Steps and the units that it came down by while they were done, once either are enough. 0 of them: not yet.
std::pair<std::int64_t, std::int64_t> came_down(TimeToComeState::Coarse& known, std::int64_t done,
                                                std::int64_t units) {
  constexpr double kMostError = 0.04;
  const std::int64_t stride = done - known.done;
  if (known.done == 0 || stride <= 0) {
    known = {};
    known.least = units;
  } else if (units < known.least) {
    come_down(known, done, units);
  }
  known.done = done;
  if (known.last_done == 0) return {};
  const std::int64_t steps = known.last_done - known.first_done, by = known.first_units - known.last_units;
  const double error =
      std::min(1.0 / static_cast<double>(by), static_cast<double>(stride) / static_cast<double>(steps));
  return error <= kMostError ? std::pair{steps, by} : std::pair<std::int64_t, std::int64_t>{};
}

}  // namespace

// One that rounding may have taken more than a fiftieth from says next to nothing by itself, but where it comes down.
std::optional<StepsToCome> steps_to_come(TimeToComeState& state, const Event& event) {
  constexpr double kMostError = 0.02;
  if (!event.has(Field::eta) || event.kind != EventKind::progress || says_another_time(event)) return {};
  const bool in_epoch = event.has(Field::batches) && !event.has(Field::max_iter);
  auto done = count_of(event, in_epoch ? Field::batch : Field::iteration);
  auto all = positive_of(event, in_epoch ? Field::batches : Field::max_iter);
  const auto left = rounded(event, Field::eta);
  if (!done || *done == 0 || !all || *done >= *all || !left || left->second <= 0) return {};
  const Of of = in_epoch ? of_what(state, event, left->first) : Of::epoch;
  if (of == Of::open) return {};
  if (of == Of::all) {
    const std::int64_t before = *count_of(event, Field::epoch) - (state.first == 0 ? 0 : 1);
    *done += product_or_zero(std::max<std::int64_t>(before, 0), *all);
    *all = product_or_zero(*all, *positive_of(event, Field::epochs));
    if (*done >= *all) return {};
  }
  const double unit = 2 * left->second;
  const std::int64_t units = std::llround(left->first / unit);
  if (left->second > kMostError * left->first) {
    const auto [steps, by] = came_down(state.coarse, *done, units);
    if (steps == 0) return {};
    return StepsToCome{of, in_epoch, *done, steps, by, unit, true};
  }
  const double times = static_cast<double>(*done) / static_cast<double>(*all - *done);
  const bool of_last = shows_last_steps(state, *done, times * left->first, times * left->second);
  return StepsToCome{of, in_epoch, *done, *all - *done, units, unit, of_last};
}

}  // namespace etad
