#include "parsers/training/test_phase.h"

#include <algorithm>

#include "parsers/training/line_numbers.h"

namespace etad::track {

bool is_of_testing_job(const Event& event) {
  return event.text(Field::job) == name_of(Job::test);
}

std::optional<Instant> TestPhase::end_before(std::optional<Instant> line) const {
  return shows_batches ? line : done_at;
}

void TestPhase::tell_result(std::optional<Instant> at) {
  if (!shows_batches && since) done_at = at;
}

bool TestPhase::is_announcement_of(std::int64_t test_net) const {
  return !shows_batches && net == test_net && announced > 0;
}

std::optional<Duration> TestPhase::go_on_beside(std::optional<Instant> now) {
  if (!since || shows_batches || beside || !now) return {};
  beside = true;
  return between(*since, *now);
}

bool TestPhase::is_followed_by(std::int64_t batch) const {
  return batch <= 1 && 2 * done > std::max<std::int64_t>(2, announced);
}

std::optional<std::int64_t> TestPhase::batches_shown(const Event& event, bool from_one) {
  shows_batches = true;
  if (const auto batches = positive_of(event, Field::batches)) announced = *batches;
  std::int64_t shown = count_of(event, Field::iteration).value_or(0);
  if (const auto batch = count_of(event, Field::batch)) {
    if (!first_batch) first_batch = *batch;
    const std::int64_t first = *first_batch;
    shown = first == 1 || (first > 1 && from_one) ? *batch : *batch + 1;
    if (announced > 0) shown = std::min(shown, announced);
  }
  return shown > done ? std::optional(shown) : std::nullopt;
}

// The time of all batches shown, where the line states it, or their mean.
void TestPhase::take_mean(const Event& event, std::optional<Instant> now, std::int64_t shown) {
  if (const auto so_far = rounded(event, Field::elapsed); so_far && is_of_testing_job(event)) {
    stated = so_far->first;
    stated_error = so_far->second;
    return;
  }
  const auto mean = rounded(event, Field::seconds);
  if (!mean || mean->first <= 0 || event.text(Field::since) != "epoch") return;
  stated = mean->first * static_cast<double>(shown);
  stated_error = mean->second * static_cast<double>(shown);
  if (const auto took = positive_seconds(stated); took && now && done == 0)
    began = *now - std::chrono::duration_cast<Instant::duration>(*took);
}

std::optional<TestPhase::Batches> TestPhase::since_last(std::optional<Instant> now, std::int64_t shown,
                                                        bool job) const {
  const auto from = done_at ? done_at : since;
  if (!from || !now) return {};
  return Batches{job ? done : iteration, shown - done, between(*from, *now), from};
}

void TestPhase::display(std::int64_t shown, std::optional<Instant> at) {
  done = shown;
  done_at = at;
}

std::optional<TestPhase::Batches> TestPhase::take_stated(bool job) {
  if (stated <= 0) return {};
  constexpr double kMostError = 0.05;
  const bool alone = done == 1 && announced > 1;
  const double seconds = stated - given_seconds;
  const auto took = positive_seconds(seconds);
  if (alone || !took || done <= given || stated_error > kMostError * seconds) return {};
  Batches out{job ? given : iteration, done - given, *took, given == 0 ? began : std::nullopt};
  given = done;
  given_seconds = stated;
  return out;
}

}  // namespace etad::track
