#include "daemon/config.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <tuple>

#include "daemon/command_line.h"
#include "daemon/settings/table.h"
#include "daemon/source_labels.h"
#include "parsers/base/suggest.h"
#include "parsers/rules/path_pattern.h"
#include "parsers/traces/trace.h"

namespace etad {
namespace {

using config::Errors;
using config::expand_home;
using config::Expected;
using config::Table;

// What makes a monitoring trace of a file: mistakes in it would only show as lines that are rejected.
void check_trace(const Table& reader, const toml::table& table, const SourceConfig& source) {
  const auto at = [&](std::string_view key) -> const toml::node& {
    const toml::node* node = table.get(key);
    return node ? *node : static_cast<const toml::node&>(table);
  };
  for (const std::string& column : source.columns) {
    if (const auto read = column_of_config(column); !read)
      reader.mistake(at("columns"), read.error().message, read.error().hint);
  }
  if (const auto labels = trace_options(source.labels, {}, utc_offset); !labels)
    reader.mistake(at("labels"), labels.error().message, labels.error().hint);
  if (source.format == "csv" && source.columns.empty())
    reader.mistake(at("format"), "the format csv needs columns", R"(columns = ["time", "gpu", "gpu.power"])");
  const bool log = source.format != "auto" && !is_trace_format(source.format);
  if (log && !source.columns.empty())
    reader.mistake(at("columns"), "'" + source.format + "' is a log's format: it has no columns",
                   "columns are those of a monitoring trace: format = \"csv\" or \"nvidia-smi\"");
}

// What labels of a run must be, in a configuration as in what a user says.
void check_values(Table& reader, const SourceConfig& source) {
  for (const auto& [name, value] : source.labels) {
    if (const auto right = check_source_label(name, value); !right)
      reader.mistake(reader.node("labels"), right.error().message, right.error().hint);
  }
}

// "**" stands for folders only where it is all of a part: in "/data/**.log" it does not.
bool has_stars_beside_text(std::string_view path) {
  for (std::size_t at = path.find("**"); at != path.npos; at = path.find("**", at + 2)) {
    const bool begins_part = at > 0 && path[at - 1] == '/';
    const bool ends_part = at + 2 < path.size() && path[at + 2] == '/';
    if (!begins_part || !ends_part) return true;
  }
  return false;
}

void warn(const Table& reader, const SourceConfig& source, std::vector<Error>& warnings) {
  for (const auto& [name, value] : source.labels) {
    const auto unknown = unknown_source_label(name);
    if (!unknown) continue;
    warnings.push_back({reader.place_of("labels"),
                        unknown->message + ": it is only kept as a setting of the run", unknown->hint});
  }
  for (const std::string& path : source.paths) {
    if (!has_stars_beside_text(path)) continue;
    warnings.push_back(
        {reader.place_of("paths"),
         "'**' beside other characters in '" + path + "' is the same as '*': within one folder",
         "\"/data/**/*.log\" finds the logs in /data and in all folders below it"});
  }
}

void read_rotated_in(const Config& config, Table& reader, std::vector<std::string>& folders) {
  reader.texts("rotated_in", folders);
  for (std::string& folder : folders) {
    expand_home(config.home, folder);
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    const std::string within = "/" + folder + "/";
    if (!folder.empty() && folder.find_first_of("*?[") == std::string::npos &&
        within.find("/../") == std::string::npos && within.find("/./") == std::string::npos)
      continue;
    reader.mistake(reader.node("rotated_in"), "'" + folder + "' is no folder for rotated files",
                   R"(a path below the log's folder, "old", or an absolute one, without wildcards and ..)");
  }
}

void read_source(std::string_view where, const toml::table& table, Errors& errors, Config& config) {
  SourceConfig source;
  Table reader(where, "source", table, errors);
  reader.texts("paths", source.paths);
  reader.text("format", source.format);
  reader.words("labels", source.labels);
  reader.text("path_pattern", source.path_pattern);
  reader.read("read_rotated", [&](const toml::node& node) -> Expected {
    source.read_apart = node.value_exact<std::string>() == "apart";
    if (source.read_apart) return std::nullopt;
    const auto flag = node.value_exact<bool>();
    if (!flag) return R"(true, false or "apart")";
    source.read_rotated = *flag;
    return std::nullopt;
  });
  read_rotated_in(config, reader, source.rotated_in);
  reader.texts("columns", source.columns);
  reader.done();
  for (std::string& path : source.paths) {
    expand_home(config.home, path);
    if (path.ends_with("/**")) path += "/*";
  }
  check_trace(reader, table, source);
  if (const auto pattern = PathPattern::compile(source.path_pattern); !pattern)
    reader.mistake(reader.node("path_pattern"), pattern.error().message, pattern.error().hint);
  source.format_place = reader.place_of("format");
  check_values(reader, source);
  warn(reader, source, config.warnings);
  if (source.paths.empty()) {
    reader.mistake(table, "a [[source]] needs paths", R"(paths = ["/var/log/caffe/*.log"])");
  }
  for (const std::string& path : source.paths) {
    if (path.find("/**/") != path.rfind("/**/"))
      reader.mistake(*table.get("paths"), "'" + path + "' has '**' twice",
                     "once is enough: \"/data/**/*.log\"");
    if (path.starts_with('/') || path.starts_with("journal:")) continue;
    reader.mistake(*table.get("paths"), "'" + path + "' is not an absolute path",
                   config.home.empty() ? "a daemon has no current folder to start from"
                                       : "begin it with / or ~/: a daemon has no current folder");
  }
  config.sources.push_back(std::move(source));
}

void read_sources(std::string_view where, Table& root, Errors& errors, Config& config) {
  root.read("source", [&](const toml::node& node) -> Expected {
    static constexpr auto kExpected = "a list of tables: [[source]]";
    const toml::array* list = node.as_array();
    if (list == nullptr) return kExpected;
    for (const toml::node& item : *list) {
      const toml::table* table = item.as_table();
      if (table == nullptr) return kExpected;
      read_source(where, *table, errors, config);
    }
    return std::nullopt;
  });
}

void read_budgets(Table& table, Config& config) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  table.number("networks", config.budgets.networks, 0, kMost);
  table.number("runs", config.budgets.runs, 0, kMost);
  table.number("series", config.budgets.series, 0, kMost);
  table.number("files", config.follow.files_of_owner, 0, kMost);
  std::int64_t megabytes = config.budgets.bytes_a_day >> 20;
  table.number("megabytes_a_day", megabytes, 0, kMost >> 10);
  config.budgets.bytes_a_day = megabytes << 20;
}

void read_storage(Table& table, Config& config) {
  table.text("path", config.storage.path);
  expand_home(config.home, config.storage.path);
  table.text("machine", config.storage.machine);
  table.duration("raw_samples", config.storage.raw_samples);
  table.duration("minute_samples", config.storage.minute_samples);
  table.duration("hour_samples", config.storage.hour_samples);
}

void read_follow(Table& table, Config& config) {
  table.duration("lost_after", config.follow.lost_after);
  table.duration("poll", config.follow.poll);
  table.duration("scan", config.follow.scan);
  table.number("line_limit", config.follow.line_limit, 256, 16 * 1024 * 1024);
  table.number("max_open_files", config.follow.max_open_files, 8, 1'000'000);
}

void read_socket(Table& table, Config& config) {
  table.text("path", config.socket.path);
  expand_home(config.home, config.socket.path);
  table.text("admin_group", config.socket.admin_group);
  table.number("max_connections", config.socket.max_connections, 1, 100'000);
  table.flag("open_to_all", config.socket.open_to_all);
  table.flag("private", config.socket.private_runs);
}

void read_command_line(Table& table, Config& config) {
  auto& patterns = config.command_line.patterns;
  table.texts("patterns", patterns);
  if (const auto compiled = CommandLinePatterns::compile(patterns); !compiled)
    table.mistake(table.node("patterns"), compiled.error().message, compiled.error().hint);
}

void read_alerts(Table& table, Config& config) {
  auto& alerts = config.alerts;
  table.texts("command", alerts.command);
  table.duration("timeout", alerts.timeout);
  table.number("per_hour", alerts.per_hour, 1, 3600);
  if (alerts.timeout > std::chrono::minutes{1})
    table.mistake(table.node("timeout"), "'alerts.timeout' is more than a minute", "at most \"60s\"");
  if (alerts.command.empty()) return;
  expand_home(config.home, alerts.command.front());
  if (!alerts.command.front().starts_with('/'))
    table.mistake(
        table.node("command"), "'" + alerts.command.front() + "' is not an absolute path",
        R"(command = ["/usr/local/bin/etad-alert"]: a program and its arguments; there is no shell)");
}

Expected read_level(const toml::node& node, std::string& out) {
  static constexpr std::string_view kLevels[] = {"trace", "debug", "info", "warning", "error"};
  const auto text = node.value_exact<std::string>();
  if (!text || std::find(std::begin(kLevels), std::end(kLevels), *text) == std::end(kLevels)) {
    return "one of trace, debug, info, warning, error";
  }
  out = *text;
  return std::nullopt;
}

}  // namespace

std::vector<Error> check_sources(const Config& config, const FormatSet& formats) {
  std::vector<Error> errors;
  std::vector<std::string_view> names;
  for (const auto& format : formats.all()) names.push_back(format->name());
  for (const SourceConfig& source : config.sources) {
    if (source.format == "auto" || is_trace_format(source.format) || formats.find(source.format)) continue;
    const auto near = nearest_name(source.format, names);
    errors.push_back({source.format_place, "no rule file describes the format '" + source.format + "'",
                      near.empty() ? "`etad --check-rules` lists those there are"
                                   : "did you mean '" + std::string(near) + "'?"});
  }
  return errors;
}

std::vector<std::string> keep_until_restart(const Config& running, Config& read) {
  std::vector<std::string> out;
  const auto keep = [&](const char* table, const auto& fields, auto Config::*member) {
    if (fields(running) != fields(read)) out.emplace_back(table);
    read.*member = running.*member;
  };
  const auto storage = [](const Config& c) {
    const auto& s = c.storage;
    return std::tie(s.path, s.machine, s.raw_samples, s.minute_samples, s.hour_samples);
  };
  const auto budgets = [](const Config& c) {
    const auto& b = c.budgets;
    return std::tie(b.networks, b.runs, b.series, b.bytes_a_day);
  };
  const auto socket = [](const Config& c) {
    const auto& s = c.socket;
    return std::tie(s.path, s.open_to_all, s.private_runs, s.admin_group, s.max_connections);
  };
  const auto alerts = [](const Config& c) {
    const auto& a = c.alerts;
    return std::tie(a.command, a.timeout, a.per_hour);
  };
  if (running.host != read.host) out.emplace_back("host");
  read.host = running.host;
  keep("[storage]", storage, &Config::storage);
  keep("[budgets]", budgets, &Config::budgets);
  keep("[socket]", socket, &Config::socket);
  keep("[alerts]", alerts, &Config::alerts);
  auto& megabytes = read.refit.megabytes_in_memory;
  if (megabytes != running.refit.megabytes_in_memory) out.emplace_back("megabytes_in_memory in [refit]");
  megabytes = running.refit.megabytes_in_memory;
  return out;
}

std::vector<Error> check_config(const Config& config, const FormatSet& formats) {
  auto errors = check_sources(config, formats);
  if (!formats.all().empty()) return errors;
  std::string folders;
  for (const std::string& folder : config.rules.path) folders += (folders.empty() ? "" : " and ") + folder;
  errors.insert(errors.begin(), {folders, "there are no rule files: no log would be understood",
                                 "install etad whole, or say in [rules] path where they are"});
  return errors;
}

Config default_config(const paths::Paths& defaults) {
  Config config;
  config.home = defaults.home;
  config.storage.path = defaults.history;
  config.socket.path = defaults.socket;
  config.rules.path = defaults.rules;
  if (!defaults.home.empty()) {
    config.socket.open_to_all = false;
    config.socket.admin_group.clear();
  }
  return config;
}

tl::expected<Config, std::vector<Error>> parse_config(std::string_view where, std::string_view text,
                                                      const paths::Paths& defaults) {
  Config config = default_config(defaults);
  Errors errors;
  const auto parsed = config::parse(where, text);
  if (!parsed) return tl::unexpected(Errors{parsed.error()});
  Table root(where, "", *parsed, errors);
  root.text("host", config.host);
  root.section("storage", [&](Table& table) { read_storage(table, config); });
  root.section("budgets", [&](Table& table) { read_budgets(table, config); });
  root.section("socket", [&](Table& table) { read_socket(table, config); });
  root.section("rules", [&](Table& table) {
    table.texts("path", config.rules.path);
    for (std::string& path : config.rules.path) expand_home(config.home, path);
  });
  root.section("refit", [&](Table& table) {
    table.duration("interval", config.refit.interval);
    table.number("megabytes_in_memory", config.refit.megabytes_in_memory, 1, 1 << 20);
  });
  root.section("follow", [&](Table& table) { read_follow(table, config); });
  root.section("command_line", [&](Table& table) { read_command_line(table, config); });
  root.section("alerts", [&](Table& table) { read_alerts(table, config); });
  root.section("log", [&](Table& table) {
    table.read("level", [&](const toml::node& node) { return read_level(node, config.log.level); });
  });
  read_sources(where, root, errors, config);
  root.done();
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return config;
}

}  // namespace etad
