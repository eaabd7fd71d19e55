// The network that a log shows of itself before (or beside) its times.
#pragma once

#include <string_view>

#include "parsers/network/net_text.h"
#include "parsers/rules/format.h"

namespace etad {

// Of the first run that shows one. Errors: no format knows the log; it shows no layers.
Result<NetText> network_in_log(std::string_view log, const FormatSet& formats);

}  // namespace etad
