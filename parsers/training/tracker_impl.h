// The tracker's working parts. Internal to parsers/tracker*.cpp, which divide them by subject:
//   tracker.cpp              the public face, and which event goes where
//   tracker_runs.cpp         where a run begins and ends
//   tracker_values.cpp       settings, batch sizes, devices, and what the source's labels add
//   tracker_description.cpp  solver and net descriptions, set-up lines
//   tracker_windows.cpp      windows of training, resumes
//   tracker_snapshots.cpp    what the snapshots within the windows take
//   tracker_tests.cpp        test phases, testing jobs
//   tracker_measures.cpp     frameworks that state measurements: steps, rates, epochs, tables, traces
//   tracker_json.cpp         saving and restoring
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

struct Tracker::Impl {
  explicit Impl(SourceContext given);

  // One line's event, with the moment it speaks of. Owned by feed(); nothing of it is kept.
  struct Moment {
    const Event& event;
    std::optional<Instant> now;
    Records& out;
  };

  // tracker.cpp
  void feed(std::string_view line, const Event& event, std::optional<Instant> arrival, Records& out);
  void dispatch(const Moment& m);

  // tracker_runs.cpp
  track::RunTrack& run_for_header(const Moment& m);  // the run this header line belongs to; may begin one
  track::RunTrack& run_for_measurement(const Moment& m);  // likewise for a line that shows a run going on
  track::RunTrack* open_run();                            // the run going on; nullptr: none
  track::RunTrack& begin(const Moment& m);
  track::RunTrack& begin_again(const Moment& m);  // the same program counts from the beginning again
  void declare(track::RunTrack& r);
  void start(const Moment& m);
  void end(const Moment& m);
  void measure_whole(track::RunTrack& r, const Moment& m);
  void measure_by_rate(track::RunTrack& r, const Moment& m, std::int64_t steps);
  void fail(const Moment& m);
  void supersede(Records& out);  // the current run is over because another one begins
  void close(Records& out);
  void flush(Records& out);

  // tracker_values.cpp
  void setting(const Moment& m);
  void take_values(track::RunTrack& r, const Event& event);
  void derive_batch_size(track::RunTrack& r, const Event& event) const;
  std::int64_t train_samples(const track::RunTrack& r) const;  // per iteration; 0: unknown
  std::int64_t test_samples(const track::RunTrack& r, std::int64_t net) const;
  std::int64_t test_iterations(const track::RunTrack& r, std::int64_t net) const;  // 0: unknown
  Run told(const track::RunTrack& r) const;  // the run with all that is known of it, labels included

  // tracker_description.cpp
  void section(const Moment& m);
  void body_line(track::RunTrack& r, std::string_view line);
  void end_body(track::RunTrack& r);
  void set_up_line(const Moment& m);
  void finish_net(track::RunTrack& r, Records& out);
  void settle(track::RunTrack& r, const Net& net, Records& out);

  // tracker_windows.cpp
  bool is_said_again(const Moment& m);
  void progress(const Moment& m);
  std::optional<std::int64_t> iteration_at(const track::RunTrack& r,
                                           const Event& event) const;  // by position
  void position(track::RunTrack& r, const Moment& m);
  void train_progress(track::RunTrack& r, const Moment& m, std::int64_t iteration);
  void close_window(track::RunTrack& r, const Moment& m, const track::Anchor& to);
  void resume(const Moment& m);
  void add_segment(track::RunTrack& r, const Segment& s, Records& out);

  // tracker_snapshots.cpp
  void snapshot(const Moment& m);
  void give_window(track::RunTrack& r, Segment window, Records& out);

  // tracker_tests.cpp
  void test_progress(const Moment& m);
  void begin_shown_test(track::RunTrack& r, const Moment& m);
  void test_stretch(track::RunTrack& r, const Moment& m, std::int64_t n);
  void give_stated_test(track::RunTrack& r, Records& out);
  void test_start(const Moment& m);
  void test_result(const Moment& m);
  bool is_test_after_end(const Moment& m) const;
  void end_stated_test(track::RunTrack& r, const Moment& m, Duration took);
  void end_test(track::RunTrack& r, std::optional<Instant> at, Records& out);
  void release_tests(track::RunTrack& r, Records& out);
  void go_on_beside_test(track::RunTrack& r, const Moment& m);

  // tracker_measures.cpp
  void step_zero(const Moment& m);
  void step_time(const Moment& m);
  void epoch_steps(const Moment& m);
  std::int64_t steps_shown(track::RunTrack& r, const Event& event, Phase phase) const;  // 0: unknown
  void throughput(const Moment& m);
  void epoch(const Moment& m);
  bool counts_again(const Event& event, std::int64_t epoch);
  std::int64_t steps_of_epoch(const track::RunTrack& r, const Event& event,
                              bool* derived) const;  // 0: unknown
  bool measures_again(const Event& event, std::int64_t epoch);
  void epoch_segment(track::RunTrack& r, const Moment& m, Duration took);
  void segment(const Moment& m);
  track::Group& group_of(const Moment& m, const track::RunTrack& row, Phase phase, std::int64_t samples);
  void layer_time(const Moment& m);
  void total_time(const Moment& m);
  void sample(const Moment& m);
  void give_layer_times(track::RunTrack& r, Records& out);

  // tracker_json.cpp
  std::string save() const;
  Result<void> restore(std::string_view text);

  SourceContext context;
  LabelledValues labels;
  track::State state;
};

// Shared by the parts above.
void end_save(track::Window& w, std::optional<Instant> at);  // a line shows that no snapshot is under way
void end_save_by_progress(track::Window& w, const track::Anchor& to, Duration took);
std::optional<std::int64_t> whole_number(std::string_view text);    // 0 … kMaxCount
std::optional<std::int64_t> count_of(const Event& event, Field f);  // 0 … kMaxCount
std::optional<std::int64_t> positive_of(const Event& event, Field f);
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
