#include "fleet/answers/fleet_models.h"

#include <map>
#include <set>
#include <utility>

#include "fleet/schema.h"
#include "parsers/base/hash.h"
#include "prediction/model_json.h"
#include "storage/codes.h"

namespace etad::fleet {
namespace {

using postgres::Connection;
using postgres::parameter;
using postgres::Parameter;
using postgres::parameters;
using prediction::FittedModel;

constexpr std::int64_t kLock = 1702125925;
constexpr std::size_t kPart = 512 * 1024;  // bytes of a row of what was learnt

// Of a role that may only read.
bool keeps_nothing(const postgres::Failure& failure) {
  return failure.sql_state == "42501";
}

// One transaction that writes; where nothing can be kept, nothing is.
template <class Body>
Result<void> written(const std::string& database, const Body& body) {
  try {
    Connection connection(database);
    postgres::Transaction transaction(connection);
    body(connection);
    connection.flush();
    transaction.commit();
    return {};
  } catch (const postgres::Failure& failure) {
    if (keeps_nothing(failure)) return {};
    return tl::unexpected(failure.error);
  }
}

// Without a sequence: made of the key, the same wherever it is made.
std::int64_t id_of(const ModelKey& key) {
  std::uint64_t hash = fnv1a({});
  const auto take = [&hash](std::string_view text) { hash = fnv1a("\xff", fnv1a(text, hash)); };
  for (const std::string* text : {&key.network, &key.architecture, &key.framework, &key.host, &key.device})
    take(*text);
  take(std::to_string(key.devices));
  take(codes::word(key.phase));
  return static_cast<std::int64_t>(hash >> 12U);  // as exact as JSON's numbers are
}

std::vector<Parameter> parameters_of(const ModelKey& key) {
  return parameters(key.network, key.architecture, key.framework, key.host, key.device, key.devices,
                    codes::word(key.phase));
}

void put_one(Connection& connection, const ModelRow& row, const std::string& digest,
             std::int64_t generation) {
  auto values = parameters_of(row.key);
  for (auto& more : parameters(row.id, row.fitted_at, digest, generation, row.body))
    values.push_back(std::move(more));
  connection.queue(
      "INSERT INTO models (network, architecture, framework, host, device, devices, phase, model_id, "
      "fitted_at,"
      " digest, generation, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
      " ON CONFLICT (network, architecture, framework, host, device, devices, phase) DO UPDATE SET"
      " model_id = excluded.model_id, fitted_at = excluded.fitted_at, digest = excluded.digest,"
      " generation = excluded.generation, body = excluded.body",
      values);
}

}  // namespace

FleetModels::Turn FleetModels::turn(bool wait) {
  try {
    auto connection = std::make_unique<Connection>(database_);
    if (!wait) {
      const auto rows = connection->query("SELECT pg_try_advisory_lock($1)", parameters(kLock));
      if (!rows.flag(0, 0)) return {nullptr, true};
      return {std::move(connection), false};
    }
    connection->set_timeout(std::chrono::minutes(30));  // a first fit of a large fleet takes minutes
    connection->query("SELECT pg_advisory_lock($1)", parameters(kLock));
    return {std::move(connection), false};
  } catch (const postgres::Failure&) {
    return {};
  }
}

Result<FleetModels::State> FleetModels::state() {
  return postgres::guarded([&] {
    State out;
    Connection connection(database_);
    check_readable(connection);
    const auto rows = connection.query(
        "SELECT has_table_privilege('models', 'INSERT'), version, generation,"
        " CAST(extract(epoch FROM current_timestamp - looked_at) AS double precision)"
        " FROM (SELECT 1) AS one LEFT JOIN model_progress ON id = 1");
    out.may_keep = rows.flag(0, 0);
    if (rows.is_null(0, 1)) return out;
    out.progress = {rows.integer(0, 1), rows.integer(0, 2)};
    if (!rows.is_null(0, 3)) out.seconds_ago = rows.number(0, 3);
    return out;
  });
}

Result<std::int64_t> FleetModels::looked(const std::optional<prediction::Learnt>& learnt) {
  std::int64_t generation = 0;
  const auto done = written(database_, [&](Connection& connection) {
    if (reached_)
      connection.query(
          "INSERT INTO model_progress (id, version, generation) VALUES (1, $1, $2)"
          " ON CONFLICT (id) DO UPDATE SET version = excluded.version, generation = excluded.generation",
          parameters(reached_->version, reached_->generation));
    const auto now = connection.query("SELECT generation FROM model_progress WHERE id = 1");
    if (now.size() > 0) generation = now.integer(0, 0);
    if (learnt) {
      const std::string body = prediction::learnt_to_json(*learnt);
      connection.queue("DELETE FROM learnt", {});
      for (std::size_t at = 0; at < body.size(); at += kPart)
        connection.queue(
            "INSERT INTO learnt (part, generation, body) VALUES ($1, $2, $3)",
            parameters(static_cast<std::int64_t>(at / kPart), generation, body.substr(at, kPart)));
    }
    connection.queue("UPDATE model_progress SET looked_at = current_timestamp WHERE generation = $1",
                     parameters(generation));
  });
  if (!done) return tl::unexpected(done.error());
  reached_.reset();
  return generation;
}

Result<std::optional<prediction::Learnt>> FleetModels::learnt(std::int64_t generation) {
  std::string body;
  try {
    Connection connection(database_);
    const auto rows = connection.query("SELECT body FROM learnt WHERE generation = $1 ORDER BY part",
                                       parameters(generation));
    for (int i = 0; i < rows.size(); ++i) body += rows.text(i, 0);
  } catch (const postgres::Failure& failure) {
    if (keeps_nothing(failure)) return std::nullopt;
    return tl::unexpected(failure.error);
  }
  auto learnt = prediction::learnt_from_json(body);
  if (!learnt) return std::nullopt;
  return std::move(*learnt);
}

Result<bool> FleetModels::load(FleetReader& reader) {
  const auto rows = reader.models();
  if (!rows) return tl::unexpected(rows.error());
  std::vector<FittedModel> read;
  for (const ModelRow& row : *rows)
    if (auto model = prediction::model_from_row(row)) read.push_back(std::move(*model));
  const bool whole = read.size() == rows->size();
  hold(std::move(read));
  return whole;
}

Result<void> FleetModels::keep(std::vector<FittedModel>& fitted, const std::vector<ModelKey>& gone,
                               const std::optional<RefitProgress>& reached) {
  std::vector<ModelRow> rows;
  for (const FittedModel& model : fitted) {
    rows.push_back(prediction::row_of(model));
    rows.back().body = prediction::model_to_json(model);
  }
  if (auto put_down = put(rows, gone, reached); !put_down) return put_down;
  std::set<ModelKey> replaced(gone.begin(), gone.end());
  std::vector<FittedModel> next;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fitted[i].id = rows[i].id;
    replaced.insert(rows[i].key);
    auto model = prediction::model_from_row(rows[i]);  // as everybody else reads it
    if (!model) return tl::unexpected(model.error());
    next.push_back(std::move(*model));
  }
  for (const Model& model : held()->all())
    if (!replaced.contains(model->key)) next.push_back(*model);
  hold(std::move(next));
  return {};
}

std::shared_ptr<prediction::HeldModels> FleetModels::held() const {
  const Lock lock(mutex_);
  return held_;
}

void FleetModels::hold(std::vector<FittedModel> models) {
  auto next = std::make_shared<prediction::HeldModels>(std::move(models));
  const Lock lock(mutex_);
  held_ = std::move(next);
}

Result<void> FleetModels::put(std::vector<ModelRow>& models, const std::vector<ModelKey>& gone,
                              const std::optional<RefitProgress>& reached) {
  for (ModelRow& row : models) row.id = id_of(row.key);
  if (reached) reached_ = reached;
  return written(database_, [&](Connection& connection) {
    const auto progress = connection.query("SELECT coalesce(max(generation), 0) + 1 FROM model_progress");
    const std::int64_t generation = reached ? reached->generation : progress.integer(0, 0);
    const auto digest_of = [&](const ModelKey& key) {
      const auto found = findings_->digests.find(key);
      return found == findings_->digests.end() ? std::string() : found->second;
    };
    for (const ModelRow& row : models) put_one(connection, row, digest_of(row.key), generation);
    for (const ModelKey& key : gone) {
      if (const std::string digest = digest_of(key); !digest.empty()) {
        ModelRow none;
        none.id = id_of(key);
        none.key = key;
        put_one(connection, none, digest, generation);
      } else {
        connection.queue(
            "DELETE FROM models WHERE network = $1 AND architecture = $2 AND framework = $3 AND host = $4"
            " AND device = $5 AND devices = $6 AND phase = $7",
            parameters_of(key));
      }
    }
  });
}

}  // namespace etad::fleet
