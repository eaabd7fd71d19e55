// The Writer over SQLite: composes the tables' writers and draws the transactions around them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "storage/budget_table.h"
#include "storage/checkpoint.h"
#include "storage/dataset_table.h"
#include "storage/history.h"
#include "storage/layer_table.h"
#include "storage/measurement_table.h"
#include "storage/model_table.h"
#include "storage/placement.h"
#include "storage/run_table.h"
#include "storage/series_table.h"
#include "storage/source_table.h"
#include "storage/sqlite.h"
#include "storage/track_record.h"

namespace etad {

class SqliteWriter final : public Writer {
 public:
  // Of a database that schema::prepare_for_writing() has been through.
  SqliteWriter(WriterLock lock, std::unique_ptr<sqlite::Connection> connection,
               const StorageOptions& options);

  Result<void> commit(std::vector<SourceCommit>& commits, Instant now) override;
  Result<std::vector<SourceRow>> sources() override;
  Result<std::vector<SourceRow>> imports(const std::string& head) override;
  Result<std::optional<SourceRow>> source(std::int64_t id) override;
  Result<std::optional<SourceRow>> followed_source(const std::string& path) override;
  Result<std::vector<std::int64_t>> sources_with_running_runs() override;
  Result<std::vector<std::int64_t>> sources_without_runs() override;
  Result<std::vector<FinishedFile>> finished_files() override;
  Result<void> forget_finished(Instant before, Instant gone_before) override;
  Result<void> drop_source(std::int64_t id) override;
  Result<void> adopt_source(std::int64_t id) override;
  Result<void> replace_source(std::int64_t old, std::int64_t id) override;
  Result<bool> is_beginning(std::int64_t copy, std::int64_t source) override;
  Result<void> pass_source_over(std::int64_t id) override;
  Result<std::int64_t> look_again(const std::string& rules_fingerprint) override;
  Result<void> lose_runs(std::int64_t source_id) override;
  Result<void> forget_run(std::int64_t run_id) override;
  Result<Forgotten> forget_owner(std::int64_t uid) override;
  std::vector<std::string> take_adopted() override { return std::exchange(adopted_, {}); }
  Result<void> put_models(std::vector<ModelRow>& models, const std::vector<ModelKey>& gone,
                          const std::optional<RefitProgress>& reached) override;
  Result<void> put_estimator_records(const std::string& records) override;
  Result<void> put_costs(std::int64_t run_id, Phase phase, std::optional<double> joules,
                         std::optional<double> peak_bytes) override;
  Result<void> set_labels(std::int64_t run_id, const std::map<std::string, std::string>& labels) override;
  Result<void> add_found_labels(std::int64_t source_id, std::int64_t ordinal,
                                const std::map<std::string, std::string>& labels,
                                const std::string& origin) override;
  Result<void> put_predictions(const std::vector<PredictionRow>& predictions) override;
  Result<void> score_run(std::int64_t run_id, Duration total) override;
  Result<void> sync() override;
  Result<void> check_place() override { return placement_.check(); }
  bool wants_to_be_opened_anew() const override;
  Result<void> maintain(Instant now) override;

  void find_abandoned();  // throws sqlite::Failure

 private:
  template <class Body>
  Result<void> transaction(Body&& body);
  void write(const SourceCommit& commit, std::int64_t source_id, bool all, Instant now);
  bool take_source(const SourceRow& source, std::int64_t bytes);
  std::optional<std::int64_t> put_run(std::int64_t source_id, const SourceRow& source, const Run& run,
                                      Instant now);
  void forget_state();
  Result<void> clear_up();
  void drop_run(std::int64_t run_id);
  void withdraw(std::int64_t source_id, const SourceRow& source, std::int64_t first_ordinal);
  void drop_runs(std::int64_t source_id);
  Result<void> adopt(std::int64_t id, const std::function<void()>& more);

  WriterLock lock_;
  std::unique_ptr<sqlite::Connection> connection_;
  const bool is_read_only_;
  Placement placement_;
  std::string machine_;
  bool has_written_ = false;  // since the last maintenance
  bool start_noted_ = false;  // with the first change, so that a full disk stops no start
  // What still is to be done: pending sources to drop, of before the start or given up; runs of imports to close.
  std::vector<std::int64_t> abandoned_, broken_off_;
  BudgetTable budgets_;
  SourceTable sources_;
  DatasetTable datasets_;
  RunTable runs_;
  MeasurementTable measurements_;
  LayerTable layers_;
  ModelTable models_;
  TrackRecord record_;
  SeriesTable series_;
  Checkpointer checkpointer_;
  const std::function<void()> alive_;  // StorageOptions
  std::vector<std::string> adopted_;   // finished files of imports, until take_adopted()
};

}  // namespace etad
