// How much memory a host's devices have, as far as its monitoring traces tell.
#pragma once

#include <optional>
#include <string>

#include "parsers/base/error.h"
#include "storage/history.h"

namespace etad::prediction {

// Total memory in bytes of the host's largest GPU, by its traces' last samples: what does not fit there fits
// nowhere on that host. Nothing where they don't say it, or `host` is not known (empty). `own_host`: what
// traces without a host are about.
Result<std::optional<double>> device_memory(Reader& reader, const std::string& host,
                                            const std::string& own_host);

}  // namespace etad::prediction
