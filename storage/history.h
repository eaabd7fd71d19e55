// The history: one SQLite database that holds the only truth. One writer at a time, any number of
// query-only readers. docs/schema.md describes the tables.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/base/record.h"
#include "storage/rows.h"

namespace etad {

// What one source adds in one commit. The source's row and its records go in together or not at all.
struct SourceCommit {
  SourceRow source;  // id 0: new; the id is filled in
  Records records;
  std::vector<FinishedFile> finished;  // files of this source that ended with these records
  std::int64_t bytes = 0;              // of log that was read for them
};

// What the sources of one owner may add to the history; 0: any number. Beyond, new networks (with their
// runs), runs and series are refused, and of log beyond the day's bytes all but the runs' states.
struct Budgets {
  std::int64_t networks = 2'000, runs = 200'000, series = 4'096;
  std::int64_t bytes_a_day = std::int64_t{4} << 30;  // UTC
  std::int64_t finished_files = 50'000;              // that are remembered; the oldest are forgotten
};

// How long each tier of the monitoring traces is kept. Runs, segments and the track record are kept for ever.
struct StorageOptions {
  std::chrono::hours raw_samples{24 * 7};
  std::chrono::hours minute_samples{24 * 90};
  std::chrono::hours hour_samples{0};  // 0: for ever
  Budgets budgets{};
  // An opaque id of the machine that makes the runs to come; empty: not known. By it a copy of the history on another
  // machine is recognised (storage/starts.h).
  std::string machine = {};
  // Called now and again on the thread of a change for as long as that is at work: a long one is not stuck.
  std::function<void()> alive = {};
};

// What forget_owner() removed: runs, and sources (that are or were the owner's).
struct Forgotten {
  std::int64_t runs = 0, sources = 0;
};

// Belongs to one thread. Every error leaves the history as it was before the call, and the Writer usable:
// once the fault (a full disk, a failing one) is gone, the next call works.
class Writer {
 public:
  // Opens or creates, migrates an older schema, refuses a newer, foreign or corrupt file. Drops what imports
  // were left pending.
  static Result<std::unique_ptr<Writer>> open(const std::string& path, const StorageOptions& options = {});
  virtual ~Writer() = default;

  // ONE transaction for all of them. On error nothing of it is in the history and `commits` is unchanged;
  // the caller reads the same bytes again later. On success new sources have their ids.
  virtual Result<void> commit(std::vector<SourceCommit>& commits, Instant now) = 0;

  virtual Result<std::vector<SourceRow>> sources() = 0;  // without state
  // Imports of logs that begin with this head, without state.
  virtual Result<std::vector<SourceRow>> imports(const std::string& head) = 0;
  virtual Result<std::optional<SourceRow>> source(std::int64_t id) = 0;  // with its state
  virtual Result<std::optional<SourceRow>> followed_source(
      const std::string& path) = 0;                                           // no import; with its state
  virtual Result<std::vector<std::int64_t>> sources_with_running_runs() = 0;  // their ids
  virtual Result<std::vector<std::int64_t>> sources_without_runs() = 0;       // their ids, ascending
  virtual Result<std::vector<FinishedFile>> finished_files() = 0;             // the oldest first
  // So that the lists do not grow for ever: finished files of before go; of files that are gone and were looked at
  // before `gone_before` the rows that have no runs, but for the newest of each owner; and datasets without runs.
  virtual Result<void> forget_finished(Instant before, Instant gone_before) = 0;
  virtual Result<void> drop_source(std::int64_t id) = 0;   // with all its runs: an import that is not to be
  virtual Result<void> adopt_source(std::int64_t id) = 0;  // an import is complete: no longer pending
  // The same, and it takes the place of `old`, whose runs go. Of a run that both have (by job and start)
  // what its user said and what was predicted of it stay; one that was forgotten is forgotten again.
  virtual Result<void> replace_source(std::int64_t old, std::int64_t id) = 0;
  // Whether the runs and measurements of `copy` are the first ones of `source`, so that it was an earlier
  // state of the same log. False where it has none.
  virtual Result<bool> is_beginning(std::int64_t copy, std::int64_t source) = 0;
  // Removes the runs of a followed source, and its parser begins anew; reading goes on at its offset.
  virtual Result<void> pass_source_over(std::int64_t id) = 0;
  // Lets every followed source whose format is not recognised be read again from its beginning, if these rules are other
  // ones than it was last tried with. Gives how many they are.
  virtual Result<std::int64_t> look_again(const std::string& rules_fingerprint) = 0;
  // Those of its runs that are running do so no longer.
  virtual Result<void> lose_runs(std::int64_t source_id) = 0;
  virtual Result<void> forget_run(std::int64_t run_id) = 0;  // what its log still says of it is refused
  // All runs of an owner go, likewise, and the owner's imports and files that are gone; what is followed goes on
  // from where it stands. not_found: there is nothing of that owner.
  virtual Result<Forgotten> forget_owner(std::int64_t uid) = 0;
  // The finished files of the imports that were adopted since the last call: whoever follows files asks, so
  // that it does not read them again.
  virtual std::vector<std::string> take_adopted() = 0;
  // Replaces by key and keeps the ids; `gone`: keys of which there is none any more; `reached`: with these,
  // how far all models are up to date.
  virtual Result<void> put_models(std::vector<ModelRow>& models, const std::vector<ModelKey>& gone = {},
                                  const std::optional<RefitProgress>& reached = {}) = 0;

  // The estimators' records, in the words of whoever made them, in place of those before.
  virtual Result<void> put_estimator_records(const std::string& records) = 0;

  // The energy (joules, of all devices together) and the peak memory (bytes, of a device) of a run's phase.
  // What is known already, from its log above all, stays.
  virtual Result<void> put_costs(std::int64_t run_id, Phase phase, std::optional<double> joules,
                                 std::optional<double> peak_bytes) = 0;

  // The user's word on what the log left unknown: network, batch_size, test_batch_size, device, devices,
  // host, framework, job, user. Joins the labels the run has; an empty value takes a label back. The log
  // wins where it knows.
  virtual Result<void> set_labels(std::int64_t run_id, const std::map<std::string, std::string>& labels) = 0;
  // The same for what was found out of a source's run beside its log, with where it came from ("command
  // line"). What the user said stays, whenever that was. What is no label, or no value of one, is left out;
  // of a run that is not there nothing is kept.
  virtual Result<void> add_found_labels(std::int64_t source_id, std::int64_t ordinal,
                                        const std::map<std::string, std::string>& labels,
                                        const std::string& origin) = 0;

  // The track record. A prediction already on record for that run, kind and fraction stays as it is.
  virtual Result<void> put_predictions(const std::vector<PredictionRow>& predictions) = 0;
  // The run is over after `total` (first line to end, on the log's clock): scores what was predicted of it.
  virtual Result<void> score_run(std::int64_t run_id, Duration total) = 0;

  // Returns when all that was committed is on the disk: a power cut may take back a commit that was not
  // synced.
  virtual Result<void> sync() = 0;
  // An error where the database no longer lies under its name. Every change is refused then.
  virtual Result<void> check_place() = 0;
  // Whether the history could only be read when it was opened, and could be written by now: SQLite goes on reading until
  // all of a process's connections to it have been closed. Any thread may ask, at any time.
  virtual bool wants_to_be_opened_anew() const = 0;

  virtual Result<void> maintain(Instant now) = 0;  // a small step: compaction, expiry, checkpoint
};

struct RunFilter {
  std::optional<RunState> state;
  std::string network, framework;         // a network's name in any case
  std::optional<Instant> since;           // started at or after
  std::optional<std::int64_t> before_id;  // the page's cursor: ids below it
  std::optional<std::int64_t> after_id;   // ids above it: what came since
  std::int64_t limit = 100;
  // Where there are more: of all owners their fair share (storage/fair_share.h), instead of the newest.
  bool fair = false;
};

struct SourceFilter {
  std::int64_t after_id = 0;          // the page's cursor: ids above it
  std::int64_t limit = -1;            // -1: all of them
  std::optional<std::int64_t> owner;  // whose; none: anybody's
};

// Which networks. What is left out may be anything.
struct NetworkName {
  std::string network, architecture;
};

struct NetworkFilter {
  std::optional<std::string> network;  // in any case
  std::optional<std::string> architecture;
  std::optional<NetworkName> after;  // of all, by name: those behind this one
  std::int64_t limit = 10'000;
};

struct NetworkRow {
  std::string network, architecture;
  std::vector<std::string> frameworks, devices;
  std::vector<std::int64_t> batch_sizes;  // samples per iteration seen in training
  std::int64_t runs = 0, min_iterations = 0, max_iterations = 0;
  std::optional<Instant> last_seen;
};

// How many runs of a network are under way.
struct RunningCount {
  std::string network, framework;
  std::int64_t runs = 0;
};

// Runs of one network that had this in common, and how many they are.
struct RunCount {
  std::string device;
  std::int64_t devices = 1;
  std::int64_t samples_per_iteration = 0;  // 0: not known
  std::int64_t runs = 0;
};

// What was refused of an owner's because a budget was spent. `count`: runs (for "networks" those of a network that
// would have been one too many), samples of series, or bytes of log.
struct RefusedRow {
  std::int64_t owner = kUnknownOwner;
  std::string what;  // networks, runs, series, bytes
  std::int64_t count = 0;
  Instant last_at{};
};

struct UnrecognisedSources {
  std::int64_t count = 0;
  std::vector<std::string> paths;
};

struct HistorySize {
  std::int64_t bytes = 0, runs = 0, segments = 0, points = 0, samples = 0, sources = 0;
  std::vector<RefusedRow> refused = {};
};

// Belongs to one thread. Each call is one short read transaction. Runs of pending imports do not exist here.
class Reader {
 public:
  static Result<std::unique_ptr<Reader>> open(const std::string& path);  // query-only
  virtual ~Reader() = default;

  virtual Result<std::vector<RunRow>> runs(const RunFilter& filter) = 0;  // newest (highest id) first
  virtual Result<std::optional<RunRow>> run(std::int64_t id) = 0;
  virtual Result<std::vector<RunningCount>> running() = 0;  // of every network
  // Of a network (its name in any case) the `newest` runs that had a phase, by what they ran on and with.
  virtual Result<std::vector<RunCount>> run_counts(const std::string& network, Phase phase,
                                                   std::int64_t newest) = 0;
  // From the `from`th on, of a negative one counted from the end: -1 is the last.
  virtual Result<std::vector<Segment>> segments(std::int64_t run_id, std::int64_t from,
                                                std::int64_t limit) = 0;
  virtual Result<std::vector<ProgressPoint>> points(std::int64_t run_id, std::int64_t from,
                                                    std::int64_t limit) = 0;
  virtual Result<std::vector<Layer>> layers(const std::string& architecture) = 0;
  virtual Result<std::vector<LayerTime>> layer_times(std::int64_t run_id) = 0;
  // Of the timing runs of a key's network on its machine, among the network's last thousand runs, the newest first: at most
  // 1,024.
  virtual Result<std::vector<TimedLayer>> timed_layers(const ModelKey& key) = 0;
  // In the order of their names, then of their architectures.
  virtual Result<std::vector<NetworkRow>> networks(const NetworkFilter& filter = {}) = 0;
  // By id, without state.
  virtual Result<std::vector<SourceRow>> sources(const SourceFilter& filter = {}) = 0;
  virtual Result<std::optional<SourceRow>> source(std::int64_t id) = 0;
  // Of these paths those that no source has, imports left aside.
  virtual Result<std::vector<std::string>> paths_without_source(const std::vector<std::string>& paths) = 0;
  // The followed files that were read and that no format has been recognised in: how many, and the newest, in turns of
  // their owners.
  virtual Result<UnrecognisedSources> unrecognised_sources(std::int64_t most) = 0;
  virtual Result<RefitProgress> refit_progress() = 0;
  virtual Result<HistorySize> size() = 0;

  // The track record of one run; and summed up: over all, by kind and fraction, by network, and by network,
  // kind and fraction.
  virtual Result<std::vector<PredictionRow>> predictions(std::int64_t run_id) = 0;
  virtual Result<std::vector<AccuracyRow>> accuracy() = 0;
  // The scored predictions of the newest runs that have any, newest run first.
  virtual Result<std::vector<ScoredPrediction>> scored_predictions(std::int64_t most_runs) = 0;
  // Of the `most` newest finished runs those with predictions that nobody scored: their ids, newest first.
  virtual Result<std::vector<std::int64_t>> unscored_runs(std::int64_t most) = 0;

  // Traces: all series, or those of one name; and the points of those a query names.
  virtual Result<std::vector<SeriesRow>> series(const std::string& name = {}) = 0;
  virtual Result<std::vector<SeriesPoints>> series_points(const SeriesQuery& query) = 0;

  // For refits: keys whose data changed after a generation (0: all there are), at least `most` of them where
  // there are so many, up to the generation `reached`. A key whose last run was dropped or moved away comes
  // out too, and has no data.
  virtual Result<std::vector<ModelKey>> changed_keys(std::int64_t since_generation, std::int64_t& reached,
                                                     std::int64_t most = 1 << 20) = 0;
  // Keys that name no device and have runs, but no model.
  virtual Result<std::vector<ModelKey>> unnamed_keys(std::int64_t most) = 0;  // in turns of their owners
  // At most `max_runs` runs of those that are wanted, newest first, each with at most `max_windows` windows: of all
  // owners their fair share (storage/fair_share.h).
  virtual Result<std::vector<RunData>> run_data(const ModelKey& key, int max_runs, int max_windows,
                                                const RunsWanted& wanted = {}) = 0;
};

// One that finds models, by index.
class ModelReader : public Reader {
 public:
  static Result<std::unique_ptr<ModelReader>> open(const std::string& path);  // query-only

  virtual Result<std::vector<ModelRow>> models(const ModelFilter& filter = {}) = 0;  // by id
  virtual Result<std::optional<ModelRow>> model(const ModelKey& key) = 0;            // with its body
  virtual Result<std::int64_t> model_count() = 0;
  virtual Result<std::string> estimator_records() = 0;  // as they were put; empty: they never were
  // Of all owners the fair share (storage/fair_share.h) of the last fitted: at most `most`, the last fitted first,
  // without bodies.
  virtual Result<std::vector<ModelRow>> fair_models(std::size_t most, std::size_t always) = 0;
  // Names that have models, of those around the one that is wanted in the order of the alphabet: at most
  // `most`.
  virtual Result<std::vector<std::string>> names_around(NameOf what, const std::string& wanted,
                                                        std::int64_t most) = 0;
};

// A copy of the whole history as it is now in a new file, while it is in use: VACUUM INTO on a connection of
// its own, so that nobody who writes waits for it, however large the history is. Blocks for as long as it
// takes.
Result<void> backup_history(const std::string& path, const std::string& file);

}  // namespace etad
