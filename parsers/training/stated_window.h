// What the line at a window's end states of its time. Internal to parsers/training.
#pragma once

#include <cstdint>

#include "parsers/base/event.h"
#include "parsers/training/training_window.h"

namespace etad::track {

Statement statement(double seconds, bool tests_inside, bool measured = false);

// What a line says of the time since the one before it; zero: nothing.
struct Pace {
  double lapse = 0, rate = 0;
  bool counts = false;  // it states both, and so of how many iterations it speaks

  explicit Pace(const Event& event);

  // Fewer than the window has where the solver was called anew in it, or where lines are missing.
  double iterations() const { return lapse * rate; }
  bool speaks_of_all(std::int64_t n) const;
};

Statement stated_window(const Event& event, const Pace& pace, const Anchor& from, const Anchor& to);

// Lines between which nothing can be measured, so that the window stays open: that state too little, that bear one
// stamp, that say no time amid others that count it.
bool too_soon_to_tell(const Anchor& from, const Anchor& to);
bool stamped_alike(const Event& event, const Anchor& from, const Anchor& to);
bool says_no_time(const Event& event, const Anchor& from, const Anchor& to);

}  // namespace etad::track
