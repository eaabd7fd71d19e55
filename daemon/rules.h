// Loads the rule files of the configured folders and checks them against each other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/rules/format.h"

namespace etad {

// A file in a later folder replaces its namesake in an earlier one, so that an administrator can mend a
// shipped format without touching it. All mistakes of all files, or the formats.
tl::expected<std::shared_ptr<const FormatSet>, std::vector<Error>> load_rules(
    const std::vector<std::string>& folders);

}  // namespace etad
