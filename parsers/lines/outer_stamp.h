// The time that an environment writes before each line of a program, whatever the program's own lines look like:
//
//   journald, syslog     "Mar 04 05:06:07 node-3 train.sh[71]: …", "2026-03-04T05:06:07+0000 node-3 python3[71]: …",
//                        "1772600767.250000 node-3 python3[71]: …"
//   CloudWatch           "1772600767250 …", "2026-03-04T05:06:07.250Z …",
//                        "2026-03-04T05:06:07.250000+00:00 job/algo-1-1772 …"
//   GitLab CI            "2026-03-04T05:06:07.250000Z 01O …"
//   Jenkins, ts          "[2026-03-04T05:06:07.250Z] …", "Mar 04 05:06:07 …"
//   kubectl with labels  "[pod/train-0/main] 2026-03-04T05:06:07.250000000Z …"
//
// Programs write such times themselves. So a line is read without its stamp only where it says nothing with it. (Stamps of
// seven digits of the second and more are a container runtime's, and are taken off every line: envelope.h.)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "parsers/base/text.h"
#include "parsers/base/timestamp.h"

namespace etad {

struct OuterStamp {
  std::size_t length = 0;  // of all that stands before the program's own words, a launcher's label among it
  std::string_view time;   // the stamp itself, which is a header of this form
  HeaderForm form{};
  std::uint64_t speaker = 0;  // whom the label names; 0: there is none
  bool names_origin = false;  // a program or a stream is named behind the time
};

// Whether it is worth asking for one that no label stands before: a few bytes say so for nearly every line.
inline bool may_be_stamped(std::string_view line) {
  constexpr std::size_t kShortest = 16;
  if (line.size() < kShortest) return false;
  if (line[0] == '[') return is_digit(line[1]);
  if (is_digit(line[0])) return line[4] == '-' || is_digit(line[9]);
  return line[3] == ' ' && line[9] == ':';  // "Mar  4 05:06:07"
}

// Nothing where the line begins with no such stamp.
std::optional<OuterStamp> outer_stamp(std::string_view line);

}  // namespace etad
