// Text out of a log, fit to be kept: bounded, and UTF-8 whatever the log is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace etad {

// At most `limit` bytes of `text`, cut between characters. A log is bytes: one that is no UTF-8 is taken for
// Latin-1, byte by byte, so that nothing is lost and the result may stand in JSON.
std::string kept_text(std::string_view text, std::size_t limit);

}  // namespace etad
