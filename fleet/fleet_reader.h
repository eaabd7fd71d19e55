// The Reader over the fleet's database: all hosts' histories as one. A run's id is its host's number and its id there;
// where a run names no host, its host is the machine's name. Whose a run is, as evidence, is a user of a host: what
// another host calls by the same uid is somebody else, and nobody's runs stand before those that came earlier.
//
// What stays on the hosts is empty here: single points, layers' times, sources, and the samples of series. A run's
// segments are its bounded sample of them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet/postgres.h"
#include "storage/history.h"

namespace etad::fleet {

// A host's run ids are below this, more than any history comes to: beyond it a run's id in the fleet would be another
// host's. With kHostNumbers (host_rows.h) of them ids are as exact as JSON's numbers are.
inline constexpr std::int64_t kRunsOfHost = std::int64_t{1} << 31;

// A digest of the runs of each key, as the database last had them: equal digests, equal runs.
using Digests = std::map<ModelKey, std::string>;

// What reading the database finds beside what it was read for.
struct Findings {
  Digests digests;  // of changed_keys(), for whoever keeps the models
  // Of each model, how many runs' windows can't be unpacked: it is made without them.
  std::map<ModelKey, std::size_t> damaged;
};

class FleetReader final : public Reader {
 public:
  // Connects when it is first asked, and again after a failure. `findings` is written by this reader: who gives it to
  // several sees to it that one of them is asked at a time. What takes the database longer than `patience`, because
  // somebody has locked a table for instance, is a failure.
  FleetReader(std::string database, std::shared_ptr<Findings> findings,
              std::chrono::seconds patience = postgres::Connection::kTimeout)
      : database_(std::move(database)), findings_(std::move(findings)), patience_(patience) {}

  Result<std::vector<RunRow>> runs(const RunFilter& filter) override;
  Result<std::optional<RunRow>> run(std::int64_t id) override;
  Result<std::vector<RunningCount>> running() override;
  Result<std::vector<RunCount>> run_counts(const std::string& network, Phase phase,
                                           std::int64_t newest) override;
  Result<std::vector<Segment>> segments(std::int64_t run_id, std::int64_t from, std::int64_t limit) override;
  Result<std::vector<ProgressPoint>> points(std::int64_t, std::int64_t, std::int64_t) override { return {}; }
  Result<std::vector<Layer>> layers(const std::string& architecture) override;
  Result<std::vector<LayerTime>> layer_times(std::int64_t) override { return {}; }
  Result<std::vector<TimedLayer>> timed_layers(const ModelKey&) override { return {}; }
  Result<std::vector<NetworkRow>> networks(const NetworkFilter& filter) override;
  Result<std::vector<SourceRow>> sources(const SourceFilter&) override { return {}; }
  Result<std::vector<std::string>> paths_without_source(const std::vector<std::string>&) override {
    return {};
  }
  Result<std::optional<SourceRow>> source(std::int64_t) override { return {}; }
  Result<UnrecognisedSources> unrecognised_sources(std::int64_t) override { return {}; }
  Result<std::vector<ModelRow>> models();  // all of them, with bodies
  Result<RefitProgress> refit_progress() override;
  Result<HistorySize> size() override;
  Result<std::vector<PredictionRow>> predictions(std::int64_t run_id) override;
  Result<std::vector<AccuracyRow>> accuracy() override;
  Result<std::vector<ScoredPrediction>> scored_predictions(std::int64_t most_runs) override;
  Result<std::vector<std::int64_t>> unscored_runs(std::int64_t) override { return {}; }
  Result<std::vector<SeriesRow>> series(const std::string&) override { return {}; }
  Result<std::vector<SeriesPoints>> series_points(const SeriesQuery&) override { return {}; }
  // Keys whose digest is another than that their model was fitted from, whatever the generation; always all of them.
  Result<std::vector<ModelKey>> changed_keys(std::int64_t since_generation, std::int64_t& reached,
                                             std::int64_t) override;
  Result<std::vector<ModelKey>> unnamed_keys(std::int64_t most) override;
  Result<std::vector<RunData>> run_data(const ModelKey& key, int max_runs, int max_windows,
                                        const RunsWanted& wanted) override;

 private:
  static void read_digests(postgres::Connection& connection, Digests& digests);
  template <class Body>
  auto reading(Body&& body) -> Result<decltype(body(std::declval<postgres::Connection&>()))>;

  std::string database_;
  std::shared_ptr<Findings> findings_;
  std::chrono::seconds patience_;
  // Of the architecture that was asked for last: of many models one after the other has the same. Forgotten by
  // changed_keys().
  std::optional<std::pair<std::string, std::vector<Layer>>> last_layers_;
  std::unique_ptr<postgres::Connection> connection_;
};

}  // namespace etad::fleet
