// A writer that fails when a test says so.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "storage/history.h"

namespace etad {

// Passes everything on, but fails the commits it is told to.
class FaultyWriter final : public Writer {
 public:
  explicit FaultyWriter(std::unique_ptr<Writer> real) : real_(std::move(real)) {}
  int failures = 0;       // how many of the next commits fail
  int failing_reads = 0;  // and how many of the next reads of all sources
  int full_looks = 0;     // and how many of the next looks at what other rules may know
  std::atomic<int> throwing_commits = 0, throwing_reads = 0;  // how many of the next throw, as nobody expects
  bool synced = true;                                         // nothing was committed since the last sync()

  Result<void> commit(std::vector<SourceCommit>& commits, Instant now) override {
    if (throwing_commits > 0 && throwing_commits-- > 0) throw std::runtime_error("a defect");
    if (failures > 0) {
      --failures;
      return fail("the disk is full", "make room");
    }
    synced = false;
    return real_->commit(commits, now);
  }
  Result<std::vector<SourceRow>> sources() override {
    if (throwing_reads > 0 && throwing_reads-- > 0) throw std::runtime_error("a defect");
    if (reading_fails()) return fail("the disk can't be read");
    return real_->sources();
  }
  Result<std::vector<SourceRow>> imports(const std::string& head) override {
    if (reading_fails()) return fail("the disk can't be read");
    return real_->imports(head);
  }
  Result<std::optional<SourceRow>> source(std::int64_t id) override { return real_->source(id); }
  Result<std::optional<SourceRow>> followed_source(const std::string& path) override {
    return real_->followed_source(path);
  }
  Result<std::vector<std::int64_t>> sources_with_running_runs() override {
    return real_->sources_with_running_runs();
  }
  Result<std::vector<FinishedFile>> finished_files() override { return real_->finished_files(); }
  Result<void> forget_finished(Instant before, Instant gone_before) override {
    return real_->forget_finished(before, gone_before);
  }
  std::vector<std::string> take_adopted() override { return real_->take_adopted(); }
  Result<void> drop_source(std::int64_t id) override { return real_->drop_source(id); }
  Result<void> adopt_source(std::int64_t id) override { return real_->adopt_source(id); }
  Result<void> replace_source(std::int64_t old, std::int64_t id) override {
    return real_->replace_source(old, id);
  }
  Result<bool> is_beginning(std::int64_t copy, std::int64_t source) override {
    return real_->is_beginning(copy, source);
  }
  Result<void> pass_source_over(std::int64_t id) override { return real_->pass_source_over(id); }
  Result<std::int64_t> look_again(const std::string& rules) override {
    if (full_looks == 0) return real_->look_again(rules);
    --full_looks;
    return fail(ErrorKind::exhausted, "the disk is full");
  }
  Result<void> lose_runs(std::int64_t source) override { return real_->lose_runs(source); }
  Result<void> forget_run(std::int64_t id) override { return real_->forget_run(id); }
  Result<Forgotten> forget_owner(std::int64_t uid) override { return real_->forget_owner(uid); }
  Result<std::vector<std::int64_t>> sources_without_runs() override { return real_->sources_without_runs(); }
  Result<void> put_models(std::vector<ModelRow>& models, const std::vector<ModelKey>& gone,
                          const std::optional<RefitProgress>& reached) override {
    return real_->put_models(models, gone, reached);
  }
  Result<void> put_estimator_records(const std::string& records) override {
    return real_->put_estimator_records(records);
  }
  Result<void> put_costs(std::int64_t run, Phase phase, std::optional<double> joules,
                         std::optional<double> peak_bytes) override {
    return real_->put_costs(run, phase, joules, peak_bytes);
  }
  Result<void> set_labels(std::int64_t run, const std::map<std::string, std::string>& labels) override {
    return real_->set_labels(run, labels);
  }
  Result<void> add_found_labels(std::int64_t source, std::int64_t ordinal,
                                const std::map<std::string, std::string>& labels,
                                const std::string& origin) override {
    return real_->add_found_labels(source, ordinal, labels, origin);
  }
  Result<void> put_predictions(const std::vector<PredictionRow>& rows) override {
    return real_->put_predictions(rows);
  }
  Result<void> score_run(std::int64_t run, Duration total) override { return real_->score_run(run, total); }
  Result<void> sync() override {
    synced = true;
    return real_->sync();
  }
  Result<void> check_place() override { return real_->check_place(); }
  bool wants_to_be_opened_anew() const override { return real_->wants_to_be_opened_anew(); }
  Result<void> maintain(Instant now) override { return real_->maintain(now); }

 private:
  bool reading_fails() { return failing_reads > 0 && failing_reads-- > 0; }
  std::unique_ptr<Writer> real_;
};

}  // namespace etad
