// A number as a line writes it, with what belongs to it: "40/500", "[40] of [500]", "0.52s/it", "1h 2m 3.5s",
// "1,024", "12.3K", "0.41 (0.43)", "62.5%".
#pragma once

#include <cstddef>
#include <string_view>

#include "parsers/rules/words.h"

namespace etad {

struct WrittenNumber {
  std::string_view value{};  // with its unit where that is one of time
  std::string_view total{};  // null data(): it has none
  std::string_view mean{};   // in brackets behind it
  Words unit{};              // "s per it", "it per s", "tok per s", "s", "clock", "%"
  double scale = 1;          // of "312.25 (min)", in seconds
  bool lasts = false;        // a duration: a clock, or with a unit of time
  std::size_t end = 0;       // the byte behind all of it

  bool is_count() const;  // whole, and no duration
};

// What begins at that digit, sign or point. False: a version, an address, a range, digits of a name; `end` is behind it.
bool read_written_number(std::string_view line, std::size_t begin, WrittenNumber& out);

}  // namespace etad
