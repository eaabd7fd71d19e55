// What a tracker consists of: one part for each thing that it follows. A part takes the events that are its
// own. What it remembers of a run is its own too, private, and lies in the run's track (tracker_state.h); the
// other parts ask for it and change it by the methods of its class alone:
//
//   Part          Takes events in          Of                                          Remembers of a run
//   Runs          tracker_runs.cpp         where a run begins and ends, and which      Run, Stage
//                                          run a line belongs to
//   Values        tracker_values.cpp       settings, batch sizes, devices, and what    Quantities
//                                          the source's labels add
//   Descriptions  tracker_description.cpp  descriptions of solver and nets             description.h
//   Windows       tracker_windows.cpp      training between two displayed iterations   training_window.h,
//                 tracker_snapshots.cpp    the snapshots in between                    training_progress.h
//   Tests         tracker_tests.cpp        test phases, testing jobs                   test_phase.h
//   Epochs        tracker_epochs.cpp       epochs, and what is stated of their steps   epoch_count.h
//   Steps         tracker_steps.cpp        stated times and rates of steps, of layers  LayerTime
//   Tables        tracker_tables.cpp       rows of tables, samples
//
// What belongs to no single run is private to the part: which run is the current one to Runs, the runs of a
// table to Tables. tracker.cpp says which event goes to which part, tracker_json.cpp saves all of it.
// Internal to parsers/training.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/training/tracker.h"
#include "parsers/training/tracker_state.h"

namespace etad {

// The values of a source's labels, read once.
struct LabelledValues {
  std::string network, device, host, solver_type;
  std::optional<std::int64_t> batch_size, global_batch_size, iter_size, devices, test_batch_size, test_iter,
      max_iter, steps_per_epoch;
  std::map<std::string, std::string> settings;  // whatever else there is

  static LabelledValues of(const std::map<std::string, std::string>& labels);
};

namespace track {

struct Parts;

// One line's event, with the moment it speaks of. Owned by feed(); nothing of it is kept.
struct Moment {
  const Event& event;
  std::optional<Instant> now;
  Records& out;
};

class Runs {
 public:
  explicit Runs(Parts& all) : all_(all) {}

  void start(const Moment& m);
  void end(const Moment& m);
  void fail(const Moment& m);
  void close(Records& out);
  void flush(Records& out);

  RunTrack* open();   // the run going on; nullptr: none
  RunTrack* ended();  // the one that is over, and none has begun since; nullptr: none
  // The run that begins next, of which lines amid the one going on may tell already.
  RunTrack& upcoming();
  RunTrack& for_header(const Moment& m);       // the run this header line belongs to; may begin one
  RunTrack& for_measurement(const Moment& m);  // likewise for a line that shows a run going on
  RunTrack& for_progress(const Moment& m);     // … and getting on: its nets are complete, its start is over
  RunTrack& begin(const Moment& m);
  RunTrack& begin_or_go_on(const Moment& m);  // the latter where the run before was stopped early
  RunTrack& begin_again(const Moment& m);     // the same program counts from the beginning again
  void declare(RunTrack& r);
  void add_segment(RunTrack& r, const Segment& s, Records& out);
  void add_loss(RunTrack& r, std::int64_t iteration, const Moment& m);  // where the line shows one
  std::int64_t take_ordinal() { return next_ordinal_++; }               // for a run

  bool running() const;
  void number_from(std::int64_t first);
  std::int64_t next_ordinal() const { return next_ordinal_; }

  void save(State& to) const;
  void restore(State& from);

 private:
  void measure_whole(RunTrack& r, const Moment& m);
  void measure_by_rate(RunTrack& r, const Moment& m, std::int64_t steps);
  void supersede(Records& out);               // the current run is over because another one begins
  void give_held(RunTrack& r, Records& out);  // what waited for lines that do not come any more

  Parts& all_;
  std::int64_t next_ordinal_ = 0;
  std::optional<RunTrack> current_;
  std::optional<RunTrack> next_;  // what was said since the current one's last measurement
};

class Values {
 public:
  explicit Values(Parts& all) : all_(all) {}

  void setting(const Moment& m);

  void take(RunTrack& r, const Event& event);
  void derive_batch_size(RunTrack& r, const Event& event) const;
  std::int64_t train_samples(const RunTrack& r) const;  // per iteration; 0: unknown
  std::int64_t test_samples(const RunTrack& r, std::int64_t net) const;
  std::int64_t samples(const RunTrack& r, Phase phase) const;  // of its first net, where it tests several
  std::int64_t test_iterations(const RunTrack& r, std::int64_t net) const;  // 0: unknown
  Run told(const RunTrack& r) const;  // the run with all that is known of it, labels included

 private:
  Parts& all_;
};

class Descriptions {
 public:
  explicit Descriptions(Parts& all) : all_(all) {}

  void section(const Moment& m);
  void set_up_line(const Moment& m);

  void body_line(RunTrack& r, std::string_view line);
  void end_body(RunTrack& r);
  void finish_net(RunTrack& r, Records& out);
  void settle(RunTrack& r, const Net& net, Records& out);

 private:
  Parts& all_;
};

class Windows {
 public:
  explicit Windows(Parts& all) : all_(all) {}

  void progress(const Moment& m);
  void resume(const Moment& m);
  void snapshot(const Moment& m);

  void position(RunTrack& r, const Moment& m);
  void tell(Told value);  // of the next line of progress

  void save(State& to) const { to.told = told_; }
  void restore(State& from) { told_ = std::move(from.told); }

 private:
  bool is_said_again(const Moment& m);
  void progress_of(const Moment& m);
  std::optional<std::int64_t> iteration_of(RunTrack& r, const Event& event, std::int64_t steps_per_epoch);
  std::optional<std::int64_t> iteration_at(const RunTrack& r, const Event& event) const;  // by position
  void train_progress(RunTrack& r, const Moment& m, std::int64_t iteration);
  void close_window(RunTrack& r, const Moment& m, const Anchor& to);
  void begin_window(RunTrack& r, const Anchor& from, Records& out);
  void give_window(RunTrack& r, Segment window, Records& out);

  Parts& all_;
  std::vector<Told> told_;  // since the last line of progress
};

class Tests {
 public:
  explicit Tests(Parts& all) : all_(all) {}

  void start(const Moment& m);
  void progress(const Moment& m);
  void result(const Moment& m);

  bool is_after_end(const Moment& m) const;
  void end(RunTrack& r, std::optional<Instant> at, Records& out);
  void give_stated(RunTrack& r, Records& out);
  void release(RunTrack& r, Records& out);
  void go_on_beside(RunTrack& r, const Moment& m);
  void since_progress(RunTrack& r, const Moment& m);

 private:
  void begin_shown(RunTrack& r, const Moment& m);
  void interval(RunTrack& r, const Moment& m, std::int64_t shown);
  void give(RunTrack& r, const TestPhase::Batches& batches, Records& out);
  void end_stated(RunTrack& r, const Moment& m, Duration took);

  Parts& all_;
};

class Epochs {
 public:
  explicit Epochs(Parts& all) : all_(all) {}

  void epoch(const Moment& m);
  void all_steps(const Moment& m);

 private:
  std::int64_t steps_shown(RunTrack& r, const Event& event, Phase phase) const;       // 0: unknown
  std::int64_t steps_of(const RunTrack& r, const Event& event, bool* derived) const;  // 0: unknown
  bool counts_again(const Event& event, std::int64_t epoch);
  bool measures_again(const Event& event, std::int64_t epoch);
  void measure(RunTrack& r, const Moment& m, Duration took);
  void measure_announced(RunTrack& r, const Moment& m, std::int64_t number);

  Parts& all_;
};

class Steps {
 public:
  explicit Steps(Parts& all) : all_(all) {}

  void step_time(const Moment& m);
  void throughput(const Moment& m);
  void layer_time(const Moment& m);
  void total_time(const Moment& m);

  void give_layer_times(RunTrack& r, Records& out);

 private:
  void step_zero(const Moment& m);

  Parts& all_;
};

class Tables {
 public:
  explicit Tables(Parts& all) : all_(all) {}

  void segment(const Moment& m);
  void sample(const Moment& m);
  void flush(Records& out);

  void save(State& to) const { to.groups = groups_; }
  void restore(State& from) { groups_ = std::move(from.groups); }

 private:
  Group& group_of(const Moment& m, const RunTrack& row, Phase phase, std::int64_t samples);

  Parts& all_;
  std::vector<Group> groups_;  // least recently used first
};

struct Parts {
  explicit Parts(SourceContext given);
  Parts(const Parts&) = delete;  // they know each other by address
  Parts& operator=(const Parts&) = delete;

  SourceContext context;
  LabelledValues labels;

  Runs runs{*this};
  Values values{*this};
  Descriptions descriptions{*this};
  Windows windows{*this};
  Tests tests{*this};
  Epochs epochs{*this};
  Steps steps{*this};
  Tables tables{*this};
};

}  // namespace track

struct Tracker::Impl : track::Parts {
  using Parts::Parts;

  std::optional<Instant> last_time;  // of the last line with one

  void feed(std::string_view line, const Event& event, std::optional<Instant> arrival, Records& out);
  void dispatch(const track::Moment& m);
  std::string save() const;
  Result<void> restore(std::string_view text);
};

// Shared by the parts.
Phase phase_of(const Event& event, Job job);  // that the line speaks of, in a run of that job
bool add_to(Run& run, const Segment& s);      // to its phase's sums; false where they would overflow
void take_setting(Run& run, std::string_view key, std::string_view value);
std::string_view setting_of(const Run& run, std::string_view key);  // empty: not said
std::int64_t tokens_per_iteration(const Run& run);                  // 0: unknown
void note_derived(Run& run, std::string_view what);
void plan_epochs(track::RunTrack& r, const Event& event,
                 std::int64_t steps);  // so many epochs of so many steps

}  // namespace etad
