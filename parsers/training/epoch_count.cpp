#include "parsers/training/epoch_count.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "parsers/training/line_numbers.h"

namespace etad::track {

void EpochCount::see_distance(std::int64_t epoch, std::int64_t batch) {
  if (line.epoch != epoch || !line.batch || batch <= *line.batch) return;
  const std::int64_t distance = batch - *line.batch;
  if (line.every == 0) line.every = distance;
  if (line.every != distance) line.every = -1;
}

// The first batch that a new epoch shows, of lines that come evenly: where it stands elsewhere within their distance than
// those of the epoch before, they go on counting, and so many batches of that epoch were not shown.
std::int64_t EpochCount::unshown_before(std::int64_t batch) const {
  if (line.every <= 1 || line.batches_shown < 3 || batch >= line.every) return 0;
  return batch == *last_batch % line.every ? 0 : line.every - batch;
}

// Where nobody says how long an epoch is, the iterations displayed so far are what is known to be done. The
// window across the epoch's end is of unknown length. Batches that do not start again with a new epoch are
// counted from the run's beginning: they are its iterations.
EpochCount::Place EpochCount::counted_on(const Event& event, std::int64_t epoch, std::int64_t batch,
                                         std::int64_t done) {
  Place place;
  // The same batch again, behind others of its epoch, is shown once more (where an epoch's weights are saved);
  // but not by a bar that is drawn anew for each epoch.
  const bool anew = event.text(Field::since) == "epoch";
  const bool shown_again = !anew && last_batch == batch && line.epoch == shown_last && line.batches_shown > 1;
  const bool starts_again = last_batch && batch <= *last_batch && !shown_again;
  const std::int64_t unshown =
      starts_again && line.epoch && epoch == *line.epoch + 1 ? unshown_before(batch) : 0;
  see_distance(epoch, batch);
  if (line.epoch != epoch) line.batches_shown = 0;
  if (line.batches_shown == 0 || batch > *line.batch) ++line.batches_shown;
  line.epoch = epoch;
  line.batch = batch;
  line.epochs = positive_of(event, Field::epochs);
  if ((!shown_last || epoch > *shown_last) && starts_again) {
    done_in_epochs_over = clamped_sum(done, unshown);
    place.gap = true;
  } else if (shown_last && epoch < *shown_last) {
    done_in_epochs_over = 0;
  }
  shown_last = epoch;
  last_batch = batch;
  place.iteration = clamped_sum(done_in_epochs_over, batch);
  return place;
}

// Bars that are drawn anew for each epoch (since = "epoch") and say no epoch: one that begins where the last
// one was nearly full counts on from it. Of bars of unknown length each that begins again does so.
EpochCount::Place EpochCount::counted_around(std::int64_t bar, std::optional<std::int64_t> of) {
  constexpr double kNearly = 0.9;
  Place place;
  const bool full =
      last_batch && (!of || static_cast<double>(*last_batch) >= kNearly * static_cast<double>(*of));
  if (full && bar < *last_batch) {
    done_in_epochs_over = clamped_sum(done_in_epochs_over, of.value_or(*last_batch));
    if (of) place.planned = around ? product_or_zero(*around, *of) : done_in_epochs_over + *of;
    place.gap = true;
  }
  last_batch = bar;
  bar_of = of;
  place.iteration = clamped_sum(done_in_epochs_over, bar);
  return place;
}

// Steps without a total that begin again where the log has announced another epoch since: they are those of the epoch,
// unless they counted on over a heading, behind an epoch that showed several. Under no heading steps that were shown from
// the beginning on are the first epoch's, and what names a later one than the second is a setting of another run's.
EpochCount::Place EpochCount::counted_under_headings(std::int64_t step) {
  Place place;
  const bool next = announced > shown_last;
  const bool again = last_batch && step <= *last_batch;
  if (next && shown_last && last_batch && line.batches_shown > 1 && done_in_epochs_over == 0 && !line.through)
    line.through = !again;
  const bool of_first = !shown_last && last_batch && *last_batch <= product_or_zero(line.batches_shown, step);
  const bool skips = of_first && announced > 2;
  if (next && again && !skips && !line.through.value_or(false)) {
    done_in_epochs_over = clamped_sum(done_in_epochs_over, *last_batch);
    place.gap = true;
  }
  if (announced) shown_last = announced;
  line.batches_shown = next ? 1 : line.batches_shown + 1;
  last_batch = step;
  place.iteration = clamped_sum(done_in_epochs_over, step);
  return place;
}

// The steps of an epoch, where the lines show a step of the run beside the epoch it is in.
void EpochCount::learn_steps(std::int64_t epoch, std::int64_t step) {
  see(epoch);
  if (const auto found = borders.pass(epoch, step, first_number == 1 ? 1 : 0)) steps = found;
}

namespace {

// "Epoch 30/250: 12%|# | 30/250 [1:16:19<…": a bar named after the epoch, which counts epochs itself.
bool bar_counts_epochs(const Event& event) {
  const auto epoch = count_of(event, Field::epoch), done = count_of(event, Field::batch);
  const auto epochs = positive_of(event, Field::epochs);
  return epoch && done && epochs && epochs == positive_of(event, Field::batches) && *epoch - *done <= 1 &&
         *done - *epoch <= 1;
}

}  // namespace

// Whether a bar counts epochs that is named after one without a total ("Epoch 30: 12%|# | 30/250"): name and count grow
// alike from one state to the next, or are alike where they are first seen, some epochs on.
bool EpochCount::named_after_count(const Event& event) {
  const auto epoch = count_of(event, Field::epoch), done = count_of(event, Field::batch);
  if (!epoch || !done || event.has(Field::epochs) || !event.has(Field::batches)) return false;
  const bool near = *epoch - *done <= 1 && *done - *epoch <= 1;
  const bool first_seen = !line.epoch && *epoch > 2;
  const bool alike = line.epoch && *epoch > *line.epoch && *epoch - *line.epoch == *done - *line.batch;
  named = near && (named || first_seen || alike);
  return named;
}

bool EpochCount::numbers_epochs(const Event& event) const {
  const auto epoch = count_of(event, Field::epoch), number = count_of(event, Field::batch);
  if (!epoch || !number || !line.epoch || !line.batch || event.has(Field::epochs)) return false;
  return line.batches_shown == 1 && *epoch == *line.epoch + 1 && *number == *line.batch + 1 &&
         steps == positive_of(event, Field::batches);
}

namespace {

bool is_nearly_twice(std::int64_t n, std::int64_t half) {
  constexpr std::int64_t kPart = 50;
  return half > 0 && std::abs(n - 2 * half) <= half / kPart;
}

}  // namespace

// Whether batches "out of so many" are not an epoch's but the run's, which no new epoch sets back. The first
// change of the epoch shows it, where the epoch before has shown several of them, or where epoch 0 ended with so many
// and epoch 1 with twice as many. It showed nothing where a later epoch counts from the beginning again: a bar that
// overwrites itself may leave nothing of an epoch but a state further on than the last one of the epoch before.
bool EpochCount::counts_through(std::int64_t epoch, std::int64_t batch) {
  const bool next = line.epoch && epoch > *line.epoch;
  if (next && line.batches_shown > 1 && !line.through) line.through = batch >= *line.batch;
  if (next && batch < *line.batch) line.through = false;
  if (next && line.batches_shown == 1 && !line.through && line.epoch == 0 && epoch == 1 &&
      is_nearly_twice(batch, *line.batch))
    line.through = true;
  if (line.epoch != epoch) line.batches_shown = 0;
  if (line.batches_shown == 0 || batch > *line.batch) ++line.batches_shown;
  line.epoch = epoch;
  line.batch = batch;
  return line.through.value_or(false);
}

// Behind the last line of an epoch one that goes on as the lines before it did, and says the remainder beside the
// number of the epoch that is over, as a program may that counts all steps (PaddleGAN: "iter: 0/989" behind "iter:
// 979/989"). Where the epoch began with that batch it begins again.
bool EpochCount::goes_beyond(std::int64_t epoch, std::int64_t batch, std::int64_t batches) const {
  if (epoch != line.epoch || batch >= *line.batch || batches != steps || line.batches_shown < 2) return false;
  const std::int64_t every = batches - *line.batch + batch;
  const std::int64_t first = *line.batch - product_or_zero(line.batches_shown - 1, every);
  return batch < every && 0 < first && first <= every && first != batch;
}

// Batches out of so many, of an epoch whose number is known.
std::optional<EpochCount::Place> EpochCount::counted_in(std::int64_t epoch, std::int64_t batch,
                                                        std::int64_t batches, bool of_total) {
  steps = batches;
  see(epoch, of_total);
  first_number = std::min(*first_number, epoch);
  const bool next_epoch = line.epoch && epoch > *line.epoch;
  if (counts_through(epoch, batch)) return Place{batch, batches, false, next_epoch};
  const std::int64_t length = std::max(batches, beyond.value_or(0));
  return Place{done_before(epoch, length) + batch, {}, false, next_epoch};
}

namespace {

// Such as a bar that is drawn anew for each epoch, and does not name it.
bool leaves_epoch_to_heading(const Event& event) {
  return event.text(Field::since) == "epoch" && event.has(Field::iteration) && event.has(Field::max_iter);
}

}  // namespace

std::int64_t EpochCount::plan_of(const Event& event, std::int64_t of) const {
  if (around && !announced_of && leaves_epoch_to_heading(event)) return product_or_zero(*around, of);
  if (!announced_of || !leaves_epoch_to_heading(event)) return done_in_epochs_over + of;
  if (line.through.value_or(false)) return of;
  const bool names_last = first_number == 0 && announced == announced_of;
  return product_or_zero(*announced_of + (names_last ? 1 : 0), of);
}

std::optional<EpochCount::Place> EpochCount::place_of(const Event& event, std::int64_t of_each,
                                                      std::int64_t done) {
  if (const auto n = count_of(event, Field::iteration)) {
    if (const auto of = positive_of(event, Field::max_iter);
        of && announced && announced_of && leaves_epoch_to_heading(event)) {
      auto place = counted_in(*announced, *n, *of, true);
      if (line.through.value_or(false)) return place;
      done_in_epochs_over = done_before(*announced, *of);
      place->gap = place->next_epoch;
      last_batch = *n;
      return place;
    }
    if (event.text(Field::since) == "epoch") return counted_around(*n, positive_of(event, Field::max_iter));
    if (!event.has(Field::max_iter)) {
      if (const auto epoch = count_of(event, Field::epoch)) learn_steps(*epoch, *n);
      return counted_under_headings(*n);
    }
    return Place{*n, {}, false, false};
  }
  const auto batch = count_of(event, Field::batch);
  if (!batch) return {};
  if (event.has(Field::elapsed) && bar_counts_epochs(event))
    return Place{*batch, positive_of(event, Field::epochs), false, false};
  if (event.has(Field::elapsed) && named_after_count(event))
    return Place{*batch, positive_of(event, Field::batches), false, false};
  auto epoch = count_of(event, Field::epoch);
  if (!epoch) epoch = announced;  // it is in the one that the log has announced
  if (!epoch) {  // nor of an epoch before: the log begins amid one, and the next heading counts on
    last_batch = *batch;
    return Place{*batch, {}, false, false};
  }
  const auto said = positive_of(event, Field::batches);
  const auto batches = said.value_or(of_each);
  if (batches <= 0 || (!said && !steps && *batch > batches)) return counted_on(event, *epoch, *batch, done);
  if (!said && steps && line.epoch == epoch && *batch > std::max(*steps, beyond.value_or(0))) {
    beyond = *batch;  // its total was wrong, and will be
    auto place = counted_in(*epoch, *batch, *steps, event.has(Field::epochs));
    if (const auto epochs = positive_of(event, Field::epochs))
      place->planned = product_or_zero(*epochs, *beyond);
    return place;
  }
  // Another number of batches in the same epoch is a test's.
  if (said && line.epoch == epoch && steps && steps != said) return {};
  if (goes_beyond(*epoch, *batch, batches)) return Place{done_before(*epoch, batches) + batches + *batch, {}};
  return counted_in(*epoch, *batch, batches, event.has(Field::epochs));
}

// The time so far by a rate or a step time that is the mean since the run's beginning. Where iterations are counted
// from 0, one is done by then.
std::optional<EpochCount::Elapsed> EpochCount::by_mean_so_far(const Event& event) {
  if (event.text(Field::since) != "start" || event.has(Field::elapsed)) return {};
  const auto done = rounded(event, Field::iteration);
  const bool by_rate = event.has(Field::rate);
  const auto mean = rounded(event, by_rate ? Field::rate : Field::seconds);
  if (!done || !mean || mean->first <= 0) return {};
  if (!first_batch) first_batch = count_of(event, Field::iteration);
  Elapsed out;
  out.seconds =
      by_rate ? done->first / mean->first : (done->first + (first_batch == 0 ? 1 : 0)) * mean->first;
  const bool rounds =
      event.text(Field::iteration).find_first_of("eE") != std::string_view::npos;  // "7.25e+06"
  out.error = out.seconds *
              (mean->second / mean->first + (rounds && done->first > 0 ? done->second / done->first : 0));
  return out;
}

namespace {

// A bar shows whole seconds, and its rate more finely: the time so far by it, where the two agree.
void tell_finely(const Event& event, std::int64_t batch, EpochCount::Elapsed& so_far) {
  const auto rate = rounded(event, Field::rate);
  if (!rate || !is_fine(*rate)) return;
  const double seconds = static_cast<double>(batch) / rate->first;
  const double error = seconds * rate->second / rate->first;
  if (std::abs(seconds - so_far.seconds) > 1 || error >= so_far.error) return;
  so_far.seconds = seconds;
  so_far.error = error;
}

}  // namespace

// A bar of a later epoch that shows no less than the one before at its end counts either its own time, or that of all of
// them: whichever is nearer to the step time before. Half a second stands for what its whole seconds hide; a few of them
// tell nothing.
double EpochCount::own_seconds(std::int64_t epoch, std::int64_t batch, double seconds) {
  constexpr double kFew = 5;
  if (clock.epoch != epoch) {
    const double pace =
        clock.batch > 0 ? (clock.seconds_shown - clock.since) / static_cast<double>(clock.batch) : 0;
    const auto apart = [&](double took) {
      return std::abs(std::log((took + 0.5) / static_cast<double>(batch) / pace));
    };
    const bool later = clock.epoch && epoch > *clock.epoch && batch > 0 && pace > 0 &&
                       clock.seconds_shown >= kFew && seconds >= clock.seconds_shown;
    clock.since = later && apart(seconds - clock.seconds_shown) < apart(seconds) ? clock.seconds_shown : 0;
    clock.epoch = epoch;
  }
  clock.seconds_shown = seconds;
  clock.batch = batch;
  return seconds - clock.since;
}

std::optional<EpochCount::Elapsed> EpochCount::elapsed(const Event& event) {
  if (event.has(Field::rate) || event.has(Field::seconds))
    if (const auto so_far = by_mean_so_far(event)) return so_far;
  const auto batch = count_of(event, Field::batch);
  const bool of_epoch = event.text(Field::since) == "epoch";
  const bool mean = of_epoch && batch && event.has(Field::seconds);
  const auto written = rounded(event, mean ? Field::seconds : Field::elapsed);
  if (!written) return {};
  std::int64_t counted = 0;
  if (mean) {
    if (!first_batch) first_batch = *batch;
    if (batch == positive_of(event, Field::batches)) first_batch = 1;  // the last of 400 is number 400
    counted = counts_batches_from_one() ? *batch : *batch + 1;
  }
  const double times = mean ? static_cast<double>(counted) : 1;
  Elapsed out{written->first * times, written->second * times, {}, counted};
  const auto epoch = count_of(event, Field::epoch);
  if (!mean && of_epoch && batch && epoch && !named) out.seconds = own_seconds(*epoch, *batch, out.seconds);
  if (!mean && event.has(Field::rate)) {
    const auto all = of_epoch ? positive_of(event, Field::max_iter) : std::nullopt;
    const bool full = all && all == count_of(event, Field::iteration);
    if (batch || full) tell_finely(event, batch ? *batch : *all, out);
  }
  if (of_epoch && !named && !(batch && bar_counts_epochs(event)))
    out.epoch = !batch ? std::optional(done_in_epochs_over) : epoch ? epoch : announced;
  return out;
}

// Some count epochs from 1. A run first seen in epoch 1 is taken to be at its start.
std::int64_t EpochCount::done_before(std::int64_t epoch, std::int64_t of_each) const {
  const std::int64_t base = first_number == 1 ? 1 : 0;
  return epoch > base ? product_or_zero(epoch - base, of_each) : 0;
}

// One that is seen first out of a total goes on from a saved state, or the log is cut: most count to it from 1.
void EpochCount::see(std::int64_t epoch, bool of_total) {
  if (!first_number) first_number = of_total && epoch > 1 ? 1 : epoch;
}

void EpochCount::announce(std::int64_t epoch, std::optional<std::int64_t> of) {
  alone = of == epoch && epoch == alone + 1 ? epoch : 0;
  announced = epoch;
  announced_of = of;
  open = true;
  trained.reset();
}

// A loss and an accuracy on lines of their own are told at once.
void EpochCount::tell_trained(std::optional<Instant> at) {
  constexpr auto kAtOnce = std::chrono::seconds(1);
  if (trained && at && between(*trained, *at) <= kAtOnce) return;
  trained_again = trained_again || trained;
  trained = at;
}

bool EpochCount::end_announced() {
  return std::exchange(open, false);
}

bool EpochCount::announces_again(std::int64_t epoch, const Event& event) const {
  if (!announced || epoch < *announced) return announced.has_value();
  if (open) return false;
  const auto of = positive_of(event, Field::epochs);
  const bool one_by_one = alone > 0 && of == epoch;
  const bool all_done = announced_of && done_before(*announced, 1) + 1 >= *announced_of;
  return epoch == *announced || (all_done && of && of != announced_of && !one_by_one);
}

void EpochCount::measured(std::optional<std::int64_t> epoch, Duration took, std::optional<Instant> at) {
  shown_last = timed_last = epoch;
  timed_at = at;
  shortest = std::min(shortest.value_or(took), took);
  cut_short = false;
}

std::optional<std::int64_t> EpochCount::left_of(std::int64_t iteration) const {
  if (steps.value_or(0) <= 0) return {};
  return (*steps - iteration % *steps) % *steps;
}

bool EpochCount::has_measured_after(std::int64_t epoch) const {
  return shown_last && epoch < *shown_last;
}

// It took about as long, and no less lies between the two lines: of several processes each tells of it at about the same
// time.
bool EpochCount::is_done_again(std::int64_t epoch, const Event& event) const {
  constexpr double kAlike = 0.25, kNearly = 0.95;
  const auto took = event.number(Field::seconds);
  if (epoch != timed_last || !timed_at || !event.time || !shortest || !took) return false;
  const double before = to_seconds(*shortest);
  const bool alike = *took != before && std::abs(*took - before) <= kAlike * before;
  return alike && to_seconds(between(*timed_at, *event.time)) >= kNearly * *took;
}

// Where lines tell of every so many epochs behind the first ones, what they tell is the time of as many.
bool EpochCount::is_gone_on_elsewhere(std::int64_t epoch, const Event& event, std::int64_t many) const {
  constexpr std::int64_t kFar = 10;
  constexpr double kAlike = 2, kSooner = 0.5;
  const auto took = event.number(Field::seconds);
  if (!timed_last || !timed_at || !event.time || !shortest || !took || epoch - *timed_last < kFar)
    return false;
  if (many < 2 || *timed_last - first_number.value_or(0) + 1 != many ||
      *took > kAlike * to_seconds(*shortest))
    return false;
  const double usual = *took * static_cast<double>(epoch - *timed_last);
  return to_seconds(between(*timed_at, *event.time)) < kSooner * usual;
}

bool EpochCount::is_far_shorter(Duration took) const {
  return shortest && 2 * took < *shortest;
}

}  // namespace etad::track
