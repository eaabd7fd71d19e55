#include "storage/model_query.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "storage/fair_share.h"
#include "storage/key_row.h"
#include "storage/row_values.h"

namespace etad {
namespace {

constexpr std::int64_t kMostPassedOver = 2;  // names without a model for each that is asked for

constexpr int kFirst = key_row::kCount;  // column behind the key's
// Owners whose models are looked at, those of the lowest uids.
constexpr std::size_t kMostModels = 1024;

std::string select_models(bool bodies, std::string_view tables) {
  return std::string("SELECT ") + key_row::kColumns +
         ", m.id, m.fitted_at, m.owner, m.runs, m.error_percent, " + (bodies ? "m.body" : "''") + " FROM " +
         std::string(tables);
}

constexpr std::string_view kByModel = "models m CROSS JOIN datasets d ON d.id = m.dataset_id ";
constexpr std::string_view kByName = "datasets d CROSS JOIN models m ON m.dataset_id = d.id ";

ModelRow read_model(const sqlite::Rows& rows) {
  ModelRow model;
  model.key = key_in(rows);
  model.id = rows.get<std::int64_t>(kFirst);
  model.fitted_at = rows.get<Instant>(kFirst + 1);
  model.owner = rows.get<std::int64_t>(kFirst + 2);
  model.runs = rows.get<std::int64_t>(kFirst + 3);
  model.error_percent = rows.get<std::optional<double>>(kFirst + 4);
  model.body = rows.get<std::string>(kFirst + 5);
  return model;
}

// A name as written is one in any case too, which is how the indexes have it.
std::string name_is(std::string_view column, const char* parameter,
                    const std::optional<ModelFilter::Name>& name) {
  if (!name) return {};
  const std::string equals = " AND " + std::string(column) + " = " + parameter;
  return equals + " COLLATE NOCASE" + (name->any_case ? "" : equals);
}

std::optional<std::string> value_of(const std::optional<ModelFilter::Name>& name) {
  return name ? std::optional(name->value) : std::nullopt;
}

}  // namespace

// Only conditions that were asked for stand in the statement, so that their indexes serve. The order of the join
// is stated: SQLite has no statistics to choose it by.
std::vector<ModelRow> models_of(sqlite::Connection& connection, const ModelFilter& filter) {
  const bool by_name = filter.network || filter.architecture;
  std::string sql = select_models(filter.bodies, by_name ? kByName : kByModel) + "WHERE m.id > ?1";
  sql += name_is("d.network", "?2", filter.network) + name_is("d.architecture", "?3", filter.architecture);
  sql += name_is("d.framework", "?4", filter.framework) + name_is("d.host", "?5", filter.host);
  sql += name_is("d.device", "?6", filter.device);
  if (filter.devices) sql += " AND d.devices = ?7";
  if (filter.id) sql += " AND m.id = ?8";
  if (!filter.any_order) sql += " ORDER BY m.id";
  sqlite::Statement select(connection, sql + " LIMIT ?9");
  std::vector<ModelRow> result;
  for (auto rows = select.query(filter.after_id, value_of(filter.network), value_of(filter.architecture),
                                value_of(filter.framework), value_of(filter.host), value_of(filter.device),
                                filter.devices, filter.id, std::max<std::int64_t>(filter.limit, 0));
       rows.next();)
    result.push_back(read_model(rows));
  std::ranges::sort(result, {}, &ModelRow::id);
  return result;
}

std::optional<ModelRow> model_of(sqlite::Connection& connection, const ModelKey& key) {
  const auto dataset = key_row::dataset_of(connection, key);
  if (!dataset) return std::nullopt;
  sqlite::Statement select(connection, select_models(true, kByModel) + "WHERE m.dataset_id = ?");
  auto rows = select.query(*dataset);
  if (!rows.next()) return std::nullopt;
  return read_model(rows);
}

std::int64_t model_count_of(sqlite::Connection& connection) {
  return sqlite::Statement(connection, "SELECT count(*) FROM models").number();
}

std::vector<ModelRow> fair_models_of(sqlite::Connection& connection, std::size_t most, std::size_t always) {
  sqlite::Statement next_owner(connection, "SELECT min(owner) FROM models WHERE owner > ?");
  sqlite::Statement newest(
      connection,
      "SELECT id, fitted_at FROM models WHERE owner = ? ORDER BY fitted_at DESC, id DESC LIMIT ?");
  std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>> found;  // fitted_at, id, owner
  std::int64_t at = kUnknownOwner - 1;
  for (std::size_t i = 0; i < kMostModels; ++i) {
    std::optional<std::int64_t> owner;
    if (auto rows = next_owner.query(at); rows.next()) owner = rows.get<std::optional<std::int64_t>>(0);
    if (!owner) break;
    at = *owner;
    for (auto rows = newest.query(at, most); rows.next();)
      found.emplace_back(rows.get<std::int64_t>(1), rows.get<std::int64_t>(0), at);
  }
  std::ranges::sort(found);
  std::vector<Evidence> all;
  for (std::size_t i = 0; i < found.size(); ++i)
    all.push_back({static_cast<std::int64_t>(i), 0, std::get<2>(found[i])});
  sqlite::Statement select(connection, select_models(false, kByModel) + "WHERE m.id = ?");
  std::vector<ModelRow> result;
  for (const std::int64_t i : fair_share(std::move(all), most, always)) {
    auto rows = select.query(std::get<1>(found[static_cast<std::size_t>(i)]));
    if (rows.next()) result.push_back(read_model(rows));
  }
  return result;
}

// From where `wanted` itself would stand in the index, both ways: what begins alike is nearest there. Of those that
// have no model, which somebody may have made up without end, only so many are passed over.
std::vector<std::string> names_around_of(sqlite::Connection& connection, NameOf what,
                                         const std::string& wanted, std::int64_t most) {
  const std::string column = what == NameOf::network ? "network" : "architecture";
  std::set<std::string> names;
  for (const bool up : {true, false}) {
    const std::string nearest = "SELECT id, " + column + " AS name FROM datasets WHERE " + column +
                                (up ? " >= " : " < ") + "?1 COLLATE NOCASE ORDER BY " + column +
                                " COLLATE NOCASE " + (up ? "ASC" : "DESC") + " LIMIT ?2";
    sqlite::Statement near(
        connection, "SELECT name FROM (" + nearest +
                        ") d WHERE EXISTS (SELECT 1 FROM models m WHERE m.dataset_id = d.id)" + " LIMIT ?3");
    for (auto rows = near.query(wanted, kMostPassedOver * most, most / 2); rows.next();)
      names.insert(rows.get<std::string>(0));
  }
  return {names.begin(), names.end()};
}

RefitProgress refit_progress_of(sqlite::Connection& connection) {
  sqlite::Statement select(connection, "SELECT version, generation FROM refit_progress");
  auto rows = select.query();
  if (!rows.next()) return {};
  return {rows.get<std::int64_t>(0), rows.get<std::int64_t>(1)};
}

std::string estimator_records_in(sqlite::Connection& connection) {
  sqlite::Statement select(connection, "SELECT body FROM estimator_records");
  auto rows = select.query();
  return rows.next() ? rows.get<std::string>(0) : std::string();
}

}  // namespace etad
