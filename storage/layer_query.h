// Reading what is known of a network's layers.
#pragma once

#include <string>
#include <vector>

#include "parsers/base/record.h"
#include "storage/rows.h"
#include "storage/sqlite.h"

namespace etad {

std::vector<Layer> layers_of(sqlite::Connection& connection, const std::string& architecture);

// Reader::timed_layers
std::vector<TimedLayer> timed_layers_of(sqlite::Connection& connection, const ModelKey& key);

}  // namespace etad
