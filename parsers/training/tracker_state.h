// What a tracker remembers between two lines. All of it is bounded, whatever the log says, and all of it is
// saved and restored: tracker_json.cpp names every member once. Internal to parsers/training.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "parsers/base/record.h"
#include "parsers/network/architecture.h"
#include "parsers/network/prototext.h"

namespace etad::track {

inline constexpr std::size_t kMaxSettings = 96;
inline constexpr std::size_t kMaxText = 256;  // of one setting's value, a device's name, …
inline constexpr std::size_t kMaxMessage = 512;
inline constexpr std::size_t kMaxTestNets = 32;
inline constexpr std::size_t kMaxHeldTests = 64;  // of one window
inline constexpr std::size_t kMaxLayerTimes = 4096;
inline constexpr std::size_t kMaxStartRules = 8;
inline constexpr std::size_t kMaxGroups = 64;
inline constexpr std::int64_t kMaxCount = 1'000'000'000'000;  // no iteration or batch size is larger
// The longest time taken for a measurement: three years. A clock that jumps further is no clock.
inline constexpr double kMaxSeconds = 1e8;

// Where a window of training began: at a displayed iteration.
struct Anchor {
  std::int64_t iteration = 0;
  std::optional<Instant> at;
  std::optional<double> elapsed;      // seconds since the run's start, where the log counts them
  double error = 0;                   // by how much their rounding may be off
  std::optional<std::int64_t> epoch;  // where they are counted from its beginning: which one
  bool dated = false;  // the line shows its time itself, so that `at` is not that of its arrival
};

// A snapshot that has begun.
struct Save {
  Instant since;
  std::int64_t iteration = 0;  // of the training; 0: the line does not say
  Instant last_line;           // the last line since: it takes at least so long
};

// What happened since the anchor.
struct Window {
  std::optional<Anchor> from;
  Duration tests{};
  std::vector<Segment> held;  // those tests, until the window shows whether the clock was set
  std::int64_t snapshots = 0;
  std::optional<Save> saving;  // the last of them, until a line shows that it is over
  Duration saved{};            // what those took whose ends are known
  bool unclocked = false;      // holds one whose end no line shows
  bool broken = false;         // holds time that is no training, of unknown length
};

// A test phase that has begun and not ended.
struct OpenTest {
  std::int64_t iteration = 0;  // of the training, or the first batch of a testing job
  std::int64_t net = 0;        // which test net
  std::optional<Instant> since;
  std::int64_t announced = 0;  // iterations it will take, where its own lines say so
  std::int64_t done = 0;       // batches displayed so far
  std::optional<Instant> done_at;
  bool shows_batches = false;
  std::optional<std::int64_t> first_batch;  // the first one displayed: do they count from 0 or from 1?
  std::optional<Instant> began;             // before the first of them, by the mean
  double stated = 0;                        // seconds of the batches displayed, where the lines say so
  double stated_error = 0;                  // by how much their rounding may be off
  bool beside = false;                      // the training has gone on meanwhile
  std::int64_t given = 0;                   // of those batches, how many have been given out as segments
  double given_seconds = 0;                 // and their time
};

enum class Body : std::uint8_t { none, solver, net };
enum class NetRole : std::uint8_t { unknown, train, test };

// The description of solver and nets at a run's head, as far as it has been read.
struct Description {
  Body body = Body::none;  // what the lines without a header belong to
  PrototextReader reader;
  bool solver_seen = false;
  bool solver_cut = false;  // it broke off: what is missing in it is unknown, not default
  bool net_open = false;    // a net is being described or set up
  NetRole role = NetRole::unknown;
  std::int64_t net_index = 0;  // of a test net
  std::int64_t nets_seen = 0;
  NetBuilder builder;
  bool settled = false;  // the architecture is known for good

  bool begun() const { return solver_seen || net_open || nets_seen > 0; }
};

// The numbers a run's measurements are multiplied out with, as the log gives them.
struct Quantities {
  std::optional<std::int64_t> batch_size;         // of training, per device
  std::optional<std::int64_t> global_batch_size;  // of training, over all devices
  std::optional<std::int64_t> iter_size;
  std::optional<std::int64_t> devices;
  std::vector<std::int64_t> test_batch_sizes;  // by test net; 0: unknown
  std::vector<std::int64_t> test_iterations;   // by test net
};

// Where a run stands that counts in epochs.
struct EpochCount {
  std::optional<std::int64_t> steps;        // of each
  std::optional<std::int64_t> first;        // the first one displayed: do they count from 0 or from 1?
  std::optional<std::int64_t> first_batch;  // the same of batches within an epoch
  std::optional<std::int64_t> shown;        // the one displayed last, where epochs' lengths are unknown
  std::int64_t before = 0;                  // iterations seen before it
  std::optional<std::int64_t> last_batch;   // the batch displayed last, likewise
  std::optional<Instant> began;             // the epoch going on, where the log says when epochs end
  std::optional<std::int64_t> announced;    // the epoch that the log last said begins
  bool open = false;                        // and nothing has ended it yet
  std::optional<Duration> shortest;
};

// What is known of a run's training beside the window at hand.
struct Training {
  Duration tests_before{};  // before the first progress
  // From the first line to the first progress, where that shows iterations already done: they are taken out
  // of the start-up as soon as a window shows how long they take.
  std::optional<Duration> until_progress;
  std::int64_t done_before = 0;           // those iterations
  bool paced = false;                     // a window without a snapshot has been measured
  std::int64_t stride = 0;                // iterations between the two lines of progress shown last
  bool from_zero = false;                 // steps are counted from 0: step 9 is the tenth
  std::optional<std::int64_t> other_bar;  // of another length than the run's own, drawn amid it
  std::optional<std::int64_t> full_bar;   // the longest bar seen behind the end, full at once
  bool by_lines = false;                  // its iterations have been measured from line to line
};

// How far a run has come. It never goes back.
enum class Stage : std::uint8_t {
  described,   // no more than a net that somebody loaded, perhaps: it has no ordinal
  declared,    // a run, of which others hear
  progressed,  // it has measured something: a start line begins another run from now on
  ended,       // its log said so
};

// The run that the lines of a log speak of.
struct RunTrack {
  Run run;
  Stage stage = Stage::described;
  Quantities known;
  Description description;
  Window window;
  Training training;
  EpochCount epochs;
  std::optional<OpenTest> test;
  std::vector<LayerTime> layer_times;
  std::vector<std::int64_t> start_rules;  // that have matched since it began
  bool dirty = false;                     // changed since it was last told
  bool headed = false;                    // the log shows how it began
  bool resumed = false;                   // … from a snapshot
  bool job_known = false;

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
struct Told {
  Field field = Field::count_;
  double scale = 1;
  std::string text;
};

struct State {
  std::int64_t next_ordinal = 0;
  std::optional<Instant> last_time;
  std::optional<RunTrack> current;
  // What was said since the current run's last measurement: of the next run, if another begins.
  std::optional<RunTrack> next;
  std::vector<Group> groups;  // least recently used first
  std::vector<Told> told;     // since the last line of progress
};

}  // namespace etad::track
