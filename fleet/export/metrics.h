// The exporter's own metrics, in the text form that node_exporter's textfile collector takes.
#pragma once

#include <string>

#include "fleet/export/exporter.h"

namespace etad::fleet {

// `lag`: seconds since all of the history was last in the database.
std::string metrics_text(const Status& status, double lag);

// Replaces the file in one step, so that nobody reads half of it.
Result<void> write_metrics(const std::string& path, const std::string& text);

}  // namespace etad::fleet
