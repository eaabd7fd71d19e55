#include "parsers/training/epoch_count.h"

#include <algorithm>
#include <utility>

#include "parsers/training/line_numbers.h"

namespace etad::track {

// Where nobody says how long an epoch is, the iterations displayed so far are what is known to be done. The
// window across the epoch's end is of unknown length. Batches that do not start again with a new epoch are
// counted from the run's beginning: they are its iterations.
EpochCount::Place EpochCount::counted_on(std::int64_t epoch, std::int64_t batch, std::int64_t done) {
  Place place;
  const bool starts_again = state_.last_batch && batch <= *state_.last_batch;
  if (state_.shown && epoch > *state_.shown && starts_again) {
    state_.before = done;
    place.gap = true;
  } else if (state_.shown && epoch < *state_.shown) {
    state_.before = 0;
  }
  state_.shown = epoch;
  state_.last_batch = batch;
  place.iteration = state_.before + batch;
  return place;
}

// Bars that are drawn anew for each epoch (since = "epoch") and say no epoch: one that begins where the last
// one was nearly full counts on from it.
EpochCount::Place EpochCount::counted_around(std::int64_t shown, std::int64_t of) {
  constexpr double kNearly = 0.9;
  Place place;
  const bool full =
      state_.last_batch && static_cast<double>(*state_.last_batch) >= kNearly * static_cast<double>(of);
  if (full && shown < *state_.last_batch) {
    state_.before += of;
    place.planned = state_.before + of;
    place.gap = true;
  }
  state_.last_batch = shown;
  place.iteration = state_.before + shown;
  return place;
}

// Whether batches "out of so many" are not an epoch's but the run's, which no new epoch sets back. The first
// change of the epoch shows it, where the epoch before has shown several of them.
bool EpochCount::counts_through(std::int64_t epoch, std::int64_t batch) {
  Line& line = state_.line;
  const bool next = line.epoch && epoch > *line.epoch;
  if (next && line.shown > 1 && !line.through) line.through = batch >= *line.batch;
  if (line.epoch != epoch) line.shown = 0;
  if (line.shown == 0 || batch > *line.batch) ++line.shown;
  line.epoch = epoch;
  line.batch = batch;
  return line.through.value_or(false);
}

std::optional<EpochCount::Place> EpochCount::place_of(const Event& event, std::int64_t steps,
                                                      std::int64_t done) {
  if (const auto n = count_of(event, Field::iteration)) {
    const auto of = positive_of(event, Field::max_iter);
    if (of && event.text(Field::since) == "epoch") return counted_around(*n, *of);
    return Place{*n, {}, false};
  }
  const auto batch = count_of(event, Field::batch);
  if (!batch) return {};
  auto epoch = count_of(event, Field::epoch);
  if (!epoch) epoch = state_.announced;  // it is in the one that the log has announced
  if (!epoch) return Place{*batch, {}, false};
  const auto said = positive_of(event, Field::batches);
  const auto batches = said.value_or(steps);
  if (batches <= 0) return counted_on(*epoch, *batch, done);
  // Another number of batches in the same epoch is a test's.
  if (said && state_.line.epoch == epoch && state_.steps && state_.steps != said) return {};
  state_.steps = batches;
  if (!state_.first || *epoch < *state_.first) state_.first = *epoch;
  if (counts_through(*epoch, *batch)) return Place{*batch, batches, false};
  return Place{done_before(*epoch, batches) + *batch, {}, false};
}

std::optional<EpochCount::Elapsed> EpochCount::elapsed(const Event& event) {
  const auto batch = count_of(event, Field::batch);
  const bool of_epoch = event.text(Field::since) == "epoch";
  const bool mean = of_epoch && batch;
  const auto written = rounded(event, mean ? Field::seconds : Field::elapsed);
  if (!written) return {};
  double steps = 1;
  if (mean) {
    if (!state_.first_batch) state_.first_batch = *batch;
    steps = static_cast<double>(counts_batches_from_one() ? *batch : *batch + 1);
  }
  Elapsed out{written->first * steps, written->second * steps, {}};
  if (of_epoch) out.epoch = mean ? count_of(event, Field::epoch) : std::optional(state_.before);
  return out;
}

// Some count epochs from 1. A run first seen in epoch 1 is taken to be at its start.
std::int64_t EpochCount::done_before(std::int64_t epoch, std::int64_t steps) const {
  const std::int64_t base = state_.first == 1 ? 1 : 0;
  return epoch > base ? product(epoch - base, steps) : 0;
}

void EpochCount::see(std::int64_t epoch) {
  if (!state_.first) state_.first = epoch;
}

void EpochCount::announce(std::int64_t epoch) {
  state_.announced = epoch;
  state_.open = true;
}

bool EpochCount::end_announced() {
  return std::exchange(state_.open, false);
}

bool EpochCount::announces_again(std::int64_t epoch) const {
  return state_.announced && (epoch < *state_.announced || (epoch == *state_.announced && !state_.open));
}

std::optional<Instant> EpochCount::take_beginning() {
  return std::exchange(state_.began, std::nullopt);
}

void EpochCount::measured(std::optional<std::int64_t> epoch, Duration took) {
  state_.shown = state_.told = epoch;
  state_.shortest = std::min(state_.shortest.value_or(took), took);
}

std::optional<std::int64_t> EpochCount::left_of(std::int64_t iteration) const {
  if (state_.steps.value_or(0) <= 0) return {};
  return (*state_.steps - iteration % *state_.steps) % *state_.steps;
}

bool EpochCount::has_measured_after(std::int64_t epoch) const {
  return state_.shown && epoch < *state_.shown;
}

bool EpochCount::is_far_shorter(Duration took) const {
  return state_.shortest && 2 * took < *state_.shortest;
}

}  // namespace etad::track
