// Times that a line states without saying what they are of ("Time: 62.5"): they reach the tracker as what the
// log's lines together show them to be. The rules call such a time `duration`.
//
// Of lines that end an epoch it is the epoch's own time, unless it grows from line to line, twice in a row by much of
// the first one's, or, in a log that begins amid a training, by what each epoch before took: then it counts from the
// run's beginning, until it falls. What the first line of such a log states is left out. Of lines of progress that
// bear no time of their own it counts from a beginning where it grows from line to line; where it does not, and each
// line is one step further, it is the step's own. Otherwise the lines may show whether it is of one step or of all
// since the last line (step_times.h). Of stamped lines the stamps show it (stamped_times.h). A time on a line of its
// own is that of the next line of progress; where such times do not grow, each is of all steps since the one before
// it. A bar at its end, above the line that numbers its epoch, is such a time too, and says the epoch's steps.
//
// A line whose only time is the one still to come says how long its steps took by that (time_to_come.h).
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
  void take_episode(Event& event) const;
  void resolve_bar(Event& event);
  void resolve_duration(Event& event);
  void resolve_epoch(Event& event, double seconds);
  bool is_far_off_stamps(const Event& event, double seconds);
  void resolve_progress(Event& event, double seconds, bool told);
  void see_progress_time(double seconds, bool told, bool same_epoch, bool one_step);
  void say_progress_time(Event& event, double seconds, bool told, bool one_step, std::int64_t since_last);
  void take_time_to_come(Event& event);
  bool take_step_time(Event& event, std::optional<std::int64_t> epoch, std::optional<std::int64_t> step,
                      double seconds);
  void begin(std::optional<std::int64_t> epoch, std::optional<std::int64_t> step, double seconds);
  void say(Event& event, Field as, double seconds);

  UnclearTimesState state_;
  std::string said_, heard_, steps_;  // the texts of values that were worked out, or told before
};

}  // namespace etad
