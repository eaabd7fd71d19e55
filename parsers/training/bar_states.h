// States of progress bars that are drawn anew for each epoch. Internal to parsers/training.
#pragma once

#include <optional>
#include <string>

#include "parsers/base/event.h"
#include "parsers/training/tracker_state.h"

namespace etad::track {

// The first state shown of an epoch's bar: the bar counts from the epoch's beginning, where nothing was done. It
// shows whole seconds. Likewise a first iteration whose time is said to count from the beginning (since = "start"), and
// the first line of a later epoch whose mean is that of all its steps: the first of these waits for data, and belongs to
// what the epoch takes. A run's very first step is no step like others.
std::optional<Anchor> beginning_of_bar(const Event& event, const Anchor& here,
                                       const std::optional<Anchor>& from);

// The first states of a bar of a later epoch, in a log that shows nothing before: a training that was gone on with draws
// the steps done before in no time, and what comes next shows whether this one did.
bool may_rush(const RunTrack& r, const Segment& window);
bool rushes(const Segment& first, const Segment& next);

// Lines that bear no time count the steps of each epoch out of so many and have come to about its end: the line of the
// epoch behind them tells how long all of these took. How many they are; 0: there are none such.
std::int64_t steps_without_times(const RunTrack& r);

// What counts as one is an epoch, of as many steps as the log has told before that shows none of them; 0: it has not.
std::int64_t steps_told_of_one(const RunTrack& r, const Event& event);

// A line that numbers its epoch out of so many, behind the bar of that epoch which names none: as many steps as all of
// them have are planned.
void plan_bars(RunTrack& r, const Event& event);

// The first steps of a run whose plan has been told in words are out of fewer, so many times as many: an epoch's.
bool is_planned_for_each(const RunTrack& r, const Event& event);

// The run's own bar is drawn again at the same iteration, behind another one or long after: in the time since it was drawn
// before, no step was done.
void see_wait(RunTrack& r, const Event& event, const Anchor& here);

// Where the run stands by the lines behind its bar's last state, where those told of so many steps each, or by what another
// series shows behind the last step of the one that is followed.
std::optional<std::int64_t> reached_by_lines(const RunTrack& r);

// What a line about an epoch's bar that counts the steps of its tests, too, would say if it counted its own alone. A line
// about such a test is as it is, and remembered.
class BarWithoutTests {
 public:
  BarWithoutTests(RunTrack& r, const Event& shown);
  BarWithoutTests(const BarWithoutTests&) = delete;  // the event's texts are its own
  BarWithoutTests& operator=(const BarWithoutTests&) = delete;

  const Event* told() const { return amid_test_ ? nullptr : &event_; }  // nullptr: a test goes on

 private:
  void tell(Field done, Field of, Field time, const TestsOfBar::Own& own);

  Event event_;
  std::string done_, of_, time_;
  bool amid_test_ = false;
};

// The bar is full.
bool ends_bar(const Event& event, const Anchor& here);

}  // namespace etad::track
