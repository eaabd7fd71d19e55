#include "daemon/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include <cstdlib>
#include <vector>

#include "parsers/base/printable.h"

namespace etad::log {
namespace {

// systemd sets JOURNAL_STREAM to device:inode of the stream it gave us as stderr; a redirected stderr has
// another and gets plain text.
bool stderr_is_journal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat info {};
  if (stream == nullptr || fstat(STDERR_FILENO, &info) != 0) return false;
  return std::to_string(info.st_dev) + ":" + std::to_string(info.st_ino) == stream;
}

int priority(Level level) {
  switch (level) {
    case Level::trace:
    case Level::debug:
      return LOG_DEBUG;
    case Level::info:
      return LOG_INFO;
    case Level::warning:
      return LOG_WARNING;
    case Level::error:
      return LOG_ERR;
  }
  return LOG_INFO;
}

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::trace:
      return spdlog::level::trace;
    case Level::debug:
      return spdlog::level::debug;
    case Level::info:
      return spdlog::level::info;
    case Level::warning:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

spdlog::logger& console() {
  static const auto logger = [] {
    auto made = std::make_shared<spdlog::logger>("etad", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *logger;
}

void to_journal(Level level, std::string_view message, Fields fields) {
  std::vector<std::string> entries = journal_fields(level, message, fields);
  std::vector<iovec> parts;
  for (std::string& entry : entries) parts.push_back({entry.data(), entry.size()});
  sd_journal_sendv(parts.data(), static_cast<int>(parts.size()));
}

}  // namespace

std::vector<std::string> journal_fields(Level level, std::string_view message, Fields fields) {
  std::vector<std::string> out = {"MESSAGE=" + printable(message),
                                  "PRIORITY=" + std::to_string(priority(level)), "SYSLOG_IDENTIFIER=etad"};
  for (const auto& [name, value] : fields)
    out.push_back("ETAD_" + std::string(name) + "=" + printable(value));
  return out;
}

void set_level(std::string_view name) {
  const auto level = name == "warning" ? spdlog::level::warn : spdlog::level::from_str(std::string(name));
  console().set_level(level);
}

void write(Level level, std::string_view message, Fields fields) {
  static const bool journal = stderr_is_journal();
  if (!console().should_log(spdlog_level(level))) return;
  if (journal) {
    to_journal(level, message, fields);
    return;
  }
  std::string text(message);
  for (const auto& [name, value] : fields) text += " " + std::string(name) + "=" + value;
  console().log(spdlog_level(level), "{}", printable(text));
}

}  // namespace etad::log
