#include "storage/writer.h"

#include <algorithm>
#include <new>
#include <span>

#include "storage/schema.h"
#include "storage/starts.h"

namespace etad {
namespace {

constexpr int kAliveSteps = 10'000;  // of SQLite's machine: less than a millisecond

using sqlite::guarded;

// Datasets, by what one commit of a followed trace tells late: anybody may write down any time.
constexpr std::int64_t kMostMeasuredAnew = 256;

// The ids of the runs that one source's records speak of by their ordinals; none of those that were refused or forgotten.
class RunIds {
 public:
  RunIds(RunTable& runs, BudgetTable& budgets, std::int64_t source_id, std::int64_t owner)
      : runs_(runs), budgets_(budgets), source_id_(source_id), owner_(owner) {}

  void learn(std::int64_t ordinal, std::optional<std::int64_t> id) { known_[ordinal] = id; }

  std::optional<std::int64_t> of(std::int64_t ordinal) {
    if (const auto it = known_.find(ordinal); it != known_.end()) return it->second;
    const auto id = runs_.find(source_id_, ordinal);
    if (!id && !runs_.is_forgotten(source_id_, ordinal) && !budgets_.has_refused(owner_)) {
      throw sqlite::Failure(SQLITE_NOTFOUND,
                            Error{"source " + std::to_string(source_id_),
                                  "records name run " + std::to_string(ordinal) + ", which was never stated",
                                  {},
                                  ErrorKind::internal});
    }
    return known_[ordinal] = id;
  }

 private:
  RunTable& runs_;
  BudgetTable& budgets_;
  std::int64_t source_id_, owner_;
  std::unordered_map<std::int64_t, std::optional<std::int64_t>> known_;
};

// Calls `consume(run ordinal, values)` for each sequence of records of the same run.
template <class T, class Consume>
void by_run(std::span<const Records::Of<T>> records, Consume&& consume) {
  while (!records.empty()) {
    const std::int64_t run = records.front().run;
    const auto end =
        std::find_if(records.begin(), records.end(), [run](const auto& each) { return each.run != run; });
    const auto count = static_cast<std::size_t>(end - records.begin());
    consume(run, records.first(count));
    records = records.subspan(count);
  }
}

// Who may import has no budget. Nor has what is read again, which takes the place of what was held to one: measurements
// that it refused would be lost with the old ones.
bool has_budget(const SourceRow& source) {
  return source.kind != "import" && !source.pending;
}

}  // namespace

Result<std::unique_ptr<Writer>> Writer::open(const std::string& named, const StorageOptions& options) {
  const std::string path = real_path(named);
  if (auto one = check_names(path); !one) return tl::unexpected(one.error());
  auto lock = WriterLock::take(path);
  if (!lock) return tl::unexpected(lock.error());
  make_new(path);
  if (auto room = check_room(path, room_for(path)); !room) return tl::unexpected(room.error());
  return guarded([&]() -> std::unique_ptr<Writer> {
    auto connection = std::make_unique<sqlite::Connection>(path, sqlite::Connection::Mode::write);
    schema::check(*connection);
    if (auto made = make_private(path); !made) throw sqlite::Failure(SQLITE_CANTOPEN, made.error());
    schema::prepare_for_writing(*connection);
    auto writer = std::make_unique<SqliteWriter>(std::move(*lock), std::move(connection), options);
    writer->find_abandoned();
    return writer;
  });
}

SqliteWriter::SqliteWriter(WriterLock lock, std::unique_ptr<sqlite::Connection> connection,
                           const StorageOptions& options)
    : lock_(std::move(lock)),
      connection_(std::move(connection)),
      is_read_only_(sqlite3_db_readonly(connection_->handle(), "main") == 1),
      placement_(connection_->path(), lock_.descriptor()),
      machine_(options.machine),
      budgets_(*connection_, options.budgets),
      sources_(*connection_, options.budgets.finished_files),
      datasets_(*connection_),
      runs_(*connection_, datasets_),
      measurements_(*connection_),
      layers_(*connection_),
      models_(*connection_, datasets_),
      record_(*connection_),
      series_(*connection_, budgets_, options),
      checkpointer_(*connection_),
      alive_(options.alive) {
  if (!alive_) return;
  const auto call = [](void* writer) {
    static_cast<SqliteWriter*>(writer)->alive_();
    return 0;  // go on
  };
  sqlite3_progress_handler(connection_->handle(), kAliveSteps, call, this);
}

// One writing transaction: all of what `body` does, or, on an Error, nothing.
template <class Body>
Result<void> SqliteWriter::transaction(Body&& body) {
  if (auto in_place = placement_.check(); !in_place) return in_place;
  try {
    auto done = guarded([&] {
      sqlite::Transaction transaction(*connection_, sqlite::Transaction::Kind::write);
      datasets_.begin();
      measurements_.begin();
      if (!start_noted_) note_start(*connection_, machine_);
      body();
      measurements_.end();
      transaction.commit();
      start_noted_ = has_written_ = true;
    });
    if (!done) forget_state();
    return done;
  } catch (const std::bad_alloc&) {
    forget_state();
    return fail(ErrorKind::unavailable, "there is no memory for the change", "", connection_->path());
  } catch (...) {
    forget_state();  // ids of rows that are gone, above all
    throw;
  }
}

void SqliteWriter::forget_state() {
  series_.forget_state();
  budgets_.forget_all();
  measurements_.forget_state();
}

Result<void> SqliteWriter::commit(std::vector<SourceCommit>& commits, Instant now) {
  std::vector<std::int64_t> ids;
  ids.reserve(commits.size());
  auto done = transaction([&] {
    budgets_.begin(now);
    for (const SourceCommit& commit : commits) {
      const bool all = take_source(commit.source, commit.bytes);
      ids.push_back(sources_.put(commit.source));
      write(commit, ids.back(), all, now);
    }
    budgets_.end();
  });
  if (!done) return done;
  for (std::size_t i = 0; i < commits.size(); ++i) commits[i].source.id = ids[i];
  return done;
}

// What a source's new state means for its owner; false: the owner has no bytes left today.
bool SqliteWriter::take_source(const SourceRow& source, std::int64_t bytes) {
  if (source.owner && sources_.is_nobodys(source.id)) {
    runs_.own(source.id, *source.owner);
    budgets_.forget_state();
  }
  return !has_budget(source) || budgets_.admits_bytes(source.owner.value_or(kUnknownOwner), bytes);
}

// The latest state of a run, as far as its owner's budget goes. One that was forgotten stays so.
std::optional<std::int64_t> SqliteWriter::put_run(std::int64_t source_id, const SourceRow& source,
                                                  const Run& run, Instant now) {
  const bool is_known = runs_.find(source_id, run.ordinal).has_value();
  if (!is_known && runs_.is_forgotten(source_id, run.ordinal)) return std::nullopt;
  if (!has_budget(source)) return runs_.put(source_id, source, run, now);
  const std::int64_t owner = source.owner.value_or(kUnknownOwner);
  if (!is_known) {
    if (!budgets_.admits_run(owner, run)) return std::nullopt;
  } else if (!budgets_.admits_network(owner, run)) {
    if (run.state != RunState::running) budgets_.refuse(owner, "networks", 1);
    Run nameless = run;
    nameless.network.clear();
    nameless.architecture.clear();
    return runs_.put(source_id, source, nameless, now);
  }
  return runs_.put(source_id, source, run, now);
}

// `all`: not the runs' states alone.
void SqliteWriter::write(const SourceCommit& commit, std::int64_t source_id, bool all, Instant now) {
  const Records& records = commit.records;
  const std::int64_t owner = commit.source.owner.value_or(kUnknownOwner);
  if (records.withdrawn) withdraw(source_id, commit.source, *records.withdrawn);
  RunIds ids(runs_, budgets_, source_id, owner);
  for (const Run& run : records.runs) ids.learn(run.ordinal, put_run(source_id, commit.source, run, now));
  for (const FinishedFile& file : commit.finished) sources_.put(file, source_id);
  if (!all) return;
  by_run<Segment>(records.segments, [&](std::int64_t run, RecordsOfRun<Segment> segments) {
    const auto id = ids.of(run);
    if (!id) return;
    measurements_.add(*id, segments);
    for (const Phase phase : {Phase::train, Phase::test}) {
      const auto of_phase = [phase](const auto& segment) { return segment.value.phase == phase; };
      if (std::any_of(segments.begin(), segments.end(), of_phase)) runs_.measured(*id, phase);
    }
  });
  by_run<ProgressPoint>(records.points, [&](std::int64_t run, RecordsOfRun<ProgressPoint> points) {
    if (const auto id = ids.of(run)) measurements_.add(*id, points);
  });
  for (const auto& [run, layers] : records.layers)
    if (const auto id = ids.of(run)) layers_.put(*id, runs_.architecture(*id), layers);
  for (const auto& [run, times] : records.layer_times)
    if (const auto id = ids.of(run)) layers_.put(*id, times);
  if (commit.source.pending) {
    series_.add_pending(source_id, records);
  } else {
    series_.add(records, owner, now);
    if (const auto late = SeriesTable::late(records, now))
      runs_.measure_anew(late->from, late->to, kMostMeasuredAnew);
  }
}

// What was pending when the last daemon ended. Nobody sees it, so that it may wait where the disk is full, or the history
// can only be read. So may the run in which an import that went on with another one broke off.
void SqliteWriter::find_abandoned() {
  abandoned_ = sources_.pending();
  broken_off_ = runs_.running_of_imports();
  const Result<void> done = clear_up();
  const bool may_wait = done || done.error().kind == ErrorKind::exhausted ||
                        (is_read_only_ && done.error().kind == ErrorKind::unavailable);
  if (!may_wait) throw sqlite::Failure(SQLITE_ERROR, done.error());
}

Result<void> SqliteWriter::clear_up() {
  for (; !abandoned_.empty(); abandoned_.pop_back()) {
    if (auto dropped = drop_source(abandoned_.back()); !dropped) return dropped;
  }
  if (broken_off_.empty()) return {};
  auto done = transaction([&] {
    for (const std::int64_t run : broken_off_) runs_.lose(run);
  });
  if (done) broken_off_.clear();
  return done;
}

Result<std::vector<SourceRow>> SqliteWriter::sources() {
  return guarded([&] { return sources_.all(); });
}

Result<std::vector<SourceRow>> SqliteWriter::imports(const std::string& head) {
  return guarded([&] { return sources_.imports(head); });
}

Result<std::optional<SourceRow>> SqliteWriter::source(std::int64_t id) {
  return guarded([&] { return sources_.find(id); });
}

Result<std::optional<SourceRow>> SqliteWriter::followed_source(const std::string& path) {
  return guarded([&] { return sources_.find_followed(path); });
}

Result<std::vector<std::int64_t>> SqliteWriter::sources_with_running_runs() {
  return guarded([&] { return sources_.with_running_runs(); });
}

Result<std::vector<std::int64_t>> SqliteWriter::sources_without_runs() {
  return guarded([&] { return sources_.without_runs(); });
}

Result<std::vector<FinishedFile>> SqliteWriter::finished_files() {
  return guarded([&] { return sources_.finished(); });
}

Result<void> SqliteWriter::forget_finished(Instant before, Instant gone_before) {
  return transaction([&] {
    sources_.forget_finished(before, gone_before);
    datasets_.forget_empty();
  });
}

void SqliteWriter::drop_runs(std::int64_t source_id) {
  budgets_.forget_state();
  runs_.leave(source_id);
  measurements_.forget(source_id);
  runs_.remove(source_id);
}

// Nobody comes back for a pending one. What it filled the disk with needs room to be dropped: maintenance tries again.
Result<void> SqliteWriter::drop_source(std::int64_t id) {
  auto dropped = transaction([&] {
    drop_runs(id);
    sources_.remove(id);
  });
  if (dropped || std::ranges::find(abandoned_, id) != abandoned_.end()) return dropped;
  if (const auto row = source(id); row && *row && (*row)->pending) abandoned_.push_back(id);
  return dropped;
}

Result<void> SqliteWriter::replace_source(std::int64_t old, std::int64_t id) {
  return adopt(id, [&] {
    for (const auto& [before, after] : runs_.common(old, id)) {
      if (!before) {
        drop_run(after);
        continue;
      }
      runs_.hand_over(*before, after);
      record_.hand_over(*before, after);
    }
    layers_.hand_over(old, id);
    drop_runs(old);
    sources_.remove(old);
  });
}

Result<bool> SqliteWriter::is_beginning(std::int64_t copy, std::int64_t source) {
  return guarded([&] { return runs_.is_beginning(copy, source); });
}

Result<void> SqliteWriter::pass_source_over(std::int64_t id) {
  return transaction([&] {
    runs_.note_forgotten(id);
    drop_runs(id);
    sources_.pass_over(id);
  });
}

Result<std::int64_t> SqliteWriter::look_again(const std::string& rules_fingerprint) {
  // Most starts have nothing to look at again. They write nothing, so that a full disk stops none.
  const auto tried = guarded([&] { return sources_.has_tried(rules_fingerprint); });
  if (!tried) return tl::unexpected(tried.error());
  if (*tried) return 0;
  std::int64_t count = 0;
  auto done = transaction([&] { count = sources_.look_again(rules_fingerprint); });
  if (!done) return tl::unexpected(done.error());
  return count;
}

void SqliteWriter::withdraw(std::int64_t source_id, const SourceRow& source, std::int64_t first_ordinal) {
  for (const std::int64_t run : runs_.from(source_id, first_ordinal)) {
    const auto row = has_budget(source) ? runs_.read(run) : std::nullopt;
    measurements_.forget_run(run);
    runs_.withdraw(run);
    if (row) budgets_.give_back(row->owner.value_or(kUnknownOwner), row->run);
  }
}

void SqliteWriter::drop_run(std::int64_t run_id) {
  budgets_.forget_state();
  measurements_.forget_run(run_id);
  runs_.forget(run_id);
}

Result<void> SqliteWriter::lose_runs(std::int64_t source_id) {
  return transaction([&] {
    for (const std::int64_t run : runs_.runs_of(source_id)) runs_.lose(run);
  });
}

Result<void> SqliteWriter::forget_run(std::int64_t run_id) {
  return transaction([&] { drop_run(run_id); });
}

Result<Forgotten> SqliteWriter::forget_owner(std::int64_t uid) {
  Forgotten out;
  auto done = transaction([&] {
    const auto ended = sources_.ended_of(uid);
    measurements_.forget_owner(uid);
    out.runs = runs_.forget_owner(uid);
    out.sources = sources_.forget_owner(uid, ended);
    budgets_.forget_state();
  });
  if (!done) return tl::unexpected(done.error());
  if (out.runs + out.sources == 0)
    return fail(ErrorKind::not_found, "the history has nothing of user " + std::to_string(uid));
  return out;
}

Result<void> SqliteWriter::adopt_source(std::int64_t id) {
  return adopt(id, [] {});
}

// With what else belongs to it, in the same transaction.
Result<void> SqliteWriter::adopt(std::int64_t id, const std::function<void()>& more) {
  std::vector<std::string> identities;
  auto done = transaction([&] {
    sources_.clear_pending(id);
    runs_.adopt(id);
    if (const auto traced = series_.adopt(id)) runs_.measure_anew(traced->from, traced->to, -1);
    identities = sources_.finished_of(id);
    more();
  });
  if (done) adopted_.insert(adopted_.end(), identities.begin(), identities.end());
  return done;
}

Result<void> SqliteWriter::put_models(std::vector<ModelRow>& models, const std::vector<ModelKey>& gone,
                                      const std::optional<RefitProgress>& reached) {
  std::vector<std::int64_t> ids;
  ids.reserve(models.size());
  auto done = transaction([&] {
    for (const ModelRow& model : models) ids.push_back(models_.put(model));
    for (const ModelKey& key : gone) models_.remove(key);
    if (reached) models_.put(*reached);
  });
  if (!done) return done;
  for (std::size_t i = 0; i < models.size(); ++i) models[i].id = ids[i];
  return done;
}

Result<void> SqliteWriter::put_estimator_records(const std::string& records) {
  return transaction([&] { models_.put_records(records); });
}

Result<void> SqliteWriter::put_costs(std::int64_t run_id, Phase phase, std::optional<double> joules,
                                     std::optional<double> peak_bytes) {
  return transaction([&] { runs_.put_costs(run_id, phase, joules, peak_bytes); });
}

Result<void> SqliteWriter::set_labels(std::int64_t run_id, const std::map<std::string, std::string>& labels) {
  if (auto valid = check_labels(labels); !valid) return valid;
  bool found = false;
  auto done = transaction([&] { found = runs_.label(run_id, labels); });
  if (done && !found) return fail(ErrorKind::not_found, "there is no run " + std::to_string(run_id));
  return done;
}

Result<void> SqliteWriter::add_found_labels(std::int64_t source_id, std::int64_t ordinal,
                                            const std::map<std::string, std::string>& labels,
                                            const std::string& origin) {
  std::map<std::string, std::string> usable;
  for (const auto& [name, value] : labels) {
    if (check_labels({{name, value}})) usable.emplace(name, value);
  }
  if (usable.empty()) return {};
  return transaction([&] {
    const auto id = runs_.find(source_id, ordinal);
    const auto row = id ? runs_.read(*id) : std::nullopt;
    if (!row) return;
    if (const auto network = usable.find("network"); network != usable.end() && row->run.network.empty()) {
      Run named = row->run;
      named.network = network->second;
      const std::int64_t owner = row->owner.value_or(kUnknownOwner);
      if (!budgets_.admits_network(owner, named)) {
        budgets_.refuse(owner, "networks", 1);
        usable.erase(network);
      }
    }
    runs_.label(*id, usable, origin);
  });
}

Result<void> SqliteWriter::put_predictions(const std::vector<PredictionRow>& predictions) {
  return transaction([&] {
    for (const PredictionRow& prediction : predictions) record_.put(prediction);
  });
}

Result<void> SqliteWriter::score_run(std::int64_t run_id, Duration total) {
  return transaction([&] { record_.score(run_id, total); });
}

Result<void> SqliteWriter::sync() {
  return guarded([&] { connection_->sync(); });
}

bool SqliteWriter::wants_to_be_opened_anew() const {
  return is_read_only_ && may_be_written(connection_->path());
}

Result<void> SqliteWriter::maintain(Instant now) {
  const bool at_rest = !has_written_;
  if (auto in_place = placement_.check(); !in_place) return in_place;
  Result<void> done = clear_up();
  if (series_.due(now)) {
    auto kept = transaction([&] { series_.maintain(now); });
    if (done) done = std::move(kept);
  }
  has_written_ = false;  // what maintenance itself writes does not count: it does so each minute
  // A long catching up needed pages that nobody does now.
  if (at_rest) sqlite3_db_release_memory(connection_->handle());
  // Whatever failed: on a full disk what is folded in gives the next transaction the log's own room to write in.
  auto folded = guarded([&] { checkpointer_.step(now); });
  return done ? folded : done;
}

}  // namespace etad
