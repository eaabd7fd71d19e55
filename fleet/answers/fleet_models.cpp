#include "fleet/answers/fleet_models.h"

#include "storage/codes.h"

namespace etad::fleet {
namespace {

using postgres::Connection;
using postgres::parameter;
using postgres::Parameter;
using postgres::parameters;

constexpr std::int64_t kLock = 1702125925;

// Without a sequence: made of the key, the same wherever it is made.
std::int64_t id_of(const ModelKey& key) {
  std::uint64_t hash = 14695981039346656037U;
  const auto take = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    hash = (hash ^ 255U) * 1099511628211U;
  };
  for (const std::string* text : {&key.network, &key.architecture, &key.framework, &key.host, &key.device}) take(*text);
  take(std::to_string(key.devices));
  take(codes::word(key.phase));
  return static_cast<std::int64_t>(hash >> 12U);  // as exact as JSON's numbers are
}

std::vector<Parameter> parameters_of(const ModelKey& key) {
  return parameters(key.network, key.architecture, key.framework, key.host, key.device, key.devices,
                    codes::word(key.phase));
}

void put_one(Connection& connection, const ModelRow& row, const std::string& digest, std::int64_t generation) {
  auto values = parameters_of(row.key);
  for (auto& more : parameters(row.id, row.fitted_at, digest, generation, row.body)) values.push_back(std::move(more));
  connection.queue(
      "INSERT INTO models (network, architecture, framework, host, device, devices, phase, model_id, fitted_at,"
      " digest, generation, body) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
      " ON CONFLICT (network, architecture, framework, host, device, devices, phase) DO UPDATE SET"
      " model_id = excluded.model_id, fitted_at = excluded.fitted_at, digest = excluded.digest,"
      " generation = excluded.generation, body = excluded.body",
      values);
}

}  // namespace

std::unique_ptr<Connection> FleetModels::turn() {
  try {
    auto connection = std::make_unique<Connection>(database_);
    connection->query("SELECT pg_advisory_lock($1)", parameters(kLock));
    return connection;
  } catch (const postgres::Failure&) {
    return nullptr;
  }
}

Result<void> FleetModels::put(std::vector<ModelRow>& models, const std::vector<ModelKey>& gone,
                              const std::optional<RefitProgress>& reached) {
  for (ModelRow& row : models) row.id = id_of(row.key);
  try {
    Connection connection(database_);
    postgres::Transaction transaction(connection);
    const auto progress = connection.query("SELECT coalesce(max(generation), 0) + 1 FROM model_progress");
    const std::int64_t generation = reached ? reached->generation : progress.integer(0, 0);
    const auto digest_of = [&](const ModelKey& key) {
      const auto found = digests_->find(key);
      return found == digests_->end() ? std::string() : found->second;
    };
    for (const ModelRow& row : models) put_one(connection, row, digest_of(row.key), generation);
    for (const ModelKey& key : gone) {
      if (const std::string digest = digest_of(key); !digest.empty()) {
        put_one(connection, {id_of(key), key, {}, {}}, digest, generation);
      } else {
        connection.queue(
            "DELETE FROM models WHERE network = $1 AND architecture = $2 AND framework = $3 AND host = $4"
            " AND device = $5 AND devices = $6 AND phase = $7",
            parameters_of(key));
      }
    }
    if (reached)
      connection.queue(
          "INSERT INTO model_progress (id, version, generation) VALUES (1, $1, $2)"
          " ON CONFLICT (id) DO UPDATE SET version = excluded.version, generation = excluded.generation",
          parameters(reached->version, reached->generation));
    connection.flush();
    transaction.commit();
    return {};
  } catch (const postgres::Failure& failure) {
    constexpr const char* kNotAllowed = "42501";
    if (failure.sql_state == kNotAllowed) return {};
    return tl::unexpected(failure.error);
  }
}

}  // namespace etad::fleet
