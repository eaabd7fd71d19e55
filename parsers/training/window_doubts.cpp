#include "parsers/training/window_doubts.h"

namespace etad::track {

using namespace std::chrono_literals;

bool leaps(const PhaseSummary& before, std::int64_t n, Duration took) {
  if (before.segments < 3) return false;
  constexpr double kMuchLonger = 10, kOtherStepTime = 3;
  const auto iterations = static_cast<double>(n), done = static_cast<double>(before.iterations);
  if (iterations * static_cast<double>(before.segments) < kMuchLonger * done) return false;
  const double step_time = to_seconds(took) / iterations * done / to_seconds(before.duration);
  return step_time > kOtherStepTime || step_time < 1 / kOtherStepTime;
}

bool returns(const PhaseSummary& before, const Window& window, std::int64_t n) {
  constexpr double kManyMore = 3;
  return window.turned_back && static_cast<double>(n) * static_cast<double>(before.segments) >=
                                   kManyMore * static_cast<double>(before.iterations);
}

bool held_a_pause(const PhaseSummary& before, std::int64_t n, Duration took) {
  constexpr Duration kPause = 30min, kPauseOfMany = 1min, kLongestFirst = 24h;
  constexpr double kMuchLonger = 10;
  constexpr std::int64_t kMany = 20;  // from so many windows on their times are known well
  if (before.iterations == 0) return took > kLongestFirst;
  return took > (before.segments < kMany ? kPause : kPauseOfMany) &&
         to_seconds(took) * static_cast<double>(before.iterations) >
             kMuchLonger * to_seconds(before.duration) * static_cast<double>(n);
}

double pace_of(const Segment& window) {
  return to_seconds(window.duration) / static_cast<double>(window.iterations);
}

bool is_as_slow(double pace, double neighbour) {
  constexpr double kAlike = 3;
  return neighbour > 0 && pace < kAlike * neighbour;
}

bool was_no_pause(const Training& training) {
  const auto& left_out = training.left_out;
  return left_out && (training.stood_still || is_as_slow(pace_of(*left_out), training.last_pace));
}

bool lacks_lines(const PhaseSummary& before, std::int64_t n, Duration took) {
  constexpr double kMuchLonger = 10, kSlower = 1.05;
  const auto iterations = static_cast<double>(n), done = static_cast<double>(before.iterations);
  return before.segments >= 3 && iterations * static_cast<double>(before.segments) >= kMuchLonger * done &&
         to_seconds(took) * done > kSlower * to_seconds(before.duration) * iterations;
}

bool lacks_steps(const PhaseSummary& before, std::int64_t n, std::int64_t steps_of_epoch, Duration took) {
  constexpr double kMuchFaster = 0.75;
  return before.segments >= 3 && 2 * n < steps_of_epoch &&
         to_seconds(took) * static_cast<double>(before.iterations) <
             kMuchFaster * to_seconds(before.duration) * static_cast<double>(n);
}

bool was_told_at_once(std::int64_t n, bool of_epochs, Duration took) {
  constexpr std::int64_t kMany = 50;
  return (of_epochs || n >= kMany) && took < 5ms;
}

bool overstates(Duration stated, Duration shown) {
  constexpr double kMuchMore = 1.5;
  return shown > Duration::zero() && to_seconds(stated) > kMuchMore * to_seconds(shown) + 1;
}

bool ran_beside(const PhaseSummary& before, std::int64_t n, Duration tests, Duration rest) {
  if (tests <= Duration::zero() || before.segments < 3) return false;
  const double usual =
      to_seconds(before.duration) / static_cast<double>(before.iterations) * static_cast<double>(n);
  return to_seconds(rest) < 0.6 * usual && std::abs(to_seconds(rest + tests) - usual) < 0.15 * usual;
}

}  // namespace etad::track
