// What makes a window of training doubtful beside those measured before it: `before`, their sum; it shows n iterations
// that took so long. Internal to parsers/training.
#pragma once

#include <cstdint>

#include "parsers/base/record.h"
#include "parsers/training/training_progress.h"
#include "parsers/training/training_window.h"

namespace etad::track {

// A window much longer than those before it, and at quite another step time: lines of another training.
bool leaps(const PhaseSummary& before, std::int64_t n, Duration took);

// A window that begins where the count turned back, of many more steps than those before it: another training's line stood
// between, and it goes on where the run's own had come to.
bool returns(const PhaseSummary& before, const Window& window, std::int64_t n);

// A window that took far longer than all before it, or days where none was: the program stood still, or another
// one has gone on with the same count.
bool held_a_pause(const PhaseSummary& before, std::int64_t n, Duration took);

// Seconds a step. What is as slow as its neighbour is no outlier.
double pace_of(const Segment& window);
bool is_as_slow(double pace, double neighbour);

// The window that was left out for a pause was as slow as the one behind it.
bool was_no_pause(const Training& training);

// A window of many more steps than those before it, and slower ones by the clock: lines are missing, and with them those
// of what was not training.
bool lacks_lines(const PhaseSummary& before, std::int64_t n, Duration took);

// A window over the border of two epochs, far shorter than an epoch, took much less than so many steps do: the first of
// the two has fewer than its lines say.
bool lacks_steps(const PhaseSummary& before, std::int64_t n, std::int64_t steps_of_epoch, Duration took);

// Lines of many steps or of epochs, stamped within milliseconds: they tell at once of what was done before.
bool was_told_at_once(std::int64_t n, bool of_epochs, Duration took);

// A window's steps as a line states them, beside what the clock shows from line to line, which is all there is for them:
// what the line calls a step is another one than what it counts, or it speaks of several.
bool overstates(Duration stated, Duration shown);

// Tests that others do while the training goes on: the clock shows the steps' usual time with them in it, and much
// less without (`rest`).
bool ran_beside(const PhaseSummary& before, std::int64_t n, Duration tests, Duration rest);

}  // namespace etad::track
