// What export.toml says: which history goes into which database, and what of it stays at home.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "parsers/base/error.h"

namespace etad::fleet {

// What becomes of a kind of name on its way out.
enum class Names : std::uint8_t {
  keep,
  hash,  // the same name becomes the same word on all hosts with the same salt, and nobody can tell which it was
  omit,
};

struct Privacy {
  Names networks = Names::keep;  // of networks and their layers
  Names paths = Names::keep;     // of logs, and what else of a run holds a path
  Names users = Names::keep;
  std::string salt;  // for Names::hash
};

// An exporter with nothing to carry writes so often that it is alive, and so answers the service manager's watchdog.
inline constexpr std::chrono::seconds kSignOfLife{20};

struct Settings {
  std::string database;       // a connection string or URI of libpq
  std::string password_file;  // pgpass; empty: libpq's usual one
  std::string history;
  std::string host;                   // the name to show; empty: the machine's
  std::string metrics;                // a file for node_exporter's textfile collector; empty: none
  std::chrono::seconds interval{10};  // kSignOfLife at most
  std::chrono::seconds timeout{
      120};                  // of a statement; a quarter longer without an answer is a lost connection
  std::int64_t batch = 200;  // changes in one transaction
  // Series whose minutes are carried, by their names' beginnings.
  std::vector<std::string> series = {"gpu.utilization", "gpu.power", "gpu.memory"};
  Privacy privacy;
};

// nullopt: there is no such file, or it can't be read, such as a folder.
std::optional<std::string> text_of_file(const std::string& path);

// `toml`: the file's text; `credentials`: systemd's folder of credentials, whose files "database", "pgpass"
// and "salt" stand for what the file does not say; empty: there is none.
tl::expected<Settings, std::vector<Error>> parse_settings(std::string_view where, std::string_view toml,
                                                          const std::string& credentials);

}  // namespace etad::fleet
