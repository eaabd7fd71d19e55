// Loads the rule files of the configured folders and checks them against each other.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/rules/format.h"

namespace etad {

// A file in a later folder replaces its namesake in an earlier one, so that an administrator can mend a
// shipped format without touching it. All mistakes of all files, or the formats. Samples are not run where the files are
// those of this build, all of them and no other, which its tests have checked; unless `of_shipped` says so.
tl::expected<std::shared_ptr<const FormatSet>, std::vector<Error>> load_rules(
    const std::vector<std::string>& folders, Samples of_shipped = Samples::known_to_hold);

}  // namespace etad
