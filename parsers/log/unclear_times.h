// Times that a line states without saying what they are of ("Time: 62.5"): they reach the tracker as what the
// log's lines together show them to be. The rules call such a time `duration`.
//
// Of lines that end an epoch it is the epoch's own time, unless it grows from line to line, twice in a row by much
// of the first one's: then it counts from the run's beginning, until it falls. Of lines of progress that bear no
// time of their own it counts from a beginning where it grows from line to line; where it does not, and each line is
// one step further, it is the step's own. Otherwise lines that are unequally far apart tell whether it is of one
// step or of all since the last line, such as those around an epoch's end: where it stays the same it is one step's;
// and so does an epoch's own time, which as many steps at either make up. Before they do, it is not taken. One line
// for each epoch, of steps that go on from epoch to epoch, says what all of them took. A time on a line of its own
// is that of the next line of progress; where such times do not grow, each is of all steps since the one before it.
// A bar at its end, above the line that numbers its epoch, is such a time too, and says the epoch's steps.
//
// Where a line of progress says no time but the one still to come, the steps done took as long each as it takes
// those to come to take: that is how it was worked out. Beside the batches of one of several epochs it may be of all of
// them: it comes down as the epoch goes on, or it hardly does.
#pragma once

#include <optional>
#include <string>

#include "parsers/base/event.h"
#include "parsers/log/log_state.h"

namespace etad {

class UnclearTimes {
 public:
  UnclearTimes() = default;
  explicit UnclearTimes(UnclearTimesState state) : state_(std::move(state)) {}

  // Replaces the event's `duration`. Values it adds are good until the next call.
  void resolve(Event& event);

  const UnclearTimesState& state() const { return state_; }

 private:
  void hear(Event& event);
  void resolve_bar(Event& event);
  void resolve_duration(Event& event);
  double weigh_epoch(double seconds);
  void resolve_epoch(Event& event, double seconds);
  void resolve_progress(Event& event, double seconds, bool told);
  void take_time_to_come(Event& event);
  TimeToComeState::Of time_to_come_of(const Event& event, double seconds);
  bool take_step_time(Event& event, std::optional<std::int64_t> epoch, std::optional<std::int64_t> step,
                      double seconds);
  void begin(std::optional<std::int64_t> epoch, std::optional<std::int64_t> step, double seconds);
  void say(Event& event, Field as, double seconds);

  UnclearTimesState state_;
  std::string said_, told_, steps_;  // the texts of values that were worked out, or told before
};

}  // namespace etad
