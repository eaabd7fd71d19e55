// Whether a line of progress is another start's of a program that says nothing when it starts: by what it counts, and by
// the last words of the one before. Internal to parsers/training.
#pragma once

#include <cstdint>
#include <optional>

#include "parsers/base/event.h"
#include "parsers/training/tracker_state.h"

namespace etad::track {

// Enough epochs without steps to be a training of their own, and whether steps behind them are another one's, which numbers
// its epochs anew.
bool is_training_alone(const EpochsAlone& alone);
bool begins_behind_alone(const RunTrack& r, const Event& event);

// What a program was about to write when it broke off stands behind the error, where it closes its log.
bool has_just_failed(const RunTrack& r, std::optional<Instant> now);

// The only place shown so far, out of no total, is what the lines behind it count to: a size, and no place.
void take_back_total(RunTrack& r, const Event& event);

// Batches of the epoch that a run began with, out of another number, stand far behind its last line, and that epoch had
// not come to its end, or the numbers are nearly the same, or the line says that it is a training's: no test, but a
// training that was begun anew with other data or another batch. So is one of as many, out of another number of epochs.
bool begins_anew_otherwise(const RunTrack& r, const Event& event);

// What was said last is that the training is over, or what it died of, and behind that its steps do not go on: they count
// from the beginning again, be it as those of an epoch would, or of a run that came no further than its first line.
bool counts_again_behind_end(const RunTrack& r, const Event& event);

// It died, and behind that its steps are far ahead of where it stood: it was gone on with from a snapshot of another.
bool goes_on_elsewhere_behind_end(const RunTrack& r, const Event& event, std::int64_t iteration);

// A record of a file that one process writes (key = "record") does not stand behind the one before: another start's, which
// goes on with the file.
bool falls_back(const RunTrack& r, const Event& event);

// What a bar counted without a loss, a hundred a second and more, were samples that were made ready; lines with a loss,
// which bear their times, count the steps of the training behind it.
bool begins_behind_data(const RunTrack& r, const Event& event);

}  // namespace etad::track
