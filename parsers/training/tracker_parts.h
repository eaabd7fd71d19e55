// What a tracker consists of: one part for each thing that it follows. A part takes the events that are its
// own, and keeps what it remembers in the run's track (tracker_state.h), in a struct of its own where it has
// one:
//
//   Runs          tracker_runs.cpp         where a run begins and ends; which run a line belongs to
//   Values        tracker_values.cpp       settings, batch sizes, devices, and what the source's labels add
//   Descriptions  tracker_description.cpp  descriptions of solver and nets, set-up lines
//   Windows       tracker_windows.cpp      training between two displayed iterations; resumes
//                 tracker_snapshots.cpp    the snapshots in between
//   Tests         tracker_tests.cpp        test phases, testing jobs
//   Epochs        tracker_epochs.cpp       epochs, and what is stated of all their steps
//   Steps         tracker_steps.cpp        stated times and rates of steps, times of layers
//   Tables        tracker_tables.cpp       rows of tables, samples
//
// tracker.cpp says which event goes to which part, tracker_json.cpp saves all of it. Internal to
// parsers/training.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

  RunTrack* open();                            // the run going on; nullptr: none
  RunTrack& for_header(const Moment& m);       // the run this header line belongs to; may begin one
  RunTrack& for_measurement(const Moment& m);  // likewise for a line that shows a run going on
  RunTrack& begin(const Moment& m);
  RunTrack& begin_or_go_on(const Moment& m);  // the latter where the run before was stopped early
  RunTrack& begin_again(const Moment& m);     // the same program counts from the beginning again
  void declare(RunTrack& r);
  void add_segment(RunTrack& r, const Segment& s, Records& out);

 private:
  void measure_whole(RunTrack& r, const Moment& m);
  void measure_by_rate(RunTrack& r, const Moment& m, std::int64_t steps);
  void supersede(Records& out);  // the current run is over because another one begins

  Parts& all_;
};

class Values {
 public:
  explicit Values(Parts& all) : all_(all) {}

  void setting(const Moment& m);

  void take(RunTrack& r, const Event& event);
  void derive_batch_size(RunTrack& r, const Event& event) const;
  std::int64_t train_samples(const RunTrack& r) const;  // per iteration; 0: unknown
  std::int64_t test_samples(const RunTrack& r, std::int64_t net) const;
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

 private:
  bool is_said_again(const Moment& m);
  void progress_of(const Moment& m);
  std::optional<std::int64_t> iteration_at(const RunTrack& r, const Event& event) const;  // by position
  void train_progress(RunTrack& r, const Moment& m, std::int64_t iteration);
  void close_window(RunTrack& r, const Moment& m, const Anchor& to);
  void begin_window(RunTrack& r, const Anchor& from, Records& out);
  void give_window(RunTrack& r, Segment window, Records& out);

  Parts& all_;
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

 private:
  void begin_shown(RunTrack& r, const Moment& m);
  void interval(RunTrack& r, const Moment& m, std::int64_t n);
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

 private:
  Group& group_of(const Moment& m, const RunTrack& row, Phase phase, std::int64_t samples);

  Parts& all_;
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

  void feed(std::string_view line, const Event& event, std::optional<Instant> arrival, Records& out);
  void dispatch(const track::Moment& m);
  std::string save() const;
  Result<void> restore(std::string_view text);
};

// Shared by the parts.
void end_save(track::Window& w, std::optional<Instant> at);  // a line shows that no snapshot is under way
void end_save_by_progress(track::Window& w, const track::Anchor& to, Duration took);
std::optional<std::int64_t> whole_number(std::string_view text);    // 0 … kMaxCount
std::optional<std::int64_t> count_of(const Event& event, Field f);  // 0 … kMaxCount
std::optional<std::int64_t> positive_of(const Event& event, Field f);
Phase phase_of(const Event& event, Job job);           // that the line speaks of, in a run of that job
Duration between(Instant from, Instant to);            // zero where it would be beyond kMaxSeconds
bool add_to(Run& run, const Segment& s);               // to its phase's sums; false where they would overflow
std::int64_t product(std::int64_t a, std::int64_t b);  // 0 where it would be beyond kMaxCount
void take_setting(Run& run, std::string_view key, std::string_view value);
void note_derived(Run& run, std::string_view what);
void plan_epochs(track::RunTrack& r, const Event& event,
                 std::int64_t steps);  // so many epochs of so many steps
std::optional<std::pair<double, double>> rounded(const Event& event, Field f);  // a number, and its rounding
bool is_fine(const std::pair<double, double>& number);  // rounding has taken next to nothing from it
// How many iterations took so long by a rate, of iterations or of samples, that the line states; 0: not
// known.
std::int64_t iterations_by_rate(const Event& event, Field rate, Duration took, std::int64_t samples,
                                std::int64_t planned);
std::optional<Duration> positive_seconds(std::optional<double> seconds);  // what can be a measurement

}  // namespace etad
