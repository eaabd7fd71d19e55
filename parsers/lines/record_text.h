// What records become as lines: words, JSON and times that rules read. Internal to parsers/lines.
#pragma once

#include <string>
#include <string_view>

namespace etad {

// On one line, without what a terminal would act on; as one word where that is asked for.
std::string plain(std::string_view text, bool one_word = false);

// As much of a JSON string as rules read: no escapes in it.
std::string quoted(std::string_view text);

// Seconds since 1970, to the microsecond: "1604258862.250000". Empty where that can be no time of a training.
std::string stamp(double seconds);

}  // namespace etad
