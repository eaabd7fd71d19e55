// The configuration: what etad.toml says, checked strictly. Unknown keys and wrong types are errors that
// name file and line; everything has a default, so that an empty file is a valid configuration.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/paths/paths.h"
#include "parsers/base/duration.h"
#include "parsers/base/error.h"
#include "parsers/rules/format.h"
#include "storage/history.h"

namespace etad {

// One [[source]]: which files, and what is known of them that their lines may not say.
struct SourceConfig {
  std::vector<std::string> paths;             // globs
  std::string format = "auto";                // a format's name, or by content
  std::map<std::string, std::string> labels;  // values the logs lack, by field name
  std::string path_pattern;                   // RE2; its named groups are labels too
  bool read_rotated = false;                  // also rotated files: name.1, name.2.gz, …
  bool read_apart = false;                    // which are not rotated: each is a log of its own
  std::vector<std::string> rotated_in;        // folders of rotated files: below the log's, or absolute
  std::vector<std::string> columns;           // of a monitoring trace whose lines have no header
  std::string format_place;                   // "etad.toml:12": where the format is named
};

struct Config {
  std::string home;  // what "~/" stands for at the beginning of a path; empty: it stands for nothing
  std::string host;  // what runs are filed under where their log does not say; default: the machine's name

  struct {
    std::string path;
    std::string machine;  // whose runs these are, to a fleet; empty: made of /etc/machine-id
    std::chrono::seconds raw_samples{std::chrono::days{7}};      // how long traces are kept as they came
    std::chrono::seconds minute_samples{std::chrono::days{90}};  // … as one-minute figures
    std::chrono::seconds hour_samples{std::chrono::days{1825}};  // … as one-hour figures
  } storage;
  Budgets budgets;  // of each user
  struct {
    std::string path;
    bool open_to_all = true;                 // else root, the daemon's user and the admin group only
    bool private_runs = false;               // of another's runs only networks, sizes and times are shown
    std::string admin_group = "etad-admin";  // members may change things, like root and the daemon's user
    int max_connections = 256;
  } socket;
  struct {
    std::vector<std::string> path;  // folders; later wins
  } rules;
  struct {
    std::chrono::seconds interval{60};
    std::int64_t megabytes_in_memory = 16;  // of models; others are read when they are asked for
  } refit;
  struct {
    std::chrono::seconds lost_after{std::chrono::hours{1}};  // a still log's open run is lost after this
    std::chrono::milliseconds poll{200};                     // how often an active file is looked at
    std::chrono::seconds scan{10};                           // how often globs are looked up again
    std::size_t line_limit = 64 * 1024;                      // bytes; longer lines are cut and counted
    std::size_t max_open_files = 1024;
    std::int64_t files_of_owner = 50'000;  // of each user; 0: any number
  } follow;
  struct {
    std::vector<std::string>
        patterns;  // RE2; their named groups are labels. None: command lines are not read
  } command_line;
  struct {
    std::vector<std::string> command;  // a program's absolute path and its arguments; empty: no alerts
    std::chrono::seconds timeout{10};  // the program is killed after this
    std::int64_t per_hour = 20;        // at most so many of one user
  } alerts;
  struct {
    std::string level = "info";  // trace, debug, info, warning, error
  } log;
  std::vector<SourceConfig> sources;
  std::vector<Error> warnings;  // allowed, but hardly what was meant; each with its line
};

// What an empty file says. A user's own daemon (`defaults.home`) answers to that user alone.
Config default_config(const paths::Paths& defaults);

// All mistakes of the file, each with `where` = "path:line"; or the configuration. Pure.
tl::expected<Config, std::vector<Error>> parse_config(
    std::string_view where, std::string_view toml, const paths::Paths& defaults = paths::of_system("/usr"));

// Mistakes that only show where configuration and rule files meet: sources of formats that nobody describes.
std::vector<Error> check_sources(const Config& config, const FormatSet& formats);
// Those, and that there are no rules at all: a daemon would run, and understand nothing.
std::vector<Error> check_config(const Config& config, const FormatSet& formats);

// What was opened at the start stays until the next one: puts that of `running` into `read`, and names the
// tables and keys, such as "[storage]", that the file has changed since.
std::vector<std::string> keep_until_restart(const Config& running, Config& read);

}  // namespace etad
