#include "regression/lost_time.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "regression/statistics.h"

namespace etad::regression {
namespace {

// Less than this share of a window is no time lost: clocks are rounded.
constexpr double kLeastShare = 0.01;
constexpr double kLargestPlausible = 1e15;

bool placed(const RunInterval& s) {
  return s.seconds > 0 && s.seconds < kLargestPlausible && std::abs(s.at) < kLargestPlausible;
}

bool is_window(const RunInterval& s) {
  return !s.test && s.iterations > 0 && s.iterations < kLargestPlausible && s.first_iteration >= 0 &&
         s.first_iteration < kLargestPlausible && placed(s);
}

// Seconds, by when they began.
using Tests = std::multimap<double, double>;

// Takes out the tests that began before `at`; their time.
double take_tests(Tests& tests, double at) {
  double seconds = 0;
  for (; !tests.empty() && tests.begin()->first < at; tests.erase(tests.begin()))
    seconds += tests.begin()->second;
  return seconds;
}

// Two windows that follow each other.
struct Pair {
  double iterations = 0;  // from the first one's beginning to the second one's
  double seconds = 0;     // of the first one
  Gap gap = Gap::between_neighbours;
  double lost = 0;  // in that gap
};

// Where stamps are of whole seconds and windows shorter, most follow their window by no time and some by a second. That
// second is no time lost: what a stamp came too early by is taken off behind it.
class StampsRounding {
 public:
  double without(double lost, const RunInterval& from, const RunInterval& to) {
    if (!is_whole(from.at) || !is_whole(to.at)) return lost;
    lost -= early_;
    early_ = std::clamp(-lost, 0.0, kRounding);
    return lost;
  }

 private:
  static constexpr double kRounding = 1;  // seconds
  double early_ = 0;

  static bool is_whole(double at) { return at == std::floor(at); }
};

// `tests`: seconds of tests between them.
Pair pair_of(const RunInterval& from, const RunInterval& to, double tests, StampsRounding& rounding) {
  const double skipped = to.first_iteration - from.first_iteration - from.iterations;
  Pair out{std::max(0.0, skipped + from.iterations), from.seconds,
           skipped > 0 ? Gap::around_missing : Gap::between_neighbours, 0};
  if (skipped < 0) return out;
  const double passed = to.at - from.at - from.seconds - tests - skipped * from.seconds / from.iterations;
  const double lost = rounding.without(passed, from, to);
  if (lost > kLeastShare * from.seconds) out.lost = lost;
  return out;
}

// What was lost about as long twice comes again: the longest such. 0: nothing was.
double recurring(std::vector<double> lost) {
  constexpr double kAlike = 0.8;
  std::ranges::sort(lost, std::greater<>());
  const auto alike = std::ranges::adjacent_find(lost, [](double a, double b) { return b >= kAlike * a; });
  return alike == lost.end() ? 0 : *alike;
}

double winsorised_sum(const std::vector<double>& lost, double usual) {
  const double most = winsorised_at(lost, usual);
  double sum = 0;
  for (const double each : lost) sum += std::min(each, most);
  return sum;
}

}  // namespace

LostTime lost_time(std::span<const RunInterval> seen, Gap gap) {
  LostTime out;
  std::vector<Pair> pairs;
  StampsRounding rounding;
  Tests tests;  // a window's own come before it
  const RunInterval* last = nullptr;
  for (const RunInterval& s : seen) {
    if (s.test && placed(s)) tests.emplace(s.at, s.seconds);
    if (!is_window(s)) continue;
    const double tested = take_tests(tests, s.at);
    if (last != nullptr) pairs.push_back(pair_of(*last, s, tested, rounding));
    last = &s;
  }
  // Where a test is made at the beginning of each window, the first one has none.
  if (pairs.size() > 2 && pairs.front().lost == 0) pairs.erase(pairs.begin());
  std::vector<double> lost, windows;
  for (const Pair& pair : pairs) {
    out.iterations += pair.iterations;
    windows.push_back(pair.seconds);
    if (pair.gap == gap && pair.lost > 0) lost.push_back(pair.lost);
  }
  if (lost.empty()) return out;
  out.seconds = winsorised_sum(lost, std::max(kOutlierWindows * median(std::move(windows)), recurring(lost)));
  out.times = static_cast<int>(std::min<std::size_t>(lost.size(), 1'000'000));
  return out;
}

std::optional<double> other_share(std::span<const RunInterval> windows, double step, double measured) {
  std::vector<double> lost;
  double iterations = 0;
  const RunInterval* last = nullptr;
  for (const RunInterval& s : windows) {
    if (!is_window(s)) continue;
    const RunInterval* const from = std::exchange(last, &s);
    if (from == nullptr || s.at <= from->at || s.first_iteration <= from->first_iteration) continue;
    const double done = s.first_iteration - from->first_iteration;
    iterations += done;
    lost.push_back(s.at - from->at - done * step);
  }
  if (lost.empty() || !(step > 0)) return std::nullopt;
  const double share = (winsorised_sum(lost, recurring(lost)) / iterations - measured) / step;
  return share >= kLeastShare ? share : 0;
}

}  // namespace etad::regression
