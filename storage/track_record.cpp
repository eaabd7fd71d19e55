#include "storage/track_record.h"

#include "storage/accuracy.h"
#include "storage/row_values.h"

namespace etad {
namespace {

constexpr std::string_view kPredictionSelect =
    "p.run_id, p.kind, p.at_fraction, p.made_at, p.elapsed, p.seconds, p.lower, p.upper, p.confidence, "
    "p.basis, p.actual, p.error_percent, p.covered, p.model_id";

PredictionRow read(const sqlite::Rows& rows) {
  PredictionRow out = prediction_in(rows);
  out.model_id = rows.get<std::optional<std::int64_t>>(kPredictionColumns);
  return out;
}

}  // namespace

TrackRecord::TrackRecord(sqlite::Connection& c)
    : put_(c,
           "INSERT INTO predictions (run_id, kind, at_fraction, made_at, elapsed, seconds, lower, upper, "
           "confidence,"
           " model_id, basis) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"),
      // What was left when the prediction was made is what it is measured by; a run that ended within the
      // moment has no error in percent.
      score_(c,
             "UPDATE predictions SET (actual, error_percent, covered) ="
             " (SELECT a, CASE WHEN a > 0 THEN 100 * (seconds - a) / a END, a BETWEEN lower AND upper"
             "  FROM (SELECT CASE kind WHEN 'total' THEN ?2 ELSE max(?2 - elapsed, 0.0) END AS a))"
             " WHERE run_id = ?1 AND actual IS NULL"),
      hand_over_(c, "UPDATE predictions SET run_id = ?2 WHERE run_id = ?1") {}

void TrackRecord::hand_over(std::int64_t before, std::int64_t after) {
  hand_over_.run(before, after);
}

void TrackRecord::put(const PredictionRow& p) {
  put_.run(p.run_id, codes::word(p.kind), p.at_fraction, p.made_at, p.elapsed, p.seconds, p.lower, p.upper,
           p.confidence, p.model_id, p.basis);
}

void TrackRecord::score(std::int64_t run_id, Duration total) {
  score_.run(run_id, to_seconds(total));
}

std::vector<PredictionRow> predictions_of(sqlite::Connection& connection, std::int64_t run_id) {
  sqlite::Statement select(connection, "SELECT " + std::string(kPredictionSelect) +
                                           " FROM predictions p WHERE run_id = ? ORDER BY kind, at_fraction");
  std::vector<PredictionRow> result;
  for (auto rows = select.query(run_id); rows.next();) result.push_back(read(rows));
  return result;
}

std::vector<ScoredPrediction> scored_predictions_of(sqlite::Connection& connection, std::int64_t most_runs) {
  sqlite::Statement select(
      connection,
      "SELECT " + std::string(kPredictionSelect) +
          ", r.network FROM (SELECT DISTINCT run_id AS id FROM predictions WHERE actual IS NOT NULL"
          " ORDER BY run_id DESC LIMIT ?) newest CROSS JOIN predictions p ON p.run_id = newest.id"
          " CROSS JOIN runs r ON r.id = p.run_id WHERE p.actual IS NOT NULL"
          " ORDER BY p.run_id DESC, p.kind, p.at_fraction");
  std::vector<ScoredPrediction> result;
  for (auto rows = select.query(most_runs); rows.next();)
    result.push_back({read(rows), rows.get<std::string>(14)});
  return result;
}

std::vector<std::int64_t> unscored_runs_of(sqlite::Connection& connection, std::int64_t most) {
  sqlite::Statement select(
      connection,
      "SELECT f.id FROM (SELECT r.id FROM runs r CROSS JOIN sources s ON s.id = r.source_id"
      " WHERE NOT s.pending AND r.state = ? ORDER BY r.id DESC LIMIT ?) f"
      " WHERE EXISTS (SELECT 1 FROM predictions p WHERE p.run_id = f.id AND p.actual IS NULL)"
      " ORDER BY f.id DESC");
  std::vector<std::int64_t> result;
  auto rows = select.query(codes::word(RunState::finished), most);
  while (rows.next()) result.push_back(rows.get<std::int64_t>(0));
  return result;
}

std::vector<AccuracyRow> accuracy_of(sqlite::Connection& connection) {
  sqlite::Statement select(
      connection,
      "SELECT r.network, p.kind, p.at_fraction, p.error_percent, p.covered FROM predictions p"
      " CROSS JOIN runs r ON r.id = p.run_id WHERE p.error_percent IS NOT NULL");
  AccuracySums sums;
  for (auto rows = select.query(); rows.next();)
    sums.add(rows.get<std::string>(0), codes::value_of<PredictionKind>(rows.get<std::string_view>(1)),
             rows.get<double>(2), rows.get<double>(3), rows.get<bool>(4));
  return sums.rows();
}

}  // namespace etad
