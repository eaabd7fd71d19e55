#include "storage/reader.h"

#include "storage/datasets_query.h"
#include "storage/layer_query.h"
#include "storage/measurement_query.h"
#include "storage/model_query.h"
#include "storage/run_query.h"
#include "storage/schema.h"
#include "storage/series_query.h"
#include "storage/source_table.h"
#include "storage/track_record.h"

namespace etad {
namespace {

using sqlite::Connection;
using sqlite::Statement;

std::vector<LayerTime> read_layer_times(Connection& connection, std::int64_t run_id) {
  Statement select(connection,
                   "SELECT layer, forward, backward FROM layer_times WHERE run_id = ? ORDER BY position");
  std::vector<LayerTime> result;
  for (auto rows = select.query(run_id); rows.next();) {
    result.push_back({rows.get<std::string>(0), rows.get<Duration>(1), rows.get<Duration>(2)});
  }
  return result;
}

std::vector<SourceRow> read_sources(Connection& connection, const SourceFilter& filter) {
  Statement select(connection, select_sources(false) +
                                   "WHERE id > ?1 AND (?2 IS NULL OR owner = ?2) ORDER BY id LIMIT ?3");
  std::vector<SourceRow> result;
  for (auto rows = select.query(filter.after_id, filter.owner, filter.limit); rows.next();)
    result.push_back(read_source(rows));
  return result;
}

UnrecognisedSources read_unrecognised(Connection& connection, std::int64_t most) {
  Statement select(connection,
                   "SELECT path, count(*) OVER () FROM sources WHERE format = '' AND kind = 'file'"
                   " AND NOT gone AND NOT pending AND lines > 0"
                   " ORDER BY row_number() OVER (PARTITION BY owner ORDER BY id DESC), id DESC LIMIT ?");
  UnrecognisedSources result;
  for (auto rows = select.query(most); rows.next();) {
    result.paths.push_back(rows.get<std::string>(0));
    result.count = rows.get<std::int64_t>(1);
  }
  return result;
}

HistorySize read_size(Connection& connection) {
  const auto number = [&](const char* sql) { return Statement(connection, sql).number(); };
  HistorySize size;
  size.bytes = number("PRAGMA page_count") * number("PRAGMA page_size");
  size.sources = number("SELECT count(*) FROM sources");
  // Counting all is quick; telling each run's source is not.
  size.runs = number("SELECT count(*) FROM runs") -
              number("SELECT count(*) FROM runs WHERE source_id IN (SELECT id FROM sources WHERE pending)");
  size.segments = number("SELECT segments FROM totals");
  size.points = number("SELECT points FROM totals");
  size.samples =
      number("SELECT coalesce(sum(samples), 0) FROM series") + number("SELECT count(*) FROM recent_samples");
  Statement refused(connection,
                    "SELECT owner, what, count, last_at FROM refused ORDER BY owner, what LIMIT 1000");
  for (auto rows = refused.query(); rows.next();) {
    size.refused.push_back({rows.get<std::int64_t>(0), rows.get<std::string>(1), rows.get<std::int64_t>(2),
                            rows.get<Instant>(3)});
  }
  return size;
}

}  // namespace

Result<std::unique_ptr<Reader>> Reader::open(const std::string& path) {
  return ModelReader::open(path);
}

Result<std::unique_ptr<ModelReader>> ModelReader::open(const std::string& path) {
  return sqlite::guarded([&]() -> std::unique_ptr<ModelReader> {
    auto connection = std::make_unique<Connection>(path, Connection::Mode::read);
    schema::prepare_for_reading(*connection);
    return std::make_unique<SqliteReader>(std::move(connection));
  });
}

Result<std::vector<RunRow>> SqliteReader::runs(const RunFilter& filter) {
  return reading([&](Connection& c) { return runs_of(c, filter); });
}

Result<std::optional<RunRow>> SqliteReader::run(std::int64_t id) {
  return reading([&](Connection& c) { return run_of(c, id); });
}

Result<std::vector<RunningCount>> SqliteReader::running() {
  return reading([&](Connection& c) { return running_of(c); });
}

Result<std::vector<RunCount>> SqliteReader::run_counts(const std::string& network, Phase phase,
                                                       std::int64_t newest) {
  return reading([&](Connection& c) { return run_counts_of(c, network, phase, newest); });
}

Result<std::vector<NetworkRow>> SqliteReader::networks(const NetworkFilter& filter) {
  return reading([&](Connection& c) { return networks_.read(c, filter); });
}

Result<std::vector<Segment>> SqliteReader::segments(std::int64_t run_id, std::int64_t from,
                                                    std::int64_t limit) {
  return reading([&](Connection& c) { return segments_of(c, run_id, from, limit); });
}

Result<std::vector<ProgressPoint>> SqliteReader::points(std::int64_t run_id, std::int64_t from,
                                                        std::int64_t limit) {
  return reading([&](Connection& c) { return points_of(c, run_id, from, limit); });
}

Result<std::vector<Layer>> SqliteReader::layers(const std::string& architecture) {
  return reading([&](Connection& c) { return layers_of(c, architecture); });
}

Result<std::vector<LayerTime>> SqliteReader::layer_times(std::int64_t run_id) {
  return reading([&](Connection& c) { return read_layer_times(c, run_id); });
}

Result<std::vector<TimedLayer>> SqliteReader::timed_layers(const ModelKey& key) {
  return reading([&](Connection& c) { return timed_layers_of(c, key); });
}

Result<std::vector<SourceRow>> SqliteReader::sources(const SourceFilter& filter) {
  return reading([&](Connection& c) { return read_sources(c, filter); });
}

Result<std::vector<std::string>> SqliteReader::paths_without_source(const std::vector<std::string>& paths) {
  return reading([&](Connection& c) {
    Statement select(c, "SELECT 1 FROM sources WHERE path = ? AND kind <> 'import' LIMIT 1");
    std::vector<std::string> out;
    for (const std::string& path : paths)
      if (!select.query(path).next()) out.push_back(path);
    return out;
  });
}

Result<std::optional<SourceRow>> SqliteReader::source(std::int64_t id) {
  return reading([&](Connection& c) -> std::optional<SourceRow> {
    Statement select(c, select_sources(false) + "WHERE id = ?");
    auto rows = select.query(id);
    return rows.next() ? std::optional(read_source(rows)) : std::nullopt;
  });
}

Result<UnrecognisedSources> SqliteReader::unrecognised_sources(std::int64_t most) {
  return reading([&](Connection& c) { return read_unrecognised(c, most); });
}

Result<std::vector<ModelRow>> SqliteReader::models(const ModelFilter& filter) {
  return reading([&](Connection& c) { return models_of(c, filter); });
}

Result<std::optional<ModelRow>> SqliteReader::model(const ModelKey& key) {
  return reading([&](Connection& c) { return model_of(c, key); });
}

Result<std::int64_t> SqliteReader::model_count() {
  return reading([&](Connection& c) { return model_count_of(c); });
}

Result<std::vector<ModelRow>> SqliteReader::fair_models(std::size_t most, std::size_t always) {
  return reading([&](Connection& c) { return fair_models_of(c, most, always); });
}

Result<std::vector<std::string>> SqliteReader::names_around(NameOf what, const std::string& wanted,
                                                            std::int64_t most) {
  return reading([&](Connection& c) { return names_around_of(c, what, wanted, most); });
}

Result<std::string> SqliteReader::estimator_records() {
  return reading([](Connection& c) { return estimator_records_in(c); });
}

Result<RefitProgress> SqliteReader::refit_progress() {
  return reading([&](Connection& c) { return refit_progress_of(c); });
}

Result<HistorySize> SqliteReader::size() {
  return reading([&](Connection& c) { return read_size(c); });
}

Result<std::vector<PredictionRow>> SqliteReader::predictions(std::int64_t run_id) {
  return reading([&](Connection& c) { return predictions_of(c, run_id); });
}

Result<std::vector<std::int64_t>> SqliteReader::unscored_runs(std::int64_t most) {
  return reading([&](Connection& c) { return unscored_runs_of(c, most); });
}

Result<std::vector<ScoredPrediction>> SqliteReader::scored_predictions(std::int64_t most_runs) {
  return reading([&](Connection& c) { return scored_predictions_of(c, most_runs); });
}

Result<std::vector<AccuracyRow>> SqliteReader::accuracy() {
  return reading([&](Connection& c) { return accuracy_of(c); });
}

Result<std::vector<SeriesRow>> SqliteReader::series(const std::string& name) {
  return reading([&](Connection& c) { return series_of(c, name); });
}

Result<std::vector<SeriesPoints>> SqliteReader::series_points(const SeriesQuery& query) {
  return reading([&](Connection& c) { return series_points_of(c, query); });
}

Result<std::vector<ModelKey>> SqliteReader::changed_keys(std::int64_t since_generation, std::int64_t& reached,
                                                         std::int64_t most) {
  return reading([&](Connection& c) { return changed_keys_of(c, since_generation, reached, most); });
}

Result<std::vector<ModelKey>> SqliteReader::unnamed_keys(std::int64_t most) {
  return reading([&](Connection& c) { return unnamed_keys_of(c, most); });
}

Result<std::vector<RunData>> SqliteReader::run_data(const ModelKey& key, int max_runs, int max_windows,
                                                    const RunsWanted& wanted) {
  return reading([&](Connection& c) { return run_data_of(c, key, max_runs, max_windows, wanted); });
}

}  // namespace etad
