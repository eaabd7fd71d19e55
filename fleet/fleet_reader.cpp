#include "fleet/fleet_reader.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "fleet/run_columns.h"
#include "parsers/base/text.h"
#include "storage/accuracy.h"
#include "storage/codes.h"
#include "storage/fair_share.h"
#include "storage/row_values.h"

namespace etad::fleet {
namespace {

using postgres::Connection;
using postgres::Parameter;
using postgres::parameter;
using postgres::parameters;
using postgres::Rows;
using postgres::select_instant;

// What a model's data are: as RunTable has it of a single host's.
constexpr const char* kIsData =
    " p.segments > 0 AND p.phase IN ('train', 'test') AND r.job <> 'time' AND (r.network <> '' OR "
    "r.architecture <> '') ";
constexpr const char* kKey =
    "r.network, r.architecture, r.framework, coalesce(nullif(r.host, ''), h.name), r.device, r.devices, "
    "p.phase";
constexpr const char* kStarted = "coalesce(r.started_at, timestamptz '1970-01-01 00:00:00+00')";
std::string joined() {
  return std::string(kRunTables) + "JOIN phases p ON p.host_id = r.host_id AND p.run_id = r.run_id ";
}

// The runs of a network, an architecture and a host ($1, $2, $4), each by an index: those that name the host, and those
// of a host of that name that name none.
std::string of_model() {
  return joined() +
         "JOIN (SELECT host_id, run_id FROM runs WHERE network = $1 AND architecture = $2 AND host = $4"
         " UNION ALL SELECT h.host_id, n.run_id FROM hosts h JOIN runs n ON n.host_id = h.host_id"
         " AND n.network = $1 AND n.architecture = $2 AND n.host = '' WHERE h.name = $4) m"
         " ON m.host_id = r.host_id AND m.run_id = r.run_id"
         " WHERE r.framework = $3 AND r.device = $5 AND r.devices = $6 AND p.phase = $7 ";
}

// Those of one number on two hosts are two, logs and users alike.
constexpr const char* kSource = "(h.number * 4294967296 + (r.source_id & 4294967295))";
constexpr const char* kOwner = "(h.number * 4294967296 + (coalesce(r.owner, -1) & 4294967295))";
constexpr const char* kPlace = "coalesce(p.place, r.run_id)";  // what is of an older exporter has none

// A model's runs to choose from: of each owner the newest, more than will be chosen, and where there are very many
// owners of each in turn. Whose came first says the database's clock; of one host its ids do, and of its owners the
// places that it gave them. A host that reads its logs again brings all their runs anew: its later owners then say
// when the earlier ones had come at the latest.
// An owner's place says over all models who was there first: by the microsecond, and by his rank where that is the same.
// (What is written for a time before 1970 or behind 2096 has no room in that, and is taken for these.)
constexpr std::int64_t kMostOwners = 64;
std::string evidence_query(const std::string& those_wanted) {
  return std::string(
             "SELECT id, source, owner, samples, CAST(extract(epoch FROM"
             " greatest(least(first, timestamptz '2096-01-01 00:00:00+00'),"
             " timestamptz '1970-01-01 00:00:00+00')) * 1000000 AS bigint) * 2048"
             " + least(dense_rank() OVER (ORDER BY first, place), 2047) FROM"
             " (SELECT * FROM (SELECT *, min(first_at) OVER (PARTITION BY host_id ORDER BY place DESC) AS "
             "first FROM"
             " (SELECT r.host_id, r.first_at, ") +
         kRunId + " AS id, " + kSource + " AS source, " + kOwner +
         " AS owner, coalesce(p.samples_per_iteration, 0) AS samples, min(" + kPlace +
         ") OVER (PARTITION BY r.host_id, r.owner) AS place,"
         " min(r.first_at) OVER (PARTITION BY r.host_id ORDER BY r.run_id DESC) AS came,"
         " row_number() OVER (PARTITION BY r.host_id, r.owner ORDER BY r.run_id DESC) AS nth" +
         of_model() + "AND" + kIsData + those_wanted +
         ") AS placed) AS every WHERE nth <= $8 ORDER BY nth, came DESC, id DESC LIMIT $9) AS newest"
         " ORDER BY came, id";
}

// A run that a model is made of: which of them it is, the newest being the first, and its owner's place.
struct Chosen {
  std::size_t at = 0;
  std::int64_t place = 0;
};

// By their ids.
std::map<std::int64_t, Chosen> chosen_runs(Connection& c, std::vector<Parameter> model, int max_runs,
                                           const RunsWanted& wanted) {
  const auto most = static_cast<std::int64_t>(std::max(max_runs, 0));
  for (auto& bound : parameters(4 * most, 4 * most * kMostOwners)) model.push_back(std::move(bound));
  std::string those_wanted;
  const auto want = [&](const std::string& condition, Parameter value) {
    model.push_back(std::move(value));
    those_wanted += "AND " + condition + " $" + std::to_string(model.size()) + " ";
  };
  if (wanted.owner) want(std::string(kOwner) + " =", parameter(*wanted.owner));
  if (wanted.over_by) want("coalesce(r.ended_at, r.started_at) <=", parameter(*wanted.over_by));
  const Rows rows = c.query(evidence_query(those_wanted), model);
  std::vector<Evidence> all;
  for (int i = 0; i < rows.size(); ++i)
    all.push_back({i, rows.integer(i, 1), rows.integer(i, 2), rows.integer(i, 3)});
  std::map<std::int64_t, Chosen> out;
  const auto count = static_cast<std::size_t>(most);
  for (const std::int64_t i : fair_share(std::move(all), count, count)) {
    const int row = static_cast<int>(i);
    out.emplace(rows.integer(row, 0), Chosen{out.size(), rows.integer(row, 4)});
  }
  return out;
}

std::vector<std::string> split(std::string_view joined) {
  std::vector<std::string> out;
  while (!joined.empty())
    if (const std::string_view part = take_until(joined, '\x1f'); !part.empty()) out.emplace_back(part);
  return out;
}

[[noreturn]] void throw_damaged() {
  throw postgres::Failure(
      "", Error{"the fleet's database", "the windows of a run can't be unpacked",
                "forget the run on its host, or label it: it is written again", ErrorKind::corrupt});
}

std::string prediction_columns() {
  return std::string(kRunId) + ", p.kind, p.at_fraction, " + select_instant("p.made_at") +
         ", p.elapsed_seconds, p.seconds, p.lower_seconds, p.upper_seconds, p.confidence, p.basis,"
         " p.actual_seconds, p.error_percent, p.covered";
}

std::vector<ModelRow> models_in(Connection& c) {
  const Rows rows =
      c.query("SELECT network, architecture, framework, host, device, devices, phase, model_id, body, " +
              select_instant("fitted_at") + " FROM models WHERE body <> '' ORDER BY model_id");
  std::vector<ModelRow> out;
  for (int i = 0; i < rows.size(); ++i) {
    ModelRow& row = out.emplace_back();
    row.id = rows.integer(i, 7);
    row.key = key_in(rows.at(i));
    row.body = rows.text(i, 8);
    row.fitted_at = rows.at(i).get<Instant>(9);
  }
  return out;
}

RefitProgress progress_in(Connection& c) {
  const Rows rows = c.query("SELECT version, generation FROM model_progress");
  return rows.size() == 0 ? RefitProgress{} : RefitProgress{rows.integer(0, 0), rows.integer(0, 1)};
}

}  // namespace

template <class Body>
auto FleetReader::reading(Body&& body) -> Result<decltype(body(std::declval<Connection&>()))> {
  auto done = postgres::guarded([&] {
    if (!connection_) connection_ = std::make_unique<Connection>(database_, "", patience_);
    return body(*connection_);
  });
  if (!done) connection_.reset();
  return done;
}

// Newest first: by their start, which is the order of ids on a single host, and by id where several began at once.
Result<std::vector<RunRow>> FleetReader::runs(const RunFilter& filter) {
  return reading([&](Connection& c) {
    std::vector<Parameter> values;
    std::string where;
    const auto add = [&](const std::string& before, Parameter value, const std::string& behind = {}) {
      values.push_back(std::move(value));
      where += (where.empty() ? " WHERE " : " AND ") + before + "$" + std::to_string(values.size()) + behind;
    };
    if (filter.state) add("r.state = ", parameter(codes::word(*filter.state)));
    if (!filter.network.empty()) add("lower(r.network) = lower(", parameter(filter.network), ")");
    if (!filter.framework.empty()) add("r.framework = ", parameter(filter.framework));
    if (filter.since) add("r.started_at >= ", parameter(*filter.since));
    if (filter.after_id) add(std::string(kRunId) + " > ", parameter(*filter.after_id));
    const std::string started = kStarted;
    if (filter.before_id) {
      const std::string id = std::to_string(*filter.before_id);
      const Rows at = c.query("SELECT CAST(" + started + " AS text)" + kRunTables + " WHERE " + kRunIdIs,
                              run_id_parameters(*filter.before_id));
      if (at.size() == 0) return std::vector<RunRow>{};
      add("(" + started + ", " + kRunId + ") < (CAST(", parameter(at.text(0, 0)),
          " AS timestamptz), " + id + ")");
    }
    values.push_back(parameter(std::max<std::int64_t>(filter.limit, 0)));
    const Rows rows = c.query(run_select() + where + " ORDER BY " + started + " DESC, " + kRunId +
                                  " DESC LIMIT $" + std::to_string(values.size()),
                              values);
    std::vector<RunRow> out;
    for (int i = 0; i < rows.size(); ++i) out.push_back(run_at(rows, i));
    return out;
  });
}

Result<std::optional<RunRow>> FleetReader::run(std::int64_t id) {
  return reading([&](Connection& c) -> std::optional<RunRow> {
    const Rows rows = c.query(run_select() + " WHERE " + kRunIdIs, run_id_parameters(id));
    if (rows.size() == 0) return std::nullopt;
    return run_at(rows, 0);
  });
}

Result<std::vector<RunningCount>> FleetReader::running() {
  return reading([&](Connection& c) {
    const Rows rows = c.query("SELECT network, framework, count(*) FROM runs WHERE state = $1 GROUP BY 1, 2",
                              parameters(codes::word(RunState::running)));
    std::vector<RunningCount> out;
    for (int i = 0; i < rows.size(); ++i)
      out.push_back({std::string(rows.text(i, 0)), std::string(rows.text(i, 1)), rows.integer(i, 2)});
    return out;
  });
}

Result<std::vector<RunCount>> FleetReader::run_counts(const std::string& network, Phase phase,
                                                      std::int64_t newest) {
  return reading([&](Connection& c) {
    const Rows rows = c.query(
        std::string(
            "SELECT device, devices, samples, count(*) FROM (SELECT r.device AS device, r.devices AS devices,"
            " coalesce(p.samples_per_iteration, 0) AS samples") +
            joined() + "WHERE lower(r.network) = lower($1) AND p.phase = $2 AND p.iterations > 0 ORDER BY " +
            kStarted + " DESC, " + kRunId + " DESC LIMIT $3) AS newest GROUP BY device, devices, samples",
        parameters(network, codes::word(phase), newest));
    std::vector<RunCount> out;
    for (int i = 0; i < rows.size(); ++i)
      out.push_back(
          {std::string(rows.text(i, 0)), rows.integer(i, 1), rows.integer(i, 2), rows.integer(i, 3)});
    return out;
  });
}

Result<std::vector<Segment>> FleetReader::segments(std::int64_t run_id, std::int64_t from,
                                                   std::int64_t limit) {
  return reading([&](Connection& c) {
    const Rows rows = c.query(std::string("SELECT p.window_count, p.windows, p.samples_per_iteration") +
                                  joined() + "WHERE " + kRunIdIs + " ORDER BY p.phase DESC",
                              run_id_parameters(run_id));
    std::vector<Segment> all;
    for (int i = 0; i < rows.size(); ++i) {
      RunData data;
      data.samples_per_iteration = rows.at(i).get<std::int64_t>(2);
      if (!take_windows(data, rows.integer(i, 0), rows.bytes(i, 1), std::numeric_limits<int>::max()))
        throw_damaged();
      all.insert(all.end(), data.windows.begin(), data.windows.end());
    }
    const auto size = static_cast<std::int64_t>(all.size());
    const std::int64_t first = std::clamp<std::int64_t>(from < 0 ? size - 1 : from, 0, size);
    const std::int64_t last = std::min(size, first + std::max<std::int64_t>(limit, 0));
    return std::vector<Segment>(all.begin() + first, all.begin() + std::max(first, last));
  });
}

// As the host has it whose came first: a log may show what its network is not.
Result<std::vector<Layer>> FleetReader::layers(const std::string& architecture) {
  if (architecture.empty()) return std::vector<Layer>{};
  if (last_layers_ && last_layers_->first == architecture) return last_layers_->second;
  return reading([&](Connection& c) {
    const Rows rows = c.query(
        std::string("SELECT ") + kLayerColumns +
            " FROM architectures WHERE architecture = $1 AND host_id ="
            " (SELECT host_id FROM architectures WHERE architecture = $1 ORDER BY first_at, host_id LIMIT 1)"
            " ORDER BY position",
        parameters(architecture));
    std::vector<Layer> out;
    for (int i = 0; i < rows.size(); ++i) out.push_back(layer_in(rows.at(i)));
    last_layers_ = {architecture, out};
    return out;
  });
}

Result<std::vector<NetworkRow>> FleetReader::networks(const NetworkFilter& filter) {
  return reading([&](Connection& c) {
    std::vector<Parameter> values;
    std::string where = " WHERE (r.network <> '' OR r.architecture <> '')";
    const auto add = [&](const char* before, const std::string& value, const char* behind) {
      values.push_back(parameter(value));
      where += before + std::to_string(values.size()) + behind;
    };
    if (filter.network) add(" AND lower(r.network) = lower($", *filter.network, ")");
    if (filter.architecture) add(" AND r.architecture = $", *filter.architecture, "");
    if (filter.after) {
      add(" AND (r.network, r.architecture) > ($", filter.after->network, "");
      add(", $", filter.after->architecture, ")");
    }
    const Rows rows = c.query(
        "SELECT r.network, r.architecture, string_agg(DISTINCT r.framework, chr(31)),"
        " string_agg(DISTINCT r.device, chr(31)),"
        " string_agg(DISTINCT CAST(p.samples_per_iteration AS text), chr(31)), count(*),"
        " coalesce(min(nullif(p.iterations, 0)), 0), coalesce(max(p.iterations), 0), " +
            select_instant("max(coalesce(r.ended_at, r.started_at))") + kRunTables +
            "LEFT JOIN phases p ON p.host_id = r.host_id AND p.run_id = r.run_id AND p.phase = 'train'" +
            where + " GROUP BY r.network, r.architecture ORDER BY r.network, r.architecture LIMIT " +
            std::to_string(std::max<std::int64_t>(filter.limit, 0)),
        values);
    std::vector<NetworkRow> out;
    for (int i = 0; i < rows.size(); ++i) {
      NetworkRow& row = out.emplace_back();
      row.network = rows.text(i, 0);
      row.architecture = rows.text(i, 1);
      row.frameworks = split(rows.text(i, 2));
      row.devices = split(rows.text(i, 3));
      for (const std::string& size : split(rows.text(i, 4))) row.batch_sizes.push_back(std::stoll(size));
      std::ranges::sort(row.batch_sizes);
      row.runs = rows.integer(i, 5);
      row.min_iterations = rows.integer(i, 6);
      row.max_iterations = rows.integer(i, 7);
      row.last_seen = rows.at(i).get<std::optional<Instant>>(8);
    }
    return out;
  });
}

Result<std::vector<ModelRow>> FleetReader::models() {
  return reading([](Connection& c) { return models_in(c); });
}

Result<RefitProgress> FleetReader::refit_progress() {
  return reading([](Connection& c) { return progress_in(c); });
}

Result<HistorySize> FleetReader::size() {
  return reading([](Connection& c) {
    const Rows rows = c.query(
        "SELECT (SELECT count(*) FROM runs), (SELECT CAST(least(coalesce(sum(segments), 0), "
        "9000000000000000000) AS bigint) FROM phases)");
    HistorySize out;
    out.runs = rows.integer(0, 0);
    out.segments = rows.integer(0, 1);
    return out;
  });
}

Result<std::vector<PredictionRow>> FleetReader::predictions(std::int64_t run_id) {
  return reading([&](Connection& c) {
    const Rows rows =
        c.query("SELECT " + prediction_columns() + kRunTables +
                    " JOIN predictions p ON p.host_id = r.host_id AND p.run_id = r.run_id WHERE " + kRunIdIs +
                    " ORDER BY p.kind, p.at_fraction",
                run_id_parameters(run_id));
    std::vector<PredictionRow> out;
    for (int i = 0; i < rows.size(); ++i) out.push_back(prediction_in(rows.at(i)));
    return out;
  });
}

Result<std::vector<AccuracyRow>> FleetReader::accuracy() {
  return reading([](Connection& c) {
    const Rows rows = c.query(
        std::string("SELECT r.network, p.kind, p.at_fraction, p.error_percent, p.covered") + kRunTables +
        "JOIN predictions p ON p.host_id = r.host_id AND p.run_id = r.run_id WHERE p.error_percent IS NOT "
        "NULL");
    AccuracySums sums;
    for (int i = 0; i < rows.size(); ++i)
      sums.add(std::string(rows.text(i, 0)), codes::value_of<PredictionKind>(rows.text(i, 1)),
               rows.number(i, 2), rows.number(i, 3), rows.flag(i, 4));
    return sums.rows();
  });
}

Result<std::vector<ScoredPrediction>> FleetReader::scored_predictions(std::int64_t most_runs) {
  return reading([&](Connection& c) {
    const Rows rows = c.query("SELECT " + prediction_columns() + ", r.network" + kRunTables +
                                  " JOIN predictions p ON p.host_id = r.host_id AND p.run_id = r.run_id "
                                  "WHERE p.actual_seconds IS NOT NULL"
                                  " ORDER BY r.started_at DESC, " +
                                  kRunId + " DESC, p.kind, p.at_fraction LIMIT $1",
                              parameters(8 * most_runs));  // two kinds at four fractions
    std::vector<ScoredPrediction> out;
    std::set<std::int64_t> runs;
    for (int i = 0; i < rows.size(); ++i) {
      const PredictionRow row = prediction_in(rows.at(i));
      runs.insert(row.run_id);
      if (static_cast<std::int64_t>(runs.size()) > most_runs) break;
      out.push_back({row, std::string(rows.text(i, kPredictionColumns))});
    }
    return out;
  });
}

void FleetReader::read_digests(Connection& c, Digests& digests) {
  digests.clear();
  const Rows data = c.query(std::string("SELECT ") + kKey + ", CAST(sum(p.digest) AS text)" + joined() +
                            "WHERE" + kIsData + "GROUP BY " + kKey);
  for (int i = 0; i < data.size(); ++i) digests[key_in(data.at(i))] = data.text(i, 7);
}

Result<std::vector<ModelKey>> FleetReader::unnamed_keys(std::int64_t most) {
  return reading([&](Connection& c) {
    read_digests(c, findings_->digests);
    std::set<ModelKey> have;
    for (const ModelRow& row : models_in(c)) have.insert(row.key);
    std::vector<ModelKey> out;
    for (const auto& [key, digest] : findings_->digests)
      if (key.device.empty() && !have.contains(key) && static_cast<std::int64_t>(out.size()) < most)
        out.push_back(key);
    return out;
  });
}

Result<std::vector<ModelKey>> FleetReader::changed_keys(std::int64_t since_generation, std::int64_t& reached,
                                                        std::int64_t) {
  return reading([&](Connection& c) {
    last_layers_.reset();
    read_digests(c, findings_->digests);
    const Rows fitted = c.query(
        "SELECT network, architecture, framework, host, device, devices, phase, digest, generation FROM "
        "models");
    std::erase_if(findings_->damaged,
                  [&](const auto& each) { return !findings_->digests.contains(each.first); });
    const std::int64_t generation = progress_in(c).generation;
    Digests known;
    // Of a later generation are those of one who was killed before what goes with them was kept.
    for (int i = 0; i < fitted.size(); ++i)
      known[key_in(fitted.at(i))] = fitted.integer(i, 8) > generation ? "" : fitted.text(i, 7);
    std::vector<ModelKey> out;
    for (const auto& [key, digest] : findings_->digests) {
      const auto found = known.find(key);
      if (since_generation <= 0 || found == known.end() || found->second != digest) out.push_back(key);
    }
    for (const auto& [key, digest] : known)
      if (!findings_->digests.contains(key)) out.push_back(key);
    reached = generation + (out.empty() ? 0 : 1);
    return out;
  });
}

Result<std::vector<RunData>> FleetReader::run_data(const ModelKey& k, int max_runs, int max_windows,
                                                   const RunsWanted& wanted) {
  return reading([&](Connection& c) {
    auto values =
        parameters(k.network, k.architecture, k.framework, k.host, k.device, k.devices, codes::word(k.phase));
    const auto chosen = chosen_runs(c, values, max_runs, wanted);
    std::string ids;
    for (const auto& [id, each] : chosen) ids += (ids.empty() ? "" : ",") + std::to_string(id);
    values.push_back(parameter("{" + ids + "}"));
    const Rows rows = c.query(
        std::string("SELECT ") + kRunId + ", " + kSource + ", " + kOwner +
            ", p.samples_per_iteration, p.iterations, p.seconds, " + select_instant("r.started_at") + ", " +
            select_instant("r.ended_at") +
            ", CAST(r.settings AS text), r.loss_is_nan, r.startup_seconds, r.snapshot_seconds, r.snapshots,"
            " p.joules, p.peak_bytes, coalesce((SELECT t.seconds FROM phases t WHERE t.host_id = p.host_id"
            " AND t.run_id = p.run_id AND t.phase = 'test' AND p.phase = 'train'), 0), p.window_count, "
            "p.windows" +
            of_model() + "AND " + kRunId + " = ANY(CAST($8 AS bigint[]))",
        values);
    std::vector<RunData> all;
    for (int i = 0; i < rows.size(); ++i) {
      RunData data = run_data_in(rows.at(i));
      data.place = chosen.at(data.run_id).place;
      if (take_windows(data, rows.integer(i, kRunDataColumns), rows.bytes(i, kRunDataColumns + 1),
                       max_windows))
        all.push_back(std::move(data));
    }
    // What one host wrote wrongly keeps no other's models from being fitted.
    const std::size_t damaged = static_cast<std::size_t>(rows.size()) - all.size();
    if (damaged > 0)
      findings_->damaged[k] = damaged;
    else if (!wanted.owner && !wanted.over_by)
      findings_->damaged.erase(k);
    std::ranges::sort(all, {}, [&](const RunData& data) { return chosen.at(data.run_id).at; });
    return all;
  });
}

}  // namespace etad::fleet
