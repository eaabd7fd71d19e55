// The rule files that are installed, for fuzz targets.
#pragma once

#include <string>
#include <vector>

#include "parsers/rules/format.h"

namespace etad::fuzz {

const FormatSet& shipped_rules();
std::vector<std::string> rule_file_texts();

}  // namespace etad::fuzz
