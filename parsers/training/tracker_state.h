// What a tracker remembers between two lines. All of it is bounded, whatever the log says, and all of it is
// saved and restored: tracker_json.cpp names every member once. Internal to parsers/training.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parsers/base/event.h"
#include "parsers/base/record.h"
#include "parsers/training/description.h"
#include "parsers/training/epoch_count.h"
#include "parsers/training/last_words.h"
#include "parsers/training/line_numbers.h"
#include "parsers/training/test_phase.h"
#include "parsers/training/training_progress.h"
#include "parsers/training/training_window.h"

namespace etad::track {

inline constexpr std::size_t kMaxSettings = 96;
inline constexpr std::size_t kMaxText = 256;  // of one setting's value, a device's name, …
inline constexpr std::size_t kMaxMessage = 512;
inline constexpr std::size_t kMaxTestNets = 32;
inline constexpr std::size_t kMaxLayerTimes = 4096;
inline constexpr std::size_t kMaxStartRules = 8;
inline constexpr std::size_t kMaxGroups = 256;
inline constexpr std::size_t kMaxGroupBytes =
    128 * 1024;  // of all their texts: they are saved at each commit

// The numbers a run's measurements are multiplied out with, as the log gives them.
struct Quantities {
  std::optional<std::int64_t> batch_size;         // of training, per device
  std::optional<std::int64_t> global_batch_size;  // of training, over all devices
  bool batch_is_option = false;  // the program's, which what is said of its training takes the place of
  std::optional<std::int64_t> iter_size;
  std::optional<std::int64_t> devices;
  std::int64_t devices_heard = 0;  // in its surroundings, as `devices` until something surer says them
  std::int64_t tokens_per_iteration = 0, sequence_length = 0,
               dataset_size = 0;               // as its settings say; 0: unknown
  bool counts_epochs = false;                  // likewise: what its lines count as iterations are epochs
  std::vector<std::int64_t> test_batch_sizes;  // by test net; 0: unknown
  std::vector<std::int64_t> test_iterations;   // by test net
};

// How far a run has come. It never goes back.
enum class Stage : std::uint8_t {
  described,   // no more than a net that somebody loaded, perhaps: it has no ordinal
  declared,    // a run, of which others hear
  progressed,  // it has measured something: a start line begins another run from now on
  ended,       // its log said so
};

// The run that the lines of a log speak of: the record, how far it has come, and what each part follows of it
// (tracker_parts.h).
struct RunTrack {
  Run run;
  Stage stage = Stage::described;
  Quantities known;
  Description description;
  Window window;
  Training training;
  EpochCount epochs;
  std::optional<TestPhase> test;  // the one that is open
  LastWords last_words;
  std::vector<LayerTime> layer_times;
  std::vector<std::int64_t> start_rules;  // that have matched since it began
  std::optional<Instant> headed_at;       // the first of them
  bool dirty = false;                     // changed since it was last told
  bool headed = false;                    // the log shows how it began
  bool resumed = false;                   // … from a snapshot
  bool job_known = false;
  std::int64_t unmeasured_before = 0;  // starts in a row that it goes on with and that measured nothing

  bool declared() const { return stage >= Stage::declared; }
  bool progressed() const { return stage >= Stage::progressed; }
  bool ended() const { return stage == Stage::ended; }
  void reach(Stage next) { stage = std::max(stage, next); }
};

// A run of a table of measurements, whose rows may come interleaved with other runs'.
struct Group {
  std::string key;
  Run run;
  bool dirty = false;
};

// A value that a line of its own tells of the line of progress behind it.
struct PendingValue {
  Field field = Field::count_;
  double scale = 1;
  std::string text;
};

// What a program says that it was started with (EventKind::argument).
struct Arguments {
  std::string network;
  std::optional<std::int64_t> batch_size, global_batch_size, epochs;
  std::string precision;
  std::int64_t devices = 0;
  std::int64_t processes = 0, local_devices = 0;           // of each of them (local_devices_in)
  std::uint64_t ranks = 0;                                 // a bit for each that has written a line
  std::int64_t initialized = 0, seeded = 0, launched = 0;  // lines of each process (OfEachProcess)
  bool used = false;     // a run has begun with them: what comes now is another program's
  bool renewed = false;  // of which precision and devices are told already
};

// Lines that tell what part of the epochs is done, and no step: how many there were, and what the last one told. And how
// long the evaluations took that others told of, and the last of them.
struct Logged {
  std::int64_t lines = 0;
  double position = 0;
  double tests = 0, test = 0;  // seconds
};

// A bar that has begun and has not moved, which may be the training's. One that begins amid it is another's.
struct StandingBar {
  std::int64_t of = 0;
  double waited = 0;       // seconds that it has stood so far
  bool evaluates = false;  // a line has told of an evaluation
  std::optional<std::int64_t> amid;
};

struct State {
  std::int64_t next_ordinal = 0;
  std::optional<Instant> last_time;  // of the last line with one
  std::optional<RunTrack> current;
  // What was said since the current run's last measurement: of the next run, if another begins.
  std::optional<RunTrack> next;
  // The run before the current one, if it ended without a word and nothing told its plan.
  std::optional<Run> before;
  std::vector<Group> groups;          // least recently used first
  std::vector<PendingValue> pending;  // since the last line of progress
  Arguments arguments;
  Logged logged;
  std::optional<StandingBar> standing;
};

}  // namespace etad::track
