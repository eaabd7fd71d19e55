// Finding models by index. Nothing here reads more than it gives out, however many models there are. The functions
// are those of ModelReader (history.h) of the same names.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "storage/history.h"
#include "storage/sqlite.h"

namespace etad {

std::vector<ModelRow> models_of(sqlite::Connection& connection, const ModelFilter& filter);
std::optional<ModelRow> model_of(sqlite::Connection& connection, const ModelKey& key);
std::int64_t model_count_of(sqlite::Connection& connection);
std::vector<ModelRow> fair_models_of(sqlite::Connection& connection, std::size_t most, std::size_t always);
std::vector<std::string> names_around_of(sqlite::Connection& connection, NameOf what,
                                         const std::string& wanted, std::int64_t most);
RefitProgress refit_progress_of(sqlite::Connection& connection);
std::string estimator_records_in(sqlite::Connection& connection);

}  // namespace etad
