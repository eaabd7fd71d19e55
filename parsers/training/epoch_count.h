// Epochs: where a run stands that counts in them, and which iteration of the run that is. Internal to
// parsers/training.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "parsers/base/event.h"
#include "parsers/base/record.h"
#include "parsers/training/epoch_borders.h"

namespace etad::track {

// Of one run. Epochs are numbered as the log numbers them, from 0 or from 1.
struct EpochCount {
  // The line displayed last that counts batches out of so many.
  struct Line {
    std::optional<std::int64_t> epoch, batch;
    std::optional<std::int64_t> epochs;  // out of so many, where nobody says how long they are
    std::int64_t batches_shown = 0;      // of this epoch
    std::optional<bool> through;         // whether batches count on from epoch to epoch
    std::int64_t every = 0;  // batches from line to line within an epoch; 0: unknown, below it: uneven
  };

  // The time that bars named after their epoch show, some of which go on counting where the epoch before ended.
  struct BarClock {
    std::optional<std::int64_t> epoch;
    double seconds_shown = 0, since = 0;  // by the last bar; where its epoch began
    std::int64_t batch = 0;
  };

  std::optional<std::int64_t> steps;   // of each
  std::optional<std::int64_t> beyond;  // to where a bar went beyond them ("Epoch 3: 15it" behind "14/14")
  std::optional<std::int64_t> first_number;  // of the first one displayed: do they count from 0 or from 1?
  std::optional<std::int64_t> first_batch;   // the same of batches within an epoch
  std::optional<std::int64_t> shown_last;    // the one displayed last, where epochs' lengths are unknown
  std::int64_t done_in_epochs_over = 0;      // iterations, likewise
  std::optional<std::int64_t> last_batch;    // the batch displayed last, likewise
  std::optional<Instant> began;              // the epoch going on, where the log says when epochs end
  std::optional<std::int64_t> announced;     // the epoch that the log last said begins
  std::optional<std::int64_t> announced_of;  // out of so many
  std::optional<std::int64_t> bar_of;        // steps of the bar that is drawn anew for each and names none
  std::optional<std::int64_t> around;        // out of so many epochs, as lines behind such bars tell
  bool open = false;                         // and nothing has ended it yet
  bool undated = false;                      // it bears no time, nor has a line behind it yet
  std::int64_t alone = 0;          // those announced one by one, each as the only one there is; 0: others are
  std::optional<Instant> trained;  // when the line came that tells of its training
  bool trained_again = false;      // it was not the only one: the training goes on behind such lines
  std::optional<Duration> shortest;        // of those measured
  std::optional<std::int64_t> timed_last;  // the one whose time was told last
  std::optional<Instant> timed_at;         // and when, where its line bears a time
  bool named = false;                      // after them a bar is named that counts them itself
  bool numbered = false;                   // what stands out of a total beside them is their own number
  bool cut_short = false;                  // the one over last was far shorter than all before it
  Line line;
  BarClock clock;
  EpochBorders borders;  // where steps count on from epoch to epoch

  // Where a line of progress says that its run stands.
  struct Place {
    std::int64_t iteration = 0;
    std::optional<std::int64_t> planned;  // the iterations of the whole run, where the line shows them anew
    bool gap = false;                     // time of unknown length lies between the last line and this one
    bool next_epoch = false;              // the line before was another epoch's
  };

  // The time so far that a line states.
  struct Elapsed {
    double seconds = 0;
    double error = 0;                   // by how much the rounding may be off
    std::optional<std::int64_t> epoch;  // where it is counted from an epoch's beginning: which one
    std::int64_t steps = 0;             // where it is a mean: of how many steps
  };

  // Takes a line of progress; epochs and batches are multiplied out. `of_each`: the steps of an epoch, where the line
  // does not say it (0: unknown). `done`: the iterations that the run has shown so far. Nothing where the
  // line counts nothing.
  std::optional<Place> place_of(const Event& event, std::int64_t of_each, std::int64_t done);
  // The run's (or the epoch's) time so far, where the line states it, or a mean rate or step time since its beginning, or
  // a mean step time over all of the epoch; the latter's rounding counts once for each step.
  std::optional<Elapsed> elapsed(const Event& event);
  // How much of the `seconds` that this epoch's bar shows at `batch` are the epoch's own.
  double own_seconds(std::int64_t epoch, std::int64_t batch, double seconds);

  // The iterations of the run whose line shows so many out of `of`: under a heading that numbers its epoch out of a total
  // they are those of each.
  std::int64_t plan_of(const Event& event, std::int64_t of) const;

  // "Epoch 2 (20/200)" behind "Epoch 1 (19/200)", where each epoch has one line: what stands out of a total is the number
  // that the epoch has among all of them, and no step.
  bool numbers_epochs(const Event& event) const;

  // Iterations done when this epoch begins.
  std::int64_t done_before(std::int64_t epoch, std::int64_t of_each) const;
  void see(std::int64_t epoch, bool of_total = false);
  bool counts_batches_from_one() const { return first_batch == 1; }

  // The log says that this epoch begins, and its end.
  void announce(std::int64_t epoch, std::optional<std::int64_t> of = {});
  bool end_announced();  // false: none was going on
  void tell_trained(std::optional<Instant> at);
  // Where several processes say the same, nothing has happened in between. What goes on behind all that were announced, of
  // another plan, is another training's.
  bool announces_again(std::int64_t epoch, const Event& event) const;
  // It is the last one of as many as were announced, and nothing has ended it.
  bool in_last_announced() const {
    return open && announced && announced_of && done_before(*announced, 1) + 1 == *announced_of;
  }

  // How many iterations the epoch that the run is in has left, when so many of the run are done; nothing
  // where nobody says how long it is.
  std::optional<std::int64_t> left_of(std::int64_t iteration) const;

  // An epoch that has been measured.
  void measured(std::optional<std::int64_t> epoch, Duration took, std::optional<Instant> at = {});
  bool was_measured_last(std::optional<std::int64_t> epoch) const { return epoch && epoch == timed_last; }
  // The bar of an epoch that nothing numbers is full, of which the next one counts on. False: so it was before, and is
  // drawn once more.
  bool fill_bar(std::int64_t of) { return !last_batch || std::exchange(last_batch, of) != of; }
  // Of each epoch that was shown the time is known, by its number: one without a number is all of the training's.
  bool are_all_timed() const { return timed_last && !open && (!line.epoch || line.epoch == timed_last); }
  bool has_measured_after(std::int64_t epoch) const;
  // The first epoch that was measured is told again, and all of it may have been done once more since.
  bool is_done_again(std::int64_t epoch, const Event& event) const;
  // Behind every one of so `many` that were told, one far ahead, which comes much sooner than what lies between would take:
  // another start has gone on from a saved state.
  bool is_gone_on_elsewhere(std::int64_t epoch, const Event& event, std::int64_t many) const;
  bool shows(std::optional<std::int64_t> epoch) const {  // it is the one shown last
    return epoch && (epoch == line.epoch || epoch == timed_last);
  }
  bool is_far_shorter(Duration took) const;  // than the shortest one measured

 private:
  std::optional<Elapsed> by_mean_so_far(const Event& event);
  Place counted_on(const Event& event, std::int64_t epoch, std::int64_t batch, std::int64_t done);
  Place counted_around(std::int64_t bar, std::optional<std::int64_t> of);
  Place counted_under_headings(std::int64_t step);
  void see_distance(std::int64_t epoch, std::int64_t batch);
  std::int64_t unshown_before(std::int64_t batch) const;
  std::optional<Place> counted_in(std::int64_t epoch, std::int64_t batch, std::int64_t batches,
                                  bool of_total);
  void learn_steps(std::int64_t epoch, std::int64_t step);
  bool named_after_count(const Event& event);
  bool counts_through(std::int64_t epoch, std::int64_t batch);
  bool goes_beyond(std::int64_t epoch, std::int64_t batch, std::int64_t batches) const;
};

}  // namespace etad::track
