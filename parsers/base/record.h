// What a log's runs consist of: the joint between the tracker, which makes records, and the history, which
// keeps them. Plain values, no views; everything a source says is keyed by the run's ordinal in that source,
// so that writing a record twice changes nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "parsers/base/time.h"

namespace etad {

enum class Job : std::uint8_t { train, test, time };  // `time`: caffe time and kin; never enters a model
enum class Phase : std::uint8_t { train, test };
enum class RunState : std::uint8_t {
  running,   // the log goes on
  finished,  // the log says it is done
  stopped,   // the log says it was stopped early
  failed,    // the log ends with a fatal error
  lost,      // the log just ends: still for long, or another run began in the file, or it is final
};

std::string_view name_of(Job job);
std::string_view name_of(Phase phase);
std::string_view name_of(RunState state);

// n iterations of one phase of one run, each over `samples_per_iteration` samples, took `seconds`:
// the regression's datum.
struct Segment {
  Phase phase = Phase::train;
  std::int64_t first_iteration = 0;        // of the run, at the segment's beginning
  std::int64_t iterations = 0;             // > 0
  std::int64_t samples_per_iteration = 0;  // batch size x iter_size x devices; 0: unknown
  Duration duration{};                     // > 0, tests and snapshots taken out
  std::optional<Instant> started_at;
};

// A displayed point of a run's training, or the moment at which it began to write a snapshot.
struct ProgressPoint {
  std::int64_t iteration = 0;
  std::optional<Instant> at;
  double loss = 0;        // NaN where not shown
  bool snapshot = false;  // then `at` is known and the loss is not
};

// The setting that lists which settings a table of measurements has columns for: they all tell runs apart.
inline constexpr std::string_view kTableSettings = "table_settings";

// What is known of one phase of a run. Sums are over the phase's segments.
struct PhaseSummary {
  std::optional<std::int64_t> batch_size;             // as configured, per device
  std::optional<std::int64_t> samples_per_iteration;  // batch size x iter_size x devices
  std::int64_t iterations = 0;
  Duration duration{};
  std::int64_t segments = 0;
  std::optional<double> joules;      // drawn for them, by all devices
  std::optional<double> peak_bytes;  // of memory, of any one device
};

// What a layer costs for one sample, counted from its description (parsers/network/costs.h). What the
// description does not say is absent: unknown is not zero.
struct LayerCosts {
  std::optional<double> operations;  // forward: multiply-adds, or what else is done per element
  std::optional<double>
      backward_operations;           // the gradients: of weights, and of inputs where they are needed
  std::optional<double> parameters;  // learned weights, whatever the batch
  std::optional<double> inputs;      // elements read
  std::optional<double> outputs;     // elements written
  std::optional<double> copies;      // elements the framework writes again for outputs with several readers
  std::optional<double> lowered;  // elements a convolution is unrolled to (im2col) before it is one product
};

// One layer of a network as its log describes it; dims without the batch dimension.
struct Layer {
  std::string name;
  std::string type;
  std::string parameters;  // canonical "key=value;…", what the fingerprint covers
  std::vector<std::vector<std::int64_t>> shapes;
  LayerCosts costs = {};
};

// A layer's average time in a timing run.
struct LayerTime {
  std::string layer;
  Duration forward{};
  Duration backward{};
};

// The state of a run. Sent whole at every change: the last one wins.
struct Run {
  std::int64_t ordinal = 0;  // 0, 1, 2, … within its source
  Job job = Job::train;
  RunState state = RunState::running;
  std::string framework;
  std::string network;       // empty: unknown
  std::string architecture;  // fingerprint, 8 hex digits; empty: unknown
  std::string host;
  std::string device;        // "Tesla K80"; "CPU"; empty: unknown
  std::int64_t devices = 0;  // 0: unknown
  std::optional<Instant> started_at;
  std::optional<Instant> ended_at;  // of a running run: its last line
  std::map<std::string, std::string> settings;
  PhaseSummary train;
  PhaseSummary test;
  std::optional<std::int64_t> iteration;        // reached
  std::optional<std::int64_t> max_iterations;   // planned
  std::optional<std::int64_t> first_iteration;  // where it began; > 0 after a resume
  std::optional<Duration> startup;              // first line to first training progress, tests taken out
  Duration snapshot_time{};                     // spent on snapshots: taken out of the segments
  std::int64_t snapshots = 0;
  std::int64_t stalls = 0;
  bool loss_is_nan = false;  // a diverged run: its times are not the network's
  std::string message;       // of a failed run
};

// How long a run that is over took by its log's clock. nullopt: it is not over, or its lines' times do not tell:
// they are missing, or leave less room than what was measured took (the last lines bear none, or those of several
// processes were put together).
std::optional<Duration> wall_time(const Run& run);

// What a monitoring trace tells of, point by point.
struct Series {
  std::string name;    // "gpu.power"
  std::string labels;  // canonical "gpu=0,uuid=GPU-…"
  std::string unit;    // "W"
};

struct Sample {  // a point of a series
  Instant at{};
  double value = 0;
};

// Points of one series, in the order they came.
struct SampledSeries {
  std::shared_ptr<const Series> series;  // never null
  std::vector<Sample> samples;
};

// Everything the lines of one batch added. `run` of an addition is the run's ordinal in its source.
struct Records {
  template <class T>
  struct Of {
    std::int64_t run;
    T value;
  };
  // All runs of the source from this ordinal on that were told of before are none: what the others here tell has taken
  // their place.
  std::optional<std::int64_t> withdrawn;
  std::vector<Run> runs;  // at most one a run: its latest state
  std::vector<Of<Segment>> segments;
  std::vector<Of<ProgressPoint>> points;
  std::vector<Of<std::vector<Layer>>> layers;
  std::vector<Of<std::vector<LayerTime>>> layer_times;
  std::vector<SampledSeries> sampled;  // a series may be there several times, or have no samples
  std::int64_t rejected = 0;  // measurements that could not be true (negative or zero durations, …)

  bool empty() const {
    return !withdrawn && runs.empty() && segments.empty() && points.empty() && layers.empty() &&
           layer_times.empty() && samples() == 0;
  }
  void clear() { *this = Records{}; }

  // Takes back what was told of the runs from `first` on.
  void withdraw(std::int64_t first);

  std::size_t samples() const {
    std::size_t all = 0;
    for (const SampledSeries& of : sampled) all += of.samples.size();
    return all;
  }
  void add_sample(Series of, Instant at, double value) {
    sampled.push_back({std::make_shared<const Series>(std::move(of)), {{at, value}}});
  }
  // `place`: where whoever brings many of them has seen the series last, and finds it now.
  void add_sample(const std::shared_ptr<const Series>& of, std::uint32_t& place, Instant at, double value) {
    if (place >= sampled.size() || sampled[place].series != of) {
      place = static_cast<std::uint32_t>(sampled.size());
      sampled.push_back({of, {}});
    }
    sampled[place].samples.push_back({at, value});
  }
  // Room for as many samples as others brought: who brings so many again has the series at the same places, and
  // nothing is moved while they come.
  void expect_samples_as_in(const Records& others) {
    for (const SampledSeries& of : others.sampled) {
      if (of.samples.size() < 2) continue;
      sampled.push_back({of.series, {}});
      sampled.back().samples.reserve(of.samples.size());
    }
  }
};

}  // namespace etad
