#include "parsers/training/test_phase.h"

#include <algorithm>
#include <utility>

#include "parsers/training/line_numbers.h"

namespace etad::track {

OpenTest TestPhase::take() {
  return std::exchange(state_, std::nullopt).value_or(OpenTest{});
}

std::optional<Instant> TestPhase::end_before(std::optional<Instant> line) const {
  return state_->shows_batches ? line : std::nullopt;
}

bool TestPhase::is_clocked() const {
  return state_ && (state_->since || state_->done_at);
}

std::optional<std::int64_t> TestPhase::take_announcement(std::int64_t net) {
  const bool waits = state_ && !state_->shows_batches && state_->net == net && state_->announced > 0;
  return waits ? std::optional(take().announced) : std::nullopt;
}

std::optional<Duration> TestPhase::go_on_beside(std::optional<Instant> now) {
  if (!state_ || !state_->since || state_->shows_batches || state_->beside || !now) return {};
  state_->beside = true;
  return between(*state_->since, *now);
}

bool TestPhase::is_followed_by(std::int64_t batch) const {
  return state_ && batch <= 1 && 2 * state_->done > std::max<std::int64_t>(2, state_->announced);
}

std::optional<std::int64_t> TestPhase::batches_shown(const Event& event, bool from_one) {
  state_->shows_batches = true;
  if (const auto batches = positive_of(event, Field::batches)) state_->announced = *batches;
  std::int64_t shown = count_of(event, Field::iteration).value_or(0);
  if (const auto batch = count_of(event, Field::batch)) {
    if (!state_->first_batch) state_->first_batch = *batch;
    const std::int64_t first = *state_->first_batch;
    shown = first == 1 || (first > 1 && from_one) ? *batch : *batch + 1;
    if (state_->announced > 0) shown = std::min(shown, state_->announced);
  }
  return shown > state_->done ? std::optional(shown) : std::nullopt;
}

// The mean over all batches shown, where the line states it.
void TestPhase::take_mean(const Event& event, std::optional<Instant> now, std::int64_t shown) {
  const auto mean = rounded(event, Field::seconds);
  if (!mean || mean->first <= 0 || event.text(Field::since) != "epoch") return;
  state_->stated = mean->first * static_cast<double>(shown);
  state_->stated_error = mean->second * static_cast<double>(shown);
  if (const auto took = positive_seconds(state_->stated); took && now && state_->done == 0)
    state_->began = *now - std::chrono::duration_cast<Instant::duration>(*took);
}

std::optional<TestPhase::Batches> TestPhase::since_last(std::optional<Instant> now, std::int64_t shown,
                                                        bool job) const {
  const auto from = state_->done_at ? state_->done_at : state_->since;
  if (!from || !now) return {};
  return Batches{job ? state_->done : state_->iteration, shown - state_->done, between(*from, *now), from};
}

void TestPhase::display(std::int64_t shown, std::optional<Instant> at) {
  state_->done = shown;
  state_->done_at = at;
}

std::optional<TestPhase::Batches> TestPhase::take_stated() {
  if (!state_ || state_->stated <= 0) return {};
  OpenTest& test = *state_;
  constexpr double kMostError = 0.05;
  const bool alone = test.done == 1 && test.announced > 1;
  const double seconds = test.stated - test.given_seconds;
  const auto took = positive_seconds(seconds);
  if (alone || !took || test.done <= test.given || test.stated_error > kMostError * seconds) return {};
  Batches out{test.iteration, test.done - test.given, *took, test.given == 0 ? test.began : std::nullopt};
  test.given = test.done;
  test.given_seconds = test.stated;
  return out;
}

}  // namespace etad::track
