// The Reader over SQLite.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "storage/history.h"
#include "storage/network_query.h"
#include "storage/sqlite.h"

namespace etad {

class SqliteReader : public ModelReader {
 public:
  // Of a database that schema::prepare_for_reading() has been through.
  explicit SqliteReader(std::unique_ptr<sqlite::Connection> connection)
      : connection_(std::move(connection)) {}

  Result<std::vector<RunRow>> runs(const RunFilter& filter) override;
  Result<std::optional<RunRow>> run(std::int64_t id) override;
  Result<std::vector<RunningCount>> running() override;
  Result<std::vector<RunCount>> run_counts(const std::string& network, Phase phase,
                                           std::int64_t newest) override;
  Result<std::vector<Segment>> segments(std::int64_t run_id, std::int64_t from, std::int64_t limit) override;
  Result<std::vector<ProgressPoint>> points(std::int64_t run_id, std::int64_t from,
                                            std::int64_t limit) override;
  Result<std::vector<Layer>> layers(const std::string& architecture) override;
  Result<std::vector<LayerTime>> layer_times(std::int64_t run_id) override;
  Result<std::vector<TimedLayer>> timed_layers(const ModelKey& key) override;
  Result<std::vector<NetworkRow>> networks(const NetworkFilter& filter) override;
  Result<std::vector<SourceRow>> sources(const SourceFilter& filter) override;
  Result<std::vector<std::string>> paths_without_source(const std::vector<std::string>& paths) override;
  Result<std::optional<SourceRow>> source(std::int64_t id) override;
  Result<UnrecognisedSources> unrecognised_sources(std::int64_t most) override;
  Result<std::vector<ModelRow>> models(const ModelFilter& filter) override;
  Result<std::optional<ModelRow>> model(const ModelKey& key) override;
  Result<std::int64_t> model_count() override;
  Result<std::string> estimator_records() override;
  Result<std::vector<ModelRow>> fair_models(std::size_t most, std::size_t always) override;
  Result<std::vector<std::string>> names_around(NameOf what, const std::string& wanted,
                                                std::int64_t most) override;
  Result<RefitProgress> refit_progress() override;
  Result<HistorySize> size() override;
  Result<std::vector<PredictionRow>> predictions(std::int64_t run_id) override;
  Result<std::vector<AccuracyRow>> accuracy() override;
  Result<std::vector<ScoredPrediction>> scored_predictions(std::int64_t most_runs) override;
  Result<std::vector<std::int64_t>> unscored_runs(std::int64_t most) override;
  Result<std::vector<SeriesRow>> series(const std::string& name) override;
  Result<std::vector<SeriesPoints>> series_points(const SeriesQuery& query) override;
  Result<std::vector<ModelKey>> changed_keys(std::int64_t since_generation, std::int64_t& reached,
                                             std::int64_t most) override;
  Result<std::vector<ModelKey>> unnamed_keys(std::int64_t most) override;
  Result<std::vector<RunData>> run_data(const ModelKey& key, int max_runs, int max_windows,
                                        const RunsWanted& wanted) override;

 private:
  // One consistent view for all that `body` reads. Pages kept from it are of no use once anything is written, and the
  // system keeps them as well: what a question needed of many of them is given back.
  template <class Body>
  auto reading(Body&& body) {
    auto answer = sqlite::guarded([&] {
      sqlite::Transaction transaction(*connection_, sqlite::Transaction::Kind::read);
      return body(*connection_);
    });
    connection_->keep_pages(kKeptPages);
    return answer;
  }
  static constexpr int kKeptPages = 256 * 1024;  // bytes

  std::unique_ptr<sqlite::Connection> connection_;
  NetworkQuery networks_;
};

}  // namespace etad
