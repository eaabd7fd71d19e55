// Bytes that may be any (a path, a log's line) as the text that is sent.
#pragma once

#include <string>
#include <string_view>

namespace etad {

// `text` with every byte that belongs to no valid UTF-8 sequence replaced by U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace etad
