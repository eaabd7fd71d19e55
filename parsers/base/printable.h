// Text that came from elsewhere (a log's line, a file's name, a client) on its way to a person: nothing in it
// may steer the terminal or hide what is really there. Every output goes through here: etactl's, the daemon's
// log and status line, and, as JSON escapes, the socket.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace etad {

// The character that `text` (not empty) begins with.
struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0: it begins with none (RFC 3629)
};
Character first_character(std::string_view text);
// Writes a character's UTF-8 to `out`, which has room for four bytes; gives how many it takes.
std::size_t put_utf8(char32_t code, char* out);

// Whether a character changes how those around it are shown: C0 and C1 controls (and with them every escape
// sequence), bidirectional controls, line separators, and what has no width.
bool steers(char32_t code);

// `text` with `\x1b`, `\u202e` or `\U000e0041` for what steers, and `\xff` for what is no UTF-8.
std::string printable(std::string_view text);

}  // namespace etad
