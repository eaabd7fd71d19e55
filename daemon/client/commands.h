// etactl's commands: what was asked for, and the doing of it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "daemon/client/link/http_client.h"
#include "daemon/client/views.h"
#include "daemon/usage/usage.h"

namespace etad::client {

enum ExitCode : int { kDone = 0, kRefused = 1, kUsage = usage::kExitStatus, kNoDaemon = 3 };

struct Common {
  std::string socket;  // empty until asked for: paths::client_socket
  bool json = false;   // the API's body unchanged
};

using Parameters = std::vector<std::pair<std::string, std::string>>;

// "/v1/runs?state=running"; values are escaped.
std::string target_of(const std::string& path, const Parameters& parameters);

// The screen that stdout is: no width and no colours where it is no terminal.
Screen stdout_screen();

using View = std::function<std::string(const Object&, const Screen&)>;

// GETs and shows. Each of these gives the exit code.
int show(const Common& common, const std::string& target, const View& view);

// The same of a list: as many items as its parameter `limit` says, however few the daemon gives at once. As JSON its
// answers are a line each.
int show_list(const Common& common, const std::string& path, const Parameters& parameters, const View& view);

// Asks for a list page by page until there are `limit` items or no more, and gives the last answer: it may be an error,
// which `each` is not told.
Result<Response> for_each_page(const std::function<Result<Response>(const std::string& target)>& get,
                               const std::string& path, const Parameters& parameters, std::int64_t limit,
                               const std::function<void(const Response&, const Object&)>& each);

// POSTs a question about the network that a file describes (of a long file its beginning is sent), and shows the answer.
int show_about(const Common& common, const std::string& target, const std::string& file, const View& view);

// POSTs and shows.
int change(const Common& common, const std::string& target, const std::string& body,
           const std::function<std::string(const Object&)>& view);

// One run in full, with pictures of how it went.
int show_run(const Common& common, const std::string& id);

int watch_runs(const Common& common, const std::string& target);

struct ImportOptions {
  std::vector<std::string> files;
  bool recursive = false;  // folders too: all that is in them
  std::string format;
  std::string host;                 // the machine that wrote the logs, where they do not say
  std::vector<std::string> labels;  // "batch_size=64"
  std::int64_t replaces = 0;        // the source that is read again; 0: none
};
int import_files(const Common& common, const ImportOptions& options);

struct Source {
  std::int64_t id = 0;
  std::string path, kind;  // "import"
};
// The source that an id or a path means. The path of several (a log that is followed and was imported, or was written anew
// and imported again) means none: which one, its id says. The daemon tells bytes that are no UTF-8 as U+FFFD.
Result<Source> source_meant(const std::vector<Source>& sources, const std::string& asked);

// Sources, by id or path, are read again from their beginning with the rules of now: a followed one by the
// daemon, an import by its file's name, with the caller's own rights.
int reread(const Common& common, const std::vector<std::string>& sources, const ImportOptions& options);

// Removes runs by their ids, or all that came of sources, by id or path.
int forget_runs(const Common& common, const std::vector<std::string>& ids);
int forget_sources(const Common& common, const std::vector<std::string>& sources);
int forget_owners(const Common& common, const std::vector<std::string>& users);  // by name or uid

// A copy of the history into a new file, written with the caller's own rights.
int backup(const Common& common, const std::string& file);

// "K=V" taken apart; false: it is none.
bool key_and_value(const std::string& text, std::pair<std::string, std::string>& out);

}  // namespace etad::client
