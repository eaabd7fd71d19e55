// What a tracker consists of: one part for each thing that it follows. A part takes the events that are its
// own. What all of them remember is plain data (tracker_state.h); each run's track has a member for each part:
//
//   Part          Takes events in          Of                                          Remembers of a run
//   Runs          tracker_runs.cpp         where a run begins and ends, and which      Run, Stage
//                                          run a line belongs to
//   Values        tracker_values.cpp       settings, batch sizes, devices, and what    Quantities
//                 tracker_arguments.cpp    the source's labels and the program's
//                                          arguments add
//   Descriptions  tracker_description.cpp  descriptions of solver and nets             description.h
//   Windows       tracker_progress.cpp     where a line of progress says a run stands  training_window.h,
//                 tracker_windows.cpp      training between two displayed iterations   training_progress.h
//                 closed_windows.cpp       where those end: measurements or not
//                 tracker_wholes.cpp       a whole run, as its end or first line says
//                 tracker_positions.cpp    parts of epochs, and what counts on all of them
//                 tracker_snapshots.cpp    the snapshots in between
//                 bar_states.cpp           bars that are drawn anew for each epoch
//                 restarts.cpp             other starts of a program that says nothing
//   Tests         tracker_tests.cpp        test phases, testing jobs                   test_phase.h
//   Epochs        tracker_epochs.cpp       epochs, and what is stated of their steps   epoch_count.h
//                 tracker_headings.cpp     those that headings announce
//                 whole_epochs.cpp         bars at their ends, which state a whole one
//   Steps         tracker_steps.cpp        stated times and rates of steps, of layers  LayerTime
//   Tables        tracker_tables.cpp       rows of tables, samples
//
// Of what belongs to no single run, Runs decides which run is the current one, and Tables keeps the runs of a
// table. tracker.cpp says which event goes to which part, tracker_json.cpp saves what is remembered.
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

struct Pace;
struct Parts;

// One line's event, with the moment it speaks of. Owned by feed(); nothing of it is kept.
struct Moment {
  Moment(const Event& of, const std::optional<Instant>& at, Records& to) : event(of), now(at), out(to) {}
  Moment(const Event& of, std::optional<Instant>&& gone_at_once, Records& to) = delete;

  // Of the same moment, as long as that one is there.
  Moment with(const Event& other) const { return {other, now, out}; }

  const Event& event;
  const std::optional<Instant>& now;
  Records& out;
};

class Part {
 public:
  explicit Part(Parts& all);

 protected:
  Parts& all_;    // the other parts
  State& state_;  // what all of them remember
};

class Runs : Part {
 public:
  using Part::Part;

  void start(const Moment& m);
  void end(const Moment& m);
  void fail(const Moment& m);
  void fail_ended(const Moment& m);
  void close(Records& out);
  void flush(Records& out);

  RunTrack* open() {  // the run going on; nullptr: none
    return state_.current && !state_.current->ended() ? &*state_.current : nullptr;
  }
  RunTrack* ended() {  // the one that is over, and none has begun since; nullptr: none
    return state_.current && state_.current->ended() ? &*state_.current : nullptr;
  }
  RunTrack* under_way() {  // the run going on, where it has measured something; nullptr: none
    RunTrack* const r = open();
    return r && r->progressed() && r->run.state == RunState::running ? r : nullptr;
  }
  // The run that begins next, of which lines amid the one going on may tell already.
  RunTrack& upcoming();
  bool next_is_described() const;              // by more than what it runs on
  RunTrack& for_header(const Moment& m);       // the run this header line belongs to; may begin one
  RunTrack& for_measurement(const Moment& m);  // likewise for a line that shows a run going on
  RunTrack& for_progress(const Moment& m);     // … and getting on: its nets are complete, its start is over
  RunTrack& begin(const Moment& m);
  RunTrack& begin_or_go_on(const Moment& m);  // the latter where the run before was stopped early
  RunTrack& begin_again(const Moment& m);     // the same program counts from the beginning again
  void declare(RunTrack& r);
  void add_segment(RunTrack& r, const Segment& s, Records& out);
  void add_loss(RunTrack& r, std::int64_t iteration, const Moment& m);  // where the line shows one
  // By the first of its windows, of so many steps that took so long.
  void measure_beginning(RunTrack& r, const Anchor& from, std::int64_t steps, Duration took, Records& out);
  std::int64_t take_ordinal() { return state_.next_ordinal++; }  // for a run

  bool running() const {
    return state_.current && state_.current->declared() && state_.current->run.state == RunState::running;
  }
  void number_from(std::int64_t first, const std::map<std::int64_t, std::int64_t>& told);
  std::int64_t next_ordinal() const { return state_.next_ordinal; }

 private:
  RunTrack* ended_by(const Moment& m);
  void end_again(const Moment& m);
  void measure_whole(RunTrack& r, const Moment& m);
  void measure_by_rate(RunTrack& r, const Moment& m, std::int64_t steps);
  void measure_stated_alone(RunTrack& r, Records& out);
  void see_series(RunTrack& r, Records& out);
  void supersede(Records& out);               // the current run is over because another one begins
  void give_held(RunTrack& r, Records& out);  // what waited for lines that do not come any more
};

class Values : Part {
 public:
  using Part::Part;

  void setting(const Moment& m);
  void argument(const Event& event);
  bool hears_surroundings(EventKind kind) const;
  void surroundings(const Surroundings& said);

  void begin_with_arguments(RunTrack& r);  // a run that begins
  void take(RunTrack& r, const Event& event);
  void derive_batch_size(RunTrack& r, const Event& event) const;
  std::int64_t train_samples(const RunTrack& r) const;  // per iteration; 0: unknown
  std::int64_t test_samples(const RunTrack& r, std::int64_t net) const;
  std::int64_t samples(const RunTrack& r, Phase phase) const;  // of its first net, where it tests several
  std::int64_t test_iterations(const RunTrack& r, std::int64_t net) const;  // 0: unknown
  Run with_labels(const RunTrack& r) const;  // the run with all that is known of it, labels included
};

class Descriptions : Part {
 public:
  using Part::Part;

  void section(const Moment& m);
  void set_up_line(const Moment& m);

  void body_line(RunTrack& r, std::string_view line);
  void end_body(RunTrack& r);
  void finish_net(RunTrack& r, Records& out);
  void settle(RunTrack& r, const Net& net, Records& out);
};

// Of what a line counts so many make a step, and all of it so many steps.
struct OfStep {
  std::int64_t each = 0, steps = 0;
};

class Windows : Part {
 public:
  using Part::Part;

  void progress(const Moment& m);
  void resume(const Moment& m);
  void snapshot(const Moment& m);

  void position(RunTrack& r, const Moment& m);
  void count_logged(const Event& event);
  bool went_through(const Moment& m);
  void tell(PendingValue value);                       // of the next line of progress
  std::optional<PendingValue> pending(Field f) const;  // told and not used yet
  void end_bar(RunTrack& r, Records& out);             // nothing more comes of the bar that was drawn last
  void end_doubt(RunTrack& r, Records& out);

 private:
  bool stands_by_bar(const Event& event);
  bool is_said_again(const Moment& m);
  void join_pending(const Moment& m);
  void progress_of(const Moment& m, bool in_steps = false);
  bool is_beside_runs(const Moment& m);
  RunTrack& run_of_step(const Moment& m, double waited);
  void take_step(RunTrack& r, const Moment& m, std::int64_t iteration);
  std::optional<OfStep> counted_in_samples(RunTrack& r, const Event& event) const;
  std::optional<OfStep> counted_otherwise(RunTrack& r, const Event& event) const;
  void progress_in_steps(const Moment& m, const OfStep& counted);
  RunTrack* take_plan(RunTrack& going_on, const Moment& m);
  std::optional<std::int64_t> place(RunTrack& r, const Moment& m);
  std::optional<std::int64_t> iteration_of(RunTrack& r, const Event& event);
  void position_of_known(const Moment& m);
  bool epoch_of_all(RunTrack& r, const Moment& m);
  std::optional<std::int64_t> iteration_at(const RunTrack& r, const Event& event) const;  // by position
  void train_progress(RunTrack& r, const Moment& m, std::int64_t iteration);
  void show_progress(RunTrack& r, const Moment& m, std::int64_t iteration);
  void go_to(RunTrack& r, const Moment& m, Anchor here);
  void show_again(RunTrack& r, const Moment& m, const Anchor& here);
  void reach(RunTrack& r, const Moment& m, std::int64_t iteration);
  std::int64_t samples_of_step(const RunTrack& r, const Event& event) const;
  Statement statement_of(RunTrack& r, const Event& event, const Pace& pace, const Anchor& from,
                         const Anchor& to) const;
  void hold_stated_alone(RunTrack& r, const Event& event, const Anchor& here);
  Statement trusted_statement(RunTrack& r, const Event& event, const Pace& pace, const Anchor& to) const;
  void close_window(RunTrack& r, const Moment& m, const Anchor& to);
  void begin_window(RunTrack& r, const Anchor& from, Records& out);
  void give_window(RunTrack& r, Segment& window, Records& out);
};

class Tests : Part {
 public:
  using Part::Part;

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
  void see_wait(const Moment& m);
  void see_bar(const Moment& m);
  void begin_job(const Moment& m);
  void begin_shown(RunTrack& r, const Moment& m);
  void interval(RunTrack& r, const Moment& m, std::int64_t shown);
  void give(RunTrack& r, const TestPhase::Batches& batches, Records& out);
  void end_stated(RunTrack& r, const Moment& m, Duration took);
  void since_trained(RunTrack& r, const Moment& m);
};

class Epochs : Part {
 public:
  using Part::Part;

  void epoch(const Moment& m);
  void all_steps(const Moment& m);
  void begin_block(RunTrack& r, const Moment& m);
  void date_heading(RunTrack& r, Instant at, Records& out);  // by a line behind it
  void end_last(RunTrack& r, Records& out);                  // nothing more comes of the run
  void give_alone(RunTrack& r, Records& out);                // likewise, and no steps have come
  void take_steps(const Moment& m);                          // how many each has
  std::int64_t steps_of(const RunTrack& r, const Event& event, bool* derived) const;  // 0: unknown

 private:
  std::int64_t steps_shown(RunTrack& r, const Event& event, Phase phase) const;  // 0: unknown
  bool is_one_more(const Event& event) const;
  bool is_ahead(const Event& event);
  void one_more(const Moment& m);
  void of_training(const Moment& m);
  void read_line(const Moment& m);
  void give_to_run(const Moment& m);
  void epoch_of(RunTrack& r, const Moment& m);
  void epoch_of_samples(RunTrack& r, const Moment& m);
  bool counts_again(const Moment& m, std::int64_t epoch);
  bool measures_again(const Event& event, std::int64_t epoch);
  bool fills_bar_of_epochs(RunTrack* open, const Event& event);
  RunTrack& run_of(const Moment& m, std::optional<std::int64_t> number, bool begins);
  void take_up(RunTrack& r, const Moment& m, bool tests);
  void begin(RunTrack& r, const Moment& m, std::optional<std::int64_t> number);
  void end_by_throughput(RunTrack& r, const Moment& m);
  void see_amid(const Moment& m);
  void see_state(const Event& event);
  void see_part(const Event& event, std::int64_t of);
  void see_samples(const Event& event);
  void take_time(RunTrack& r, const Moment& m, bool tests);
  void end(RunTrack& r, const Moment& m, std::optional<std::int64_t> number);
  void measure(RunTrack& r, const Moment& m, Duration took);
  void hold_alone(RunTrack& r, const Moment& m, Duration took);
  void measure_announced(RunTrack& r, const Moment& m, std::int64_t number);
  void end_of_bar(RunTrack& r, const Moment& m);
  void end_plan(RunTrack& r, std::optional<std::int64_t> number);
  void end_with_last(RunTrack& r, const Event& event);
  void count_announced(RunTrack& r, const Event& event, std::int64_t number);
  void end_test(RunTrack& r, std::optional<Instant> at, Records& out);  // of the epoch that is over
  void give_announced(RunTrack& r, std::int64_t number, Instant began, Duration spent, Records& out);
};

class Steps : Part {
 public:
  using Part::Part;

  void step_time(const Moment& m);
  void throughput(const Moment& m);
  void layer_time(const Moment& m);
  void total_time(const Moment& m);

  void give_layer_times(RunTrack& r, Records& out);

 private:
  void step_zero(const Moment& m);
  void hold_amid(const Moment& m);
  bool measure_so_far(RunTrack& r, const Moment& m, std::int64_t shown_before, std::int64_t last,
                      Duration took);
  bool begins_anew(const RunTrack& r, const Moment& m, std::optional<std::int64_t> at) const;
};

class Tables : Part {
 public:
  using Part::Part;

  void segment(const Moment& m);
  void sample(const Moment& m);
  void flush(Records& out);

 private:
  Group& group_of(const Moment& m, const RunTrack& row, Phase phase, std::int64_t samples);
  void make_room_for(const Group& begun, Records& out);
};

struct Parts {
  explicit Parts(SourceContext given);
  Parts(const Parts&) = delete;  // they know each other by address
  Parts& operator=(const Parts&) = delete;

  SourceContext context;
  LabelledValues labels;
  State state;

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

  // What was known of the run going on when a line came, and what the line is to it.
  struct Before {
    bool open = false;
    std::optional<std::int64_t> ordinal;        // of a run that others have heard of
    bool drawn_again = false, of_test = false;  // a state that was there before; a test's bar
  };

  void feed(std::string_view line, const Event& event, const std::optional<Instant>& arrival, Records& out);
  bool describe(track::RunTrack& r, std::string_view line, const Event& event);
  Before hear(std::string_view line, const track::Moment& m);
  void dispatch(const track::Moment& m);
  void note_life(std::string_view line, const track::Moment& m, const Before& before);
};

// Shared by the parts.
inline constexpr std::string_view kGathered =
    "gradient_accumulation_steps";            // the setting: batches for a step
Phase phase_of(const Event& event, Job job);  // that the line speaks of, in a run of that job
bool add_to(Run& run, const Segment& s);      // to its phase's sums; false where they would overflow
void take_setting(track::RunTrack& r, std::string_view key, std::string_view value);
// Where a line says the training's own batch, that of the program's options no longer counts.
void drop_batch_of_options(track::Quantities& known, const Event& event);
bool is_amid(const track::RunTrack& r,
             std::int64_t iteration);      // of a training gone on with, the first shown
bool plan_done(const track::RunTrack& r);  // it has shown all that it planned
std::string_view setting_of(const Run& run, std::string_view key);  // empty: not said
std::int64_t number_set(const Run& run, std::string_view key);  // "11,900" is one, and "32.77K"; 0: not said
std::int64_t told_steps_of_epoch(const track::RunTrack& r);     // by a plan told in words, in both; or 0
std::int64_t planned_steps_of_epoch(const track::RunTrack& r);  // the same, where batches are steps; or 0
void note_derived(Run& run, std::string_view what);
void note_sizes(track::RunTrack& r);    // those of its quantities that are among its settings
void note_devices(track::RunTrack& r);  // likewise: those of a node, and how many nodes there are
// "0, 1, 2": the indices of devices, or that of one of them, of which each has a line of its own (since = "each").
void take_devices(track::RunTrack& r, const Event& event, std::string_view indices);
// What a program says of them again behind its training's end (since = "over").
void hear_devices_of_over(track::RunTrack& over, const Event& event);
// By the ways in which they share the work: "[2, 4, 2]", "pp=2, dp_shard=4, tp=2".
void note_mesh(track::RunTrack& r, std::string_view ways);
inline constexpr std::string_view kWayOfMesh = "mesh.";  // "mesh.tp": a setting of its own for each of them
void note_ways_of_mesh(track::RunTrack& r);
void count_epochs(track::RunTrack& r);  // for iterations
// Batches that are gathered for a step (unit = "batch") are fewer steps; else `n`.
std::int64_t steps_of_batches(const track::RunTrack& r, const Event& event, std::int64_t n);
bool is_state_of_bar(const Event& event);
bool counts_samples_of_epoch(const Event& event);                          // and measures nothing
std::int64_t done_by_state(const track::RunTrack& r, const Event& event);  // iterations, by such a one
void plan_epochs(track::RunTrack& r, const Event& event,
                 std::int64_t steps);  // so many epochs of so many steps

}  // namespace etad
