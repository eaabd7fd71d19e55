#include "storage/run_table.h"

#include <tuple>

#include "storage/codes.h"
#include "storage/row_values.h"
#include "storage/run_row.h"

namespace etad {
namespace {

// What changes from one line to the next. The columns left out are in indexes, which SQLite writes anew wherever a
// statement names their columns, whatever their values.
constexpr const char* kProgress =
    "UPDATE runs SET (job, framework, host, device, devices, started_at, ended_at, settings, iteration,"
    " max_iterations, first_iteration, startup, snapshot_time, snapshots, stalls, loss_is_nan, message,"
    " updated_at) = (?2, ?4, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?23)"
    " WHERE id = ?22";

constexpr const char* kSums =
    "batch_size = ?4, samples_per_iteration = ?5, iterations = ?6, duration = ?7, segments = ?8,"
    // What traces told holds as long as the run is as long as then.
    " joules = CASE WHEN iterations = ?6 THEN coalesce(?9, joules) ELSE ?9 END,"
    " peak_bytes = CASE WHEN iterations = ?6 THEN coalesce(?10, peak_bytes) ELSE ?10 END";

// Whether writing these sums would change nothing.
bool says_nothing_new(const PhaseSummary& now, const PhaseSummary& before) {
  const auto is_known = [](const auto& value, const auto& known) { return !value || value == known; };
  return now.batch_size == before.batch_size && now.samples_per_iteration == before.samples_per_iteration &&
         now.iterations == before.iterations && now.duration == before.duration &&
         now.segments == before.segments && is_known(now.joules, before.joules) &&
         is_known(now.peak_bytes, before.peak_bytes);
}

const PhaseSummary& summary(const Run& run, Phase phase) {
  return phase == Phase::train ? run.train : run.test;
}

// Whether the run's segments of that phase are data for a model: which network's they are must be known, and
// timing runs differ from real ones.
bool is_data(const Run& run, Phase phase) {
  return run.job != Job::time && summary(run, phase).segments > 0 &&
         !(run.network.empty() && run.architecture.empty());
}

// Packing goes forward only: a chunk that has grown begins with the bytes that it had.
std::string without_twin(const std::string& table) {
  return " AND NOT EXISTS (SELECT 1 FROM " + table +
         " p JOIN runs a ON a.id = p.run_id AND a.source_id = ?1 WHERE NOT EXISTS"
         " (SELECT 1 FROM " +
         table +
         " q JOIN runs b ON b.id = q.run_id AND b.source_id = ?2 AND b.ordinal = a.ordinal"
         "  WHERE q.first_index = p.first_index AND substr(q.body, 1, length(p.body)) = p.body))";
}

// Which run of the new reading is which of the old one. By job and start, whatever the ordinal: other rules may know of
// runs that were not known before. Of a log whose lines bear no time the start is when they came: a later reading lacks
// it, or has another one. Such runs are known by their order, where there are as many as before.
constexpr const char* kCommon =
    // The runs of the old reading, those that were forgotten among them, and of the new one, in their order.
    "WITH old AS (SELECT *, row_number() OVER (ORDER BY ordinal) AS place FROM"
    "  (SELECT id, ordinal, job, started_at, iteration FROM runs WHERE source_id = ?1 UNION ALL"
    "   SELECT NULL, ordinal, job, started_at, iteration FROM forgotten_runs WHERE source_id = ?1)),"
    " new AS (SELECT id, ordinal, job, started_at, iteration, row_number() OVER (ORDER BY ordinal) AS place"
    "  FROM runs WHERE source_id = ?2),"
    // The n-th one of a job that starts at an instant is the n-th one of the other reading.
    " dated_old AS (SELECT *, row_number() OVER (PARTITION BY job, started_at ORDER BY ordinal) AS nth"
    "  FROM old WHERE started_at IS NOT NULL),"
    " dated_new AS (SELECT *, row_number() OVER (PARTITION BY job, started_at ORDER BY ordinal) AS nth"
    "  FROM new WHERE started_at IS NOT NULL),"
    " dated AS (SELECT a.ordinal AS before, b.ordinal AS after, a.id AS old_id, b.id AS new_id"
    "  FROM dated_old a JOIN dated_new b USING (job, started_at, nth))"
    " SELECT old_id, new_id FROM dated UNION ALL"
    // All others by their place.
    " SELECT a.id, b.id FROM old a JOIN new b USING (job, place)"
    " WHERE (SELECT count(*) FROM old) = (SELECT count(*) FROM new)"
    " AND (b.started_at IS NULL OR b.iteration = a.iteration)"
    " AND a.ordinal NOT IN (SELECT before FROM dated) AND b.ordinal NOT IN (SELECT after FROM dated)";

const std::string kOfOwner = "owner = ? AND source_id IN (SELECT id FROM sources WHERE NOT pending)";

}  // namespace

RunTable::RunTable(sqlite::Connection& c, DatasetTable& datasets)
    : connection_(c),
      datasets_(datasets),
      find_(c,
            "SELECT id, loss_is_nan, state, network, architecture FROM runs WHERE source_id = ? AND ordinal "
            "= ?"),
      insert_(c, std::string("INSERT INTO runs (") + run_row::kColumns +
                     ", source_id, updated_at, owner) VALUES (" + run_row::kPlaces + ", ?22, ?23, ?24)"),
      update_(c, std::string("UPDATE runs SET (") + run_row::kColumns + ", updated_at) = (" +
                     run_row::kPlaces + ", ?23) WHERE id = ?22"),
      progress_(c, kProgress),
      read_(c, run_row::select() + "WHERE r.id = ? AND NOT s.pending"),
      of_source_(c, "SELECT id FROM runs WHERE source_id = ?"),
      architecture_(c, "SELECT architecture FROM runs WHERE id = ?"),
      phase_(c,
             "SELECT dataset_id, batch_size, samples_per_iteration, iterations, duration, segments, joules,"
             " peak_bytes FROM run_phases WHERE run_id = ? AND phase = ?"),
      put_phase_(c,
                 "INSERT INTO run_phases VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8,"
                 " (SELECT coalesce(owner, -1) FROM runs WHERE id = ?1), ?9, ?10) ON CONFLICT DO UPDATE SET"
                 " dataset_id = ?3, owner = excluded.owner, " +
                     std::string(kSums)),
      put_sums_(c, std::string("UPDATE run_phases SET ") + kSums + " WHERE run_id = ?1 AND phase = ?2"),
      forget_costs_(c,
                    "UPDATE run_phases SET joules = NULL, peak_bytes = NULL WHERE run_id = ?1 AND NOT EXISTS"
                    " (SELECT 1 FROM runs r JOIN sources s ON s.id = r.source_id WHERE r.id = ?1"
                    "  AND s.format = 'measurements')"),
      put_costs_(c,
                 "UPDATE run_phases SET joules = coalesce(joules, ?3), peak_bytes = coalesce(peak_bytes, ?4)"
                 " WHERE run_id = ?1 AND phase = ?2"),
      change_(c, "UPDATE runs SET updated_at = updated_at WHERE id = ?"),
      without_costs_(c,
                     "SELECT p.dataset_id FROM runs r JOIN run_phases p ON p.run_id = r.id"
                     " WHERE r.id > (SELECT coalesce(max(id), 0) - 20000 FROM runs)"
                     " AND r.started_at < ?2 AND r.ended_at > ?1 AND r.state <> 'running'"
                     " AND p.dataset_id IS NOT NULL AND (p.joules IS NULL OR p.peak_bytes IS NULL)"
                     " GROUP BY p.dataset_id ORDER BY max(r.id) DESC LIMIT ?3"),
      running_of_imports_(c,
                          "SELECT r.id FROM runs r JOIN sources s ON s.id = r.source_id"
                          " WHERE r.state = ? AND s.kind = 'import' AND NOT s.pending"),
      lose_(c, "UPDATE runs SET state = ?2 WHERE id = ?1 AND state = 'running'"),
      labels_(c, "SELECT labels, said FROM run_labels WHERE run_id = ?"),
      put_labels_(
          c, "INSERT INTO run_labels VALUES (?1, ?2, ?3) ON CONFLICT DO UPDATE SET labels = ?2, said = ?3"),
      said_(c, "UPDATE run_labels SET said = ? WHERE run_id = ?"),
      remove_(c, "DELETE FROM runs WHERE source_id = ?"),
      forget_(c, "DELETE FROM runs WHERE id = ?"),
      from_(c, "SELECT id FROM runs WHERE source_id = ? AND ordinal >= ?"),
      note_forgotten_(c,
                      "INSERT OR REPLACE INTO forgotten_runs"
                      " SELECT source_id, ordinal, job, started_at, iteration FROM runs WHERE id = ?"),
      note_all_(c,
                "INSERT OR REPLACE INTO forgotten_runs"
                " SELECT source_id, ordinal, job, started_at, iteration FROM runs WHERE source_id = ?"),
      is_forgotten_(c, "SELECT 1 FROM forgotten_runs WHERE source_id = ? AND ordinal = ?"),
      common_(c, kCommon),
      is_beginning_(
          c,
          "SELECT EXISTS (SELECT 1 FROM runs WHERE source_id = ?1)"
          " AND NOT EXISTS (SELECT 1 FROM runs a WHERE a.source_id = ?1 AND NOT EXISTS"
          "  (SELECT 1 FROM runs b WHERE b.source_id = ?2 AND b.ordinal = a.ordinal AND b.job = a.job"
          "   AND b.started_at IS a.started_at))" +
              without_twin("segment_chunks") + without_twin("point_chunks")),
      own_(c, "UPDATE runs SET owner = ?2 WHERE source_id = ?1 AND owner IS NULL"),
      own_phases_(c,
                  "UPDATE run_phases SET owner = ?2 WHERE owner = -1"
                  " AND run_id IN (SELECT id FROM runs WHERE source_id = ?1)"),
      datasets_of_owner_(c,
                         "SELECT DISTINCT dataset_id FROM run_phases WHERE owner = ?1"
                         " AND dataset_id IS NOT NULL"),
      note_owners_(c,
                   "INSERT OR REPLACE INTO forgotten_runs"
                   " SELECT source_id, ordinal, job, started_at, iteration FROM runs WHERE " +
                       kOfOwner),
      forget_owners_(c, "DELETE FROM runs WHERE " + kOfOwner) {}

std::optional<std::int64_t> RunTable::find(std::int64_t source_id, std::int64_t ordinal) {
  auto rows = find_.query(source_id, ordinal);
  if (!rows.next()) return std::nullopt;
  return rows.get<std::int64_t>(0);
}

std::int64_t RunTable::put(std::int64_t source_id, const SourceRow& source, const Run& said, Instant now) {
  std::int64_t id = 0;
  Run before;  // of it only what is compared below
  if (auto rows = find_.query(source_id, said.ordinal); rows.next()) {
    id = rows.get<std::int64_t>(0);
    before.loss_is_nan = rows.get<bool>(1);
    before.state = codes::value_of<RunState>(rows.get<std::string_view>(2));
    before.network = rows.get<std::string>(3);
    before.architecture = rows.get<std::string>(4);
  }
  if (id == 0) {
    run_row::write(insert_, said, source_id, now, source.owner);
    id = connection_.last_insert_id();
    write_phases(id, said, source.pending, false);
    return id;
  }
  std::optional<RunLabels> labels;
  if (auto rows = labels_.query(id); rows.next()) labels = read_labels(rows.get<std::string_view>(0));
  std::optional<Run> labelled;
  if (labels) {
    said_.run(to_json(said_by_log(said)), id);
    labelled = said;
    apply_labels(*labelled, labels->values);
  }
  const Run& run = labelled ? *labelled : said;
  const bool progresses =
      run.state == before.state && run.network == before.network && run.architecture == before.architecture;
  run_row::write(progresses ? progress_ : update_, run, id, now);
  // Of a run that is over the traces tell what it cost.
  const bool over = before.state == RunState::running && run.state != RunState::running;
  write_phases(id, run, source.pending, before.loss_is_nan != run.loss_is_nan || over);
  return id;
}

void RunTable::write_phases(std::int64_t run_id, const Run& run, bool pending, bool changed) {
  write_phase(run_id, run, Phase::train, pending, changed);
  write_phase(run_id, run, Phase::test, pending, changed);
}

// Moves the run to another dataset where its key has changed: both have changed then.
void RunTable::write_phase(std::int64_t run_id, const Run& run, Phase phase, bool pending, bool changed) {
  const PhaseSummary& sum = summary(run, phase);
  std::optional<PhaseSummary> old;
  std::optional<std::int64_t> old_dataset;
  if (auto rows = phase_.query(run_id, codes::word(phase)); rows.next()) {
    old_dataset = rows.get<std::optional<std::int64_t>>(0);
    old = phase_in(rows, 1);
  }
  std::optional<std::int64_t> dataset;
  if (!pending && is_data(run, phase)) dataset = datasets_.id_of(key_of(run, phase));
  const bool moves = !old || dataset != old_dataset;
  if (moves || !says_nothing_new(sum, *old)) {
    sqlite::Statement& put = moves ? put_phase_ : put_sums_;
    put.run(run_id, codes::word(phase), dataset, sum.batch_size, sum.samples_per_iteration, sum.iterations,
            sum.duration, sum.segments, sum.joules, sum.peak_bytes);
  }
  const bool resampled =
      old ? old->samples_per_iteration != sum.samples_per_iteration : sum.samples_per_iteration.has_value();
  if (!moves && !resampled && !changed) return;
  if (old_dataset) datasets_.touch(*old_dataset);
  if (dataset) datasets_.touch(*dataset);
}

void RunTable::put_costs(std::int64_t run_id, Phase phase, const std::optional<double>& joules,
                         const std::optional<double>& peak_bytes) {
  put_costs_.run(run_id, codes::word(phase), joules, peak_bytes);
  change_.run(run_id);  // its row's trigger lists the change for whoever carries the history elsewhere
}

void RunTable::measure_anew(Instant from, Instant to, std::int64_t most) {
  std::vector<std::int64_t> datasets;
  for (auto rows = without_costs_.query(from, to, most); rows.next();)
    datasets.push_back(rows.get<std::int64_t>(0));
  for (const std::int64_t id : datasets) datasets_.touch(id);
}

void RunTable::measured(std::int64_t run_id, Phase phase) {
  auto rows = phase_.query(run_id, codes::word(phase));
  if (!rows.next()) return;
  if (const auto dataset = rows.get<std::optional<std::int64_t>>(0)) datasets_.touch(*dataset);
}

std::optional<RunRow> RunTable::read(std::int64_t run_id) {
  auto rows = read_.query(run_id);
  if (!rows.next()) return std::nullopt;
  return run_row::read(rows);
}

bool RunTable::label(std::int64_t run_id, const TextMap& added, const std::string& origin) {
  auto row = read(run_id);
  if (!row) return false;
  TextMap said = said_by_log(row->run);
  const auto measured_by = [&](const TextMap& labels) {
    const auto gpus = labels.find("gpus");
    return std::tuple(row->run.host, row->run.devices, gpus == labels.end() ? std::string() : gpus->second);
  };
  const auto before = measured_by(row->labels);
  if (auto rows = labels_.query(run_id); rows.next()) said = text_map(rows.get<std::string_view>(1));
  restore_said(row->run, said);
  RunLabels labels{row->labels, row->label_origins};
  if (origin.empty()) {
    merge_labels(labels, added);
  } else {
    merge_found(labels, added, origin);
  }
  apply_labels(row->run, labels.values);
  put_labels_.run(run_id, to_json(labels), to_json(said));
  run_row::write(update_, row->run, run_id, row->updated_at.value_or(Instant{}));
  // What the traces of other GPUs told of it. A table of measurements says itself what they cost.
  const bool measured_anew = measured_by(labels.values) != before;
  if (measured_anew) {
    forget_costs_.run(run_id);
    for (PhaseSummary* sums : {&row->run.train, &row->run.test})
      sums->joules = sums->peak_bytes = std::nullopt;
  }
  write_phases(run_id, row->run, false, measured_anew);
  return true;
}

std::vector<std::int64_t> RunTable::runs_of(std::int64_t source_id) {
  std::vector<std::int64_t> ids;
  for (auto rows = of_source_.query(source_id); rows.next();) ids.push_back(rows.get<std::int64_t>(0));
  return ids;
}

std::vector<std::int64_t> RunTable::running_of_imports() {
  std::vector<std::int64_t> ids;
  for (auto rows = running_of_imports_.query(codes::word(RunState::running)); rows.next();)
    ids.push_back(rows.get<std::int64_t>(0));
  return ids;
}

void RunTable::lose(std::int64_t run_id) {
  lose_.run(run_id, codes::word(RunState::lost));
  if (connection_.changes() == 0) return;
  if (const auto row = read(run_id)) write_phases(run_id, row->run, false, true);
}

void RunTable::adopt(std::int64_t source_id) {
  for (const std::int64_t id : runs_of(source_id)) {
    if (const auto row = read(id)) write_phases(id, row->run, false, false);
  }
}

void RunTable::leave(std::int64_t source_id) {
  for (const std::int64_t id : runs_of(source_id)) {
    measured(id, Phase::train);
    measured(id, Phase::test);
  }
}

void RunTable::own(std::int64_t source_id, std::int64_t owner) {
  own_.run(source_id, owner);
  own_phases_.run(source_id, owner);
  leave(source_id);  // what their models rest on is weighed anew
}

void RunTable::remove(std::int64_t source_id) {
  remove_.run(source_id);
}

std::int64_t RunTable::forget_owner(std::int64_t uid) {
  std::vector<std::int64_t> datasets;
  for (auto rows = datasets_of_owner_.query(uid); rows.next();) datasets.push_back(rows.get<std::int64_t>(0));
  for (const std::int64_t id : datasets) datasets_.touch(id);
  note_owners_.run(uid);
  forget_owners_.run(uid);
  return connection_.changes();
}

void RunTable::forget(std::int64_t run_id) {
  note_forgotten_.run(run_id);
  withdraw(run_id);
}

void RunTable::note_forgotten(std::int64_t source_id) {
  note_all_.run(source_id);
}

void RunTable::withdraw(std::int64_t run_id) {
  measured(run_id, Phase::train);
  measured(run_id, Phase::test);
  forget_.run(run_id);
}

std::vector<std::int64_t> RunTable::from(std::int64_t source_id, std::int64_t ordinal) {
  std::vector<std::int64_t> out;
  for (auto rows = from_.query(source_id, ordinal); rows.next();) out.push_back(rows.get<std::int64_t>(0));
  return out;
}

bool RunTable::is_forgotten(std::int64_t source_id, std::int64_t ordinal) {
  return is_forgotten_.query(source_id, ordinal).next();
}

bool RunTable::is_beginning(std::int64_t copy, std::int64_t source) {
  auto rows = is_beginning_.query(copy, source);
  return rows.next() && rows.get<bool>(0);
}

std::vector<RunTable::Common> RunTable::common(std::int64_t old, std::int64_t fresh) {
  std::vector<Common> out;
  for (auto rows = common_.query(old, fresh); rows.next();)
    out.push_back({rows.get<std::optional<std::int64_t>>(0), rows.get<std::int64_t>(1)});
  return out;
}

void RunTable::hand_over(std::int64_t before, std::int64_t after) {
  const auto row = read(before);
  if (!row) return;
  TextMap said;
  std::map<std::string, TextMap> found;  // by where
  for (const auto& [name, value] : row->labels) {
    const auto origin = row->label_origins.find(name);
    (origin == row->label_origins.end() ? said : found[origin->second]).emplace(name, value);
  }
  if (!said.empty()) label(after, said);
  for (const auto& [origin, labels] : found) label(after, labels, origin);
}

std::string RunTable::architecture(std::int64_t run_id) {
  auto rows = architecture_.query(run_id);
  return rows.next() ? rows.get<std::string>(0) : std::string();
}

}  // namespace etad
