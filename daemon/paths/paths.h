// Where etad's files are: those of the machine's daemon, by the prefix it was installed under, and those of a
// user's own (`etad --user`), by the XDG base directories. Both programs ask here, so that they agree.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace etad::paths {

struct Paths {
  std::string config;              // etad.toml
  std::vector<std::string> rules;  // folders of rule files; a later one wins
  std::string history;
  std::string socket;
  std::string home;  // what "~/" stands for in the configuration; empty: nothing
};

// A variable of the environment; nothing where it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();

// The prefix that `executable`, a program's own path, was installed under; "/usr" for one that runs from
// somewhere else, such as its build folder.
std::string install_prefix(const std::string& executable);
std::string own_prefix();  // of this process

Paths of_system(const std::string& prefix);

// XDG_CONFIG_HOME, XDG_STATE_HOME and XDG_RUNTIME_DIR, or what the standard has in their place. Without a
// runtime folder the socket lies beside the history.
Paths of_user(const std::string& prefix, const Environment& environment);

// The files of the page that etactl serves; ETAD_PAGE_DIR names another folder.
std::string page_folder(const std::string& prefix, const Environment& environment);

// The folders of rule files that a caller's logs may be read by: the system's and the user's own; a later one wins.
std::vector<std::string> client_rules(const std::string& prefix, const Environment& environment);

// Where a client asks: ETAD_SOCKET, or the user's socket if anybody listens there, or the system's.
std::string client_socket(const Environment& environment);

}  // namespace etad::paths
