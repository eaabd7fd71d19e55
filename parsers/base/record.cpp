#include "parsers/base/record.h"

#include <algorithm>
#include <chrono>

namespace etad {

std::string_view name_of(Job job) {
  switch (job) {
    case Job::train:
      return "train";
    case Job::test:
      return "test";
    case Job::time:
      return "time";
  }
  return "";
}

std::string_view name_of(Phase phase) {
  return phase == Phase::train ? "train" : "test";
}

std::string_view name_of(RunState state) {
  switch (state) {
    case RunState::running:
      return "running";
    case RunState::finished:
      return "finished";
    case RunState::stopped:
      return "stopped";
    case RunState::failed:
      return "failed";
    case RunState::lost:
      return "lost";
  }
  return "";
}

std::optional<Duration> wall_time(const Run& run) {
  if (run.state == RunState::running || !run.started_at || !run.ended_at) return std::nullopt;
  const double taken = std::chrono::duration<double>(*run.ended_at - *run.started_at).count();
  const double measured = to_seconds(run.train.duration) + to_seconds(run.test.duration);
  constexpr double kLongest = 9e9;  // 285 years: all that a Duration holds
  // Rates are told with few digits, and whole seconds cut: so much more than the time it took is no contradiction.
  constexpr double kRounding = 1.1, kSecond = 1;
  if (taken < 0 || taken > kLongest || measured > taken * kRounding + kSecond) return std::nullopt;
  return std::chrono::duration_cast<Duration>(*run.ended_at - *run.started_at);
}

void Records::withdraw(std::int64_t first) {
  withdrawn = std::min(withdrawn.value_or(first), first);
  std::erase_if(runs, [first](const Run& run) { return run.ordinal >= first; });
  const auto is_of_them = [first](const auto& record) { return record.run >= first; };
  std::erase_if(segments, is_of_them);
  std::erase_if(points, is_of_them);
  std::erase_if(layers, is_of_them);
  std::erase_if(layer_times, is_of_them);
}

}  // namespace etad
