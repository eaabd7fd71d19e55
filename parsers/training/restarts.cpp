#include "parsers/training/restarts.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "parsers/training/line_numbers.h"

namespace etad::track {

bool begins_anew_otherwise(const RunTrack& r, const Event& event) {
  constexpr auto kFar = std::chrono::minutes(1);
  const auto of = positive_of(event, Field::batches), batch = count_of(event, Field::batch);
  const auto& from = r.window.from;
  if (!of || !batch || !r.epochs.steps || !from || !from->dated || !event.time) return false;
  // A line that itself says that it is a training's is no test's of another length.
  const bool trains = event.text(Field::job) == name_of(Job::train);
  const auto epochs = positive_of(event, Field::epochs);
  const bool planned_otherwise =
      trains && epochs && r.run.max_iterations && product_or_zero(*epochs, *of) != r.run.max_iterations;
  if (of == r.epochs.steps && !planned_otherwise) return false;
  const auto epoch = event.has(Field::epoch) ? count_of(event, Field::epoch) : r.epochs.announced;
  const track::EpochCount::Line& last = r.epochs.line;
  if (!epoch || epoch != last.epoch || epoch != r.epochs.first_number || *batch > last.batch) return false;
  const std::int64_t steps = *r.epochs.steps, apart = std::max(*of, steps) - std::min(*of, steps);
  const bool nearly_same = apart * 100 <= steps;
  const bool amid = *last.batch + 2 * r.training.stride < steps;
  return *event.time - *from->at > kFar && (amid || nearly_same || trains);
}

bool is_training_alone(const EpochsAlone& alone) {
  constexpr std::size_t kFew = 3;
  return alone.told.size() >= kFew;
}

bool begins_behind_alone(const RunTrack& r, const Event& event) {
  const auto& alone = r.training.alone;
  const auto epoch = count_of(event, Field::epoch);
  return alone && is_training_alone(*alone) && epoch && *epoch <= alone->last && event.has(Field::batch);
}

bool has_just_failed(const RunTrack& r, std::optional<Instant> now) {
  constexpr auto kAtOnce = std::chrono::seconds(10);
  return r.run.state == RunState::failed && now && r.run.ended_at && *now - *r.run.ended_at <= kAtOnce;
}

void take_back_total(RunTrack& r, const Event& event) {
  const auto of = positive_of(event, Field::max_iter);
  if (!of || r.run.max_iterations || r.run.train.segments > 0 || !(count_of(event, Field::iteration) < of))
    return;
  if (r.run.iteration != of || r.run.first_iteration != of) return;
  r.run.iteration.reset();
  r.run.first_iteration.reset();
  r.epochs.last_batch.reset();
  r.window = Window{};
}

namespace {

// Of lines that bear their times, behind which a program's own lines show its next start.
bool is_stamped(const RunTrack& r, const Event& event) {
  return !r.headed && r.window.from && r.window.from->dated && event.time;
}

bool died(const LastWords& words) {
  return !words.message.empty() || words.interrupted;
}

// Some say so of each epoch: one that is over so is believed where an epoch before it was over without.
bool is_done(const RunTrack& r) {
  return r.last_words.stopped_early || (r.last_words.is_done() && r.epochs.done_in_epochs_over > 0);
}

// Its only line comes once more, later than another of its processes would write it.
bool is_first_again(const RunTrack& r, const Event& event) {
  constexpr auto kLater = std::chrono::seconds(10);
  if (*event.time - *r.window.from->at < kLater) return false;
  if (r.run.train.segments > 0 || r.run.first_iteration != r.window.from->iteration) return false;
  const EpochCount::Line& last = r.epochs.line;
  const auto batch = count_of(event, Field::batch), epoch = count_of(event, Field::epoch);
  if (batch) return batch == last.batch && epoch == last.epoch && r.training.stride == 0;
  return count_of(event, Field::iteration) == r.window.from->iteration;
}

}  // namespace

bool counts_again_behind_end(const RunTrack& r, const Event& event) {
  const LastWords& words = r.last_words;
  if (!is_stamped(r, event)) return false;
  if ((died(words) || words.joined_again) && is_first_again(r, event)) return true;
  const auto step = event.has(Field::batch) ? std::nullopt : count_of(event, Field::iteration);
  return step && r.epochs.last_batch && step < r.epochs.last_batch && (died(words) || is_done(r));
}

bool goes_on_elsewhere_behind_end(const RunTrack& r, const Event& event, std::int64_t iteration) {
  constexpr std::int64_t kFar = 10;
  if (!is_stamped(r, event) || !(died(r.last_words) || r.last_words.joined_again)) return false;
  const std::int64_t near = std::max(r.training.stride, r.epochs.steps.value_or(0));
  return near > 0 && (iteration - r.window.from->iteration) / kFar > near;
}

bool falls_back(const RunTrack& r, const Event& event) {
  if (event.text(Field::key) != "record" || !r.progressed()) return false;
  if (const auto step = count_of(event, Field::iteration)) return step <= r.run.iteration;
  const EpochCount::Line& last = r.epochs.line;
  const auto epoch = count_of(event, Field::epoch), batch = count_of(event, Field::batch);
  if (!epoch || !batch || !last.epoch) return false;
  return epoch < last.epoch || (epoch == last.epoch && batch <= last.batch);
}

bool begins_behind_data(const RunTrack& r, const Event& event) {
  constexpr double kOfTraining = 0.01;
  const PhaseSummary& seen = r.run.train;
  const auto& from = r.window.from;
  if (r.training.shows_loss || seen.iterations == 0 || !from || !from->elapsed || from->dated) return false;
  if (!event.has(Field::loss) || !event.time || event.has(Field::elapsed)) return false;
  const auto step = count_of(event, Field::iteration);
  return step && step < r.run.iteration &&
         to_seconds(seen.duration) < kOfTraining * static_cast<double>(seen.iterations);
}

}  // namespace etad::track
