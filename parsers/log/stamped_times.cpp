#include "parsers/log/stamped_times.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "parsers/training/line_numbers.h"

namespace etad {
namespace {

// Stamps may count whole seconds.
bool is_about(double stated, double stamped) {
  return std::abs(stated - stamped) <= 1 + 0.1 * stamped;
}

// The one thing that the time can be of; nullopt: none or several.
std::optional<StampedTimesState::Of> what_fits(double seconds, double before, double steps, double stamped) {
  using Of = StampedTimesState::Of;
  std::optional<Of> out;
  const auto consider = [&](Of of, double stated) {
    if (!is_about(stated, stamped)) return true;
    return !std::exchange(out, of);
  };
  const bool clear = consider(Of::step, steps * seconds) && (steps <= 1 || consider(Of::span, seconds)) &&
                     consider(Of::beginning, seconds - before);
  return clear ? out : std::nullopt;
}

}  // namespace

std::optional<double> step_time_beside_stamps(StampedTimesState& state, Instant at,
                                              std::optional<std::int64_t> epoch,
                                              std::optional<std::int64_t> step, double seconds) {
  constexpr std::int64_t kEnoughLines = 3, kMostLines = 8;
  constexpr double kMuchMore = 1.5;
  const auto last = std::exchange(state.last, StampedTime{at, epoch, step, seconds});
  if (!last || last->epoch != epoch || !step || !last->step || *step <= *last->step) return {};
  const auto steps = static_cast<double>(*step - *last->step);
  const double stamped = to_seconds(between(last->at, at));
  const auto of = what_fits(seconds, last->seconds, steps, stamped);
  if (of && state.lines == 0) state.of = *of;
  state.lines = std::clamp<std::int64_t>(state.lines + (of == state.of ? 1 : -1), 0, kMostLines);
  if (state.lines < kEnoughLines || state.of == StampedTimesState::Of::beginning) return {};
  const double took = state.of == StampedTimesState::Of::step ? steps * seconds : seconds;
  if (stamped <= kMuchMore * took + 1) return {};
  return took / steps;
}

}  // namespace etad
