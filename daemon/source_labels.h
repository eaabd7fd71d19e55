// What may be said of all runs of a log, in the configuration's `labels` or with an import.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "parsers/base/error.h"

namespace etad {

// An error where a run's label can't have this value. Of other names nothing is known.
Result<void> check_source_label(const std::string& name, const std::string& value);

// That etad does not go by this name, with what may be meant; nothing: it does.
std::optional<Error> unknown_source_label(std::string_view name);

}  // namespace etad
