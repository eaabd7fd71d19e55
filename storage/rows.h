// The history's rows as the rest of the daemon sees them: the joint between storage and those who ask it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "parsers/base/record.h"

namespace etad {

// A followed file (or an import): who it is, how far it has been read, and all we lost on the way.
struct SourceRow {
  std::int64_t id = 0;
  std::string path;           // as found; the name an import was given
  std::string kind = "file";  // file, import, journal
  std::string format;         // empty: not recognised yet
  std::string identity;       // device, inode and prefix fingerprint, as follow/ writes them; opaque here
  std::int64_t offset = 0;    // bytes read and committed: always just behind a newline
  std::string marker;         // hash of the last bytes before the offset; opaque here
  std::string head;           // hash of the first bytes, with their number; opaque here
  std::string carried{};      // the beginning of a line whose end lies in the next file; opaque here
  std::string state;          // the tracker's and the time context's; opaque here
  std::int64_t size = 0;      // when last looked at
  std::int64_t lines = 0, matched = 0, unmatched = 0, truncated = 0, rejected = 0;
  std::int64_t skipped_bytes = 0;  // NUL runs
  std::int64_t lost_bytes = 0;     // known to be gone unread (a truncation under us)
  std::string last_error;
  std::optional<Instant> read_at;
  bool gone = false;     // the file no longer exists; kept for its runs
  bool pending = false;  // an import not yet complete: its runs are not shown, a restart drops them
  std::optional<std::int64_t> owner;  // uid of the file's owner, or of who imported it; none: unknown
};

// A file that has been read to its end and will not be read again: rotated away, compressed, deleted.
// Remembered so that it is not taken for a new one when a glob finds it under another name.
struct FinishedFile {
  std::string identity;  // as follow/ writes it; opaque here
  std::string path;
  std::int64_t source_id = 0;
  Instant at{};
};

// One run with the ids only the history knows.
struct RunRow {
  std::int64_t id = 0;
  std::int64_t source_id = 0;
  std::string source;                 // the source's path
  std::string source_kind;            // SourceRow::kind
  std::optional<std::int64_t> owner;  // the source's when the run began
  Run run;                            // with the user's labels applied where the log left a value unknown
  std::optional<Instant> updated_at;
  std::map<std::string, std::string> labels;         // what the user said of it, and what was found out
  std::map<std::string, std::string> label_origins;  // of those found out: where ("command line")
};

// What a model is fitted for.
struct ModelKey {
  std::string network, architecture, framework, host, device;
  std::int64_t devices = 0;  // 0: unknown, which is a deployment of its own
  Phase phase = Phase::train;
  auto operator<=>(const ModelKey&) const = default;
};

// What a layer took in a timing run, an iteration over so many samples on one device.
struct TimedLayer {
  double samples = 0;
  LayerTime time;
};

// The owner of runs whose owner is not known.
inline constexpr std::int64_t kUnknownOwner = -1;

// Which of a model's runs are wanted; all where nothing is said.
struct RunsWanted {
  std::optional<std::int64_t> owner = {};  // of one owner alone
  std::optional<Instant> over_by = {};     // that were over by then
};

// A run's share of a model's data: what the regression needs of it and no more. `windows` holds at most
// the asked-for number of its segments, evenly spaced, so that work stays bounded.
struct RunData {
  std::int64_t run_id = 0;
  std::int64_t source_id = 0;
  std::int64_t owner = kUnknownOwner;
  std::int64_t place = 0;  // the owner's among those of the model's runs: who was there first has the lowest
  std::int64_t samples_per_iteration = 0;
  std::int64_t iterations = 0;  // sums over all its segments of the phase
  Duration duration{};
  std::optional<double> joules, peak_bytes;  // PhaseSummary's
  std::optional<Instant> started_at, ended_at;
  std::map<std::string, std::string> settings;  // as the log shows them
  bool loss_is_nan = false;
  std::optional<Duration> startup;  // Run::startup
  Duration snapshot_time{};         // Run::snapshot_time and Run::snapshots
  std::int64_t snapshots = 0;
  Duration tested{};  // of a training: what its tests took
  std::vector<Segment> windows;
};

// A fitted model as kept: `body` is the regression's own JSON (coefficients, errors, rivals, quantiles).
struct ModelRow {
  std::int64_t id = 0;
  ModelKey key;
  std::string body;  // empty: not kept, or not asked for
  Instant fitted_at{};
  std::int64_t owner = kUnknownOwner;  // who was there first: whose share of the evidence it is counted to
  std::int64_t runs = 0;
  std::optional<double> error_percent;  // cross-validated; none: there is nothing it was tested on
};

// Which models. What is left out may be anything.
struct ModelFilter {
  struct Name {
    std::string value;
    bool any_case = false;  // ASCII
  };
  std::optional<Name> network, architecture, framework, host, device;
  std::optional<std::int64_t> devices, id;
  std::int64_t after_id = 0;
  std::int64_t limit = 1000;
  bool any_order = false;  // where there are more than `limit`: whichever are found first
  bool bodies = false;
};

// What of a network names may be looked for.
enum class NameOf : std::uint8_t { network, architecture };

// How far the models are up to date.
struct RefitProgress {
  std::int64_t version = 0;     // of what fitted them: another one fits all anew
  std::int64_t generation = 0;  // of the history
};

// What a prediction of the track record is about.
enum class PredictionKind : std::uint8_t {
  total,      // seconds of the whole run, from its first line to its end
  remaining,  // seconds from the moment of the prediction to the run's end
};

// What we said of a run while it ran, and how right that was. Written once for each run, kind and fraction;
// neither a refit nor a later prediction for the same fraction changes it.
struct PredictionRow {
  std::int64_t run_id = 0;
  PredictionKind kind = PredictionKind::total;
  double at_fraction = 0;  // of the run's time (regression/checkpoints.h): 0, 0.05, 0.25 or 0.5
  Instant made_at{};
  double elapsed = 0;  // seconds of the run gone by then, on the log's own clock
  double seconds = 0, lower = 0, upper = 0, confidence = 0.9;
  std::optional<std::int64_t> model_id;  // none: from the run's own windows alone
  std::string basis;  // what it rests on: "model", "windows" (of the run) or "model and windows"
  // Filled in by score_run.
  std::optional<double> actual;         // seconds, of the same kind as `seconds`
  std::optional<double> error_percent;  // 100 (seconds - actual) / actual
  std::optional<bool> covered;          // lower <= actual <= upper
};

// A prediction whose run is over, and of which network that was.
struct ScoredPrediction {
  PredictionRow prediction;
  std::string network;
};

// The track record summed up over a group of scored predictions. An absent field means "over all of them".
struct AccuracyRow {
  std::optional<std::string> network;
  std::optional<PredictionKind> kind;
  std::optional<double> at_fraction;
  std::int64_t count = 0;
  double mean_error_percent = 0, median_error_percent = 0;  // of the absolute errors
  double bias_percent = 0;                                  // mean of the signed errors: > 0 is too slow
  double coverage = 0;                                      // share of actual values inside their interval
};

// A monitoring trace, such as the power of one GPU.
struct SeriesRow {
  std::int64_t id = 0;
  std::string name;    // "gpu.power"
  std::string labels;  // canonical "gpu=0,uuid=GPU-…"
  std::string unit;
  std::optional<Instant> first_at, last_at;
  std::int64_t samples = 0;  // ever taken; the raw ones expire
};

// One step of a series: the samples in [at, at + step).
struct SeriesPoint {
  Instant at{};
  double min = 0, mean = 0, max = 0;
  std::int64_t count = 0;
};

// Which part of which series, how finely.
struct SeriesQuery {
  std::string name;                           // empty: any
  std::map<std::string, std::string> labels;  // each must be among the series' labels with that value
  Instant from{}, to{};                       // [from, to)
  std::chrono::seconds step{0};               // 0: the samples themselves
  std::vector<std::int64_t> ids = {};         // of the series; empty: any
};

// The answer for one series. `step` is what could be given: never finer than asked for; coarser where the
// finer samples have expired. Empty steps have no point.
struct SeriesPoints {
  SeriesRow series;
  std::chrono::seconds step{0};
  std::vector<SeriesPoint> points;
};

}  // namespace etad
