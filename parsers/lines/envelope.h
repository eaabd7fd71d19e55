// Container envelopes: a log line as Docker's json-file driver or a CRI runtime (containerd, CRI-O) wraps it.
// Recognised by the line itself; whatever does not look exactly like one is a plain line.
//
//   Docker  {"log":"Iteration 100\n","stream":"stderr","time":"2026-07-11T10:15:28.123456789Z"}
//   CRI     2026-07-11T10:15:28.123456789+00:00 stderr F Iteration 100
//   stamp   2026-07-11T10:15:28.123456789Z Iteration 100
//
// The last is what `docker logs -t`, `kubectl logs --timestamps` and CI services write. Programs write such times
// themselves, but in milli- or microseconds: seven digits of the second and more are a runtime's.
//
// Both cut long lines into parts: Docker's are all but the last without "\n" at the end of `log`, CRI's are
// marked P instead of F. Parts of standard output and standard error may come in turn.
#pragma once

#include <optional>
#include <span>

#include "parsers/base/time.h"

namespace etad {

struct Enveloped {
  std::span<char> text;  // the program's own bytes, decoded, without the final newline; not yet cleaned
  std::optional<Instant> time;  // when the runtime took the line
  bool partial = false;         // the line goes on in the next envelope of the same stream
  bool error_stream = false;    // stderr
};

// Whether it is worth calling open_envelope: two bytes say so for nearly every line.
inline bool maybe_enveloped(std::span<const char> line) {
  if (line.size() < 28) return false;
  return (line[0] == '{' && line[1] == '"') || (line[4] == '-' && line[10] == 'T');
}

// Decodes in place where the line is an envelope; otherwise leaves it as it is and gives nothing.
std::optional<Enveloped> open_envelope(std::span<char> line);

}  // namespace etad
