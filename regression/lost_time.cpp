#include "regression/lost_time.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "regression/outliers.h"
#include "regression/statistics.h"

namespace etad::regression {
namespace {

// Clocks are rounded, to a second at worst: less than this share of a window is no time lost.
constexpr double kLeastShare = 0.01;
constexpr double kLargestPlausible = 1e15;

bool placed(const RunInterval& s) {
  return s.seconds > 0 && s.seconds < kLargestPlausible && std::abs(s.at) < kLargestPlausible;
}

bool is_window(const RunInterval& s) {
  return !s.test && s.iterations > 0 && s.iterations < kLargestPlausible && s.first_iteration >= 0 &&
         s.first_iteration < kLargestPlausible && placed(s);
}

// Takes out the tests that began before `at`; their time.
double take_tests(std::vector<const RunInterval*>& tests, double at) {
  double seconds = 0;
  std::erase_if(tests, [&](const RunInterval* test) {
    if (test->at >= at) return false;
    seconds += test->seconds;
    return true;
  });
  return seconds;
}

// Two windows that follow each other.
struct Pair {
  double iterations = 0;  // from the first one's beginning to the second one's
  double seconds = 0;     // of the first one
  double lost = 0;
};

// Between the end of `from` and the beginning of `to`, `tests` seconds of tests taken out.
double lost_between(const RunInterval& from, const RunInterval& to, double tests, Gap where) {
  const double gap = to.at - from.at - from.seconds - tests;
  const double skipped = to.first_iteration - from.first_iteration - from.iterations;
  if (skipped < 0 || (skipped > 0) != (where == Gap::around_missing)) return 0;
  const double lost = gap - skipped * from.seconds / from.iterations;
  return lost > kLeastShare * from.seconds ? lost : 0;
}

// What was lost about as long twice comes again: the longest such. 0: nothing was.
double recurring(std::vector<double> lost) {
  constexpr double kAlike = 0.8;
  std::ranges::sort(lost, std::greater<>());
  const auto alike = std::ranges::adjacent_find(lost, [](double a, double b) { return b >= kAlike * a; });
  return alike == lost.end() ? 0 : *alike;
}

}  // namespace

LostTime lost_time(std::span<const RunInterval> seen, Gap gap) {
  LostTime out;
  std::vector<Pair> pairs;
  std::vector<const RunInterval*> tests;  // a window's own come before it
  const RunInterval* last = nullptr;
  for (const RunInterval& s : seen) {
    if (s.test && placed(s)) tests.push_back(&s);
    if (!is_window(s)) continue;
    const double tested = take_tests(tests, s.at);
    if (last != nullptr) {
      const double ahead = std::max(0.0, s.first_iteration - last->first_iteration);
      pairs.push_back({ahead, last->seconds, lost_between(*last, s, tested, gap)});
    }
    last = &s;
  }
  // Where a test is made at the beginning of each window, the first one has none.
  if (pairs.size() > 2 && pairs.front().lost == 0) pairs.erase(pairs.begin());
  std::vector<double> lost, windows;
  for (const Pair& pair : pairs) {
    out.iterations += pair.iterations;
    windows.push_back(pair.seconds);
    if (pair.lost > 0) lost.push_back(pair.lost);
  }
  if (lost.empty()) return out;
  const double usual = std::max(kOutlierWindows * median(std::move(windows)), recurring(lost));
  const double most = winsorised_at(lost, usual);
  for (const double l : lost) out.seconds += std::min(l, most);
  out.times = static_cast<int>(std::min<std::size_t>(lost.size(), 1'000'000));
  return out;
}

}  // namespace etad::regression
