// The daemon's own messages: to the systemd journal with priority and fields where the journal listens,
// else to stderr with time and level.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/base/error.h"

namespace etad::log {

enum class Level { trace, debug, info, warning, error };

// Fields of the journal entry beside the message ("SOURCE", "RUN", "MODEL", …); on stderr they follow it.
using Fields = std::initializer_list<std::pair<std::string_view, std::string>>;

// Level by its name in the configuration; messages below it are dropped. Thread-safe, at any time.
void set_level(std::string_view name);

// A message as the journal is given it. Of what lets a name steer a terminal journalctl shows all but control characters.
std::vector<std::string> journal_fields(Level level, std::string_view message, Fields fields);

void write(Level level, std::string_view message, Fields fields = {});

inline void debug(std::string_view message, Fields fields = {}) {
  write(Level::debug, message, fields);
}
inline void info(std::string_view message, Fields fields = {}) {
  write(Level::info, message, fields);
}
inline void warning(std::string_view message, Fields fields = {}) {
  write(Level::warning, message, fields);
}
inline void error(std::string_view message, Fields fields = {}) {
  write(Level::error, message, fields);
}
inline void error(const Error& what, Fields fields = {}) {
  write(Level::error, what.text(), fields);
}

}  // namespace etad::log
