// What the line at the end of a window of training says of its time. Internal to parsers/training.
#pragma once

#include <cstdint>

#include "parsers/base/event.h"
#include "parsers/training/training_window.h"

namespace etad::track {

// What a line says of the time since the one before it; zero: nothing.
struct Pace {
  double lapse = 0, rate = 0;
  bool counts = false;  // it states both, and so of how many iterations it speaks

  explicit Pace(const Event& event);

  // Fewer than the window has where the solver was called anew in it, or where lines are missing.
  double iterations() const { return lapse * rate; }
  bool speaks_of_all(std::int64_t n) const;
};

Statement statement(double seconds, bool tests_inside, bool measured = false);

// How long all of the window took, by what the line states, or what it and the one before it count.
Statement stated_window(const Event& event, const Pace& pace, const Anchor& from, const Anchor& to);

// What the line states was summed up from step to step: whatever was done between them is not in it.
inline bool sums_its_steps(const Event& event) {
  return event.text(Field::since) == "display";
}

// It speaks of a part only, and the whole went at quite another step time: something else lies in between,
// such as another run of which the log shows no beginning.
bool holds_something_else(const Pace& pace, const Anchor& from, const Anchor& to);

// A line that tells too little of the time to close the window, which stays open for the next one.
bool tells_no_time_yet(const Event& event, const Anchor& from, const Anchor& to);

}  // namespace etad::track
