// What the reading of a log remembers between two lines, as the history keeps it with the log's position: a
// daemon that was killed amid anything goes on as if nothing had happened. Private to parsers/log.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/record.h"
#include "parsers/traces/trace.h"

namespace etad {

// A line that a format recognised later may want.
struct HeldLine {
  std::string text;
  std::optional<Instant> arrival;
};

// Where a table of segments (parsers/training/segment_table.h) stands.
struct TableState {
  std::string header;
  std::int64_t lines = 0;
};

// Several processes of one run may all write the same measurements into its log: those of one of them count.
struct ChosenProcess {
  std::uint64_t speaker = 0;                // Event::speaker of that one; 0: none is chosen yet
  bool states_times = false;                // it says how long steps take
  std::int64_t measurements_of_others = 0;  // since its last
  std::optional<Instant> spoke_at;          // last, by its stamp
  std::vector<std::uint64_t> met;           // who has spoken: before one is chosen, and since beside it
  bool are_labelled = false;                // the last line that a rule knows came with a launcher's label
};

// What lines of steps that are unequally far apart show of the times beside them: of one step each, or of all steps
// since the line before.
struct StepTimesState {
  enum class Meaning : std::uint8_t { open, step, span };
  Meaning meaning = Meaning::open;
  std::optional<std::int64_t> epoch, step, apart;  // the last line's; its steps since the line before
  std::optional<double> took;
  std::optional<std::int64_t> usual_apart;  // of two lines in a row that were as far apart, and as long
  std::optional<double> usual;              // what they took
  std::int64_t lines = 0, of = 0;           // of the epoch so far; its steps, where they are told
  double sum = 0;                           // of what they say
  std::int64_t epochs_alone = 0;            // lines in a row of one epoch each, whose steps go on
  std::optional<double> of_first_step;  // what the log's first line says, where one step at most is behind it
};

// What the times still to come beside the batches of an epoch are of: of it, or of all of them.
struct TimeToComeState {
  enum class Of : std::uint8_t { open, epoch, all };
  Of of = Of::open;
  std::optional<std::int64_t> first;         // the first epoch's number
  std::optional<std::int64_t> epoch, batch;  // of the first line of this epoch
  double seconds = 0;                        // and the time it told
  std::int64_t done = 0;                     // what the line before had done of it,
  double spent = 0;            // and the seconds it took, if all went as fast as what is to come
  bool of_last_steps = false;  // it is worked out from the last steps, not from all of them
  // One that is too coarse to tell by itself, in what it was rounded to: where it came down first, and where last.
  struct Coarse {
    std::int64_t done = 0, least = 0;              // what the line before had done; the least told so far
    std::int64_t first_done = 0, first_units = 0;  // 0: it has not come down yet
    std::int64_t last_done = 0, last_units = 0;    // 0: only once
  };
  Coarse coarse;
};

// A stamped line of steps with a time beside them.
struct StampedTime {
  Instant at{};
  std::optional<std::int64_t> epoch, step;
  double seconds = 0;
};

// What the stamps of such lines show of those times.
struct StampedTimesState {
  enum class Of : std::uint8_t { step, span, beginning };
  Of of = Of::step;
  std::int64_t lines = 0;  // that show it, less those that do not
  std::optional<StampedTime> last;
};

// What is known of times that lines state without saying what they are of (parsers/log/unclear_times.h).
struct UnclearTimesState {
  // Of a run's times, once its lines have shown it: each a measurement of its own, counted from a beginning, of all
  // since the last one, or none of these.
  enum class Meaning : std::uint8_t { open, grown, own, elapsed, interval, none };
  Meaning meaning = Meaning::open;
  std::string told;  // on a line of its own: the next line's
  double told_scale = 1;
  bool told_so_far = false;                       // it says that it counts from a beginning
  std::string told_steps, told_rate;              // where it was a bar's
  std::optional<std::int64_t> bar, epoch_of_bar;  // the steps of the one that was an epoch's, and that epoch
  std::optional<double> first, last;              // seconds
  std::int64_t rises = 0;
  std::optional<std::int64_t> epoch, step;  // the last line's
  std::optional<Instant> epoch_at;          // its stamp, and how many times what it states had gone by
  double times_stated = 0;
  StepTimesState steps;
  bool counts_steps = false;  // lines do, beside those of epochs
  StampedTimesState stamped;
  TimeToComeState to_come;
};

// One format's reading.
struct ReadingState {
  std::string format;
  std::optional<Instant> last;     // the last line's time
  std::optional<Instant> carried;  // to the next line
  std::optional<int> year;         // stated by the log itself
  std::string tracker;             // Tracker::save()
  std::optional<TableState> table;
  std::int64_t measured = 0;  // segments since the reading began
  std::int64_t first_ordinal = 0;
  ChosenProcess chosen;
  UnclearTimesState unclear;
  bool needs_are_met = false;
  bool comes_late = false;       // by their stamps, lines are seen long after they are written
  std::optional<Duration> zone;  // added to stamps, by states without an offset; set: something has told it
  std::optional<std::int64_t> offset;  // from UTC, in seconds, of the log's own zone where it is another
  std::int64_t lines = 0;
  std::vector<std::int64_t> begun;          // behind how many of them its last runs began
  std::optional<std::int64_t> other_phase;  // how far the heading of another phase's settings is indented
};

// A reading that is not (yet) the one that counts, and what it has found.
struct RivalState {
  ReadingState reading;
  std::vector<Run> runs;
  std::vector<Records::Of<Segment>> segments;
  std::vector<Records::Of<ProgressPoint>> points;
  std::vector<Records::Of<std::vector<Layer>>> layers;
  std::vector<Records::Of<std::vector<LayerTime>>> layer_times;
  std::int64_t rejected = 0;
  std::int64_t matched = 0;  // lines that its rules know
};

// The search for the format that explains the log, which is never over for good.
struct SearchState {
  std::int64_t looked_at = 0;  // bytes, since there was something to see
  std::int64_t silent = 0;     // lines since the log measured last
  bool no_trace = false;       // it is no monitoring trace
  std::vector<RivalState> rivals;
  std::vector<HeldLine> held;
  // How many of these are the log's first ones; -1: a state of before did not say.
  std::int64_t held_first = -1;
  std::int64_t forgotten = 0;  // of those held
};

// What somebody said of the log.
struct StatedOptions {
  std::string format;
  std::map<std::string, std::string> labels;
};

struct LogState {
  std::optional<ReadingState> own;  // the one that counts
  // Without it: of a monitoring trace, or of a log that shows nothing yet.
  std::string format;
  std::optional<Instant> last;
  std::optional<int> year;
  std::optional<TraceState> trace;
  std::int64_t traced = 0;           // lines with samples
  std::vector<std::string> columns;  // of a trace without a header
  SearchState search;
  StatedOptions stated;  // where it is kept nowhere else
};

// The state of a trace in the form that was saved before version 2: what its header said can't be had
// otherwise when the daemon is upgraded, since the monitor writes it once. Nullopt: the text is anything else.
std::optional<LogState> trace_state_of_version_1(std::string_view text);

}  // namespace etad
