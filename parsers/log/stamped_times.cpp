#include "parsers/log/stamped_times.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "parsers/log/step_times.h"
#include "parsers/training/line_numbers.h"

namespace etad {
namespace {

// By how much stamps may be off: those that count whole seconds, and those that count them finely.
double rounding(Instant from, Instant to) {
  const auto whole = [](Instant at) {
    return at.time_since_epoch() % std::chrono::seconds(1) == Duration::zero();
  };
  return whole(from) && whole(to) ? 1 : 0.05;
}

bool is_about(double stated, double stamped, double off) {
  return std::abs(stated - stamped) <= off + 0.25 * stamped;
}

// The one thing that the time can be of; nullopt: none or several.
std::optional<StampedTimesState::Of> what_fits(double seconds, double before, double steps, double stamped,
                                               double off) {
  using Of = StampedTimesState::Of;
  Of last{};
  int fit = 0;
  const auto consider = [&](Of of, double stated) {
    if (!is_about(stated, stamped, off)) return;
    last = of;
    ++fit;
  };
  consider(Of::step, steps * seconds);
  if (steps > 1) consider(Of::span, seconds);
  consider(Of::beginning, seconds - before);
  return fit == 1 ? std::optional(last) : std::nullopt;
}

}  // namespace

std::optional<double> step_time_beside_stamps(StampedTimesState& state, const Event& event,
                                              std::optional<std::int64_t> epoch,
                                              std::optional<std::int64_t> step, double seconds) {
  constexpr std::int64_t kEnoughLines = 3, kMostLines = 8;
  constexpr double kMore = 1.2;
  const Instant at = *event.time;
  const auto last = std::exchange(state.last, StampedTime{at, epoch, step, seconds});
  if (!last || (epoch != last->epoch && !event.has(Field::batches))) return {};
  const auto apart = steps_between(last->epoch, last->step, event, epoch, step);
  if (!apart || *apart <= 0) return {};
  const auto steps = static_cast<double>(*apart);
  const double stamped = to_seconds(between(last->at, at));
  const double off = rounding(last->at, at);
  const auto of = what_fits(seconds, last->seconds, steps, stamped, off);
  if (of && state.lines == 0) state.of = *of;
  state.lines = std::clamp<std::int64_t>(state.lines + (of == state.of ? 1 : -1), 0, kMostLines);
  if (state.lines < kEnoughLines || state.of == StampedTimesState::Of::beginning) return {};
  const double took = state.of == StampedTimesState::Of::step ? steps * seconds : seconds;
  if (stamped <= kMore * took + off) return {};
  return took / steps;
}

}  // namespace etad
