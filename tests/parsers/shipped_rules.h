// The rule files that are installed, for tests and fuzz targets.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parsers/rules/format.h"

namespace etad::test {

std::string file_text(const std::string& path);

// Of all rule files, by their names.
std::vector<std::string> rule_file_texts();

// The rule file of that name among them. Aborts the program where it does not load.
std::shared_ptr<const Format> format_named(const std::string& name);

// All of them together.
const FormatSet& shipped_formats();

}  // namespace etad::test
