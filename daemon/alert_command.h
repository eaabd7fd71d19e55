// Executes the operator's command for an alert. The daemon itself executes nothing (confinement.h), so this
// is done by a small process that is forked beforehand and can do this one thing: it holds the command from
// the configuration and takes from the daemon only what the command is to read.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "daemon/helper_process.h"
#include "parsers/base/error.h"

namespace etad {

class AlertCommand {
 public:
  static constexpr std::size_t kMostInput = 60 * 1024;  // bytes

  // An error: the program can't be executed as things are, so that whoever sets it up learns of it before there
  // is an alert. It may still be there by then.
  static Result<void> check(const std::vector<std::string>& command);

  // Forks the process. Before the confinement, and before there are threads. `command`: a program's absolute
  // path and its arguments; no shell is between.
  static Result<std::unique_ptr<AlertCommand>> start(const std::vector<std::string>& command,
                                                     std::chrono::milliseconds timeout);

  // Runs the command with `input` as its standard input, and waits for its end: at most `timeout`, then it is
  // killed with all that it started in its process group. An error: it could not be executed, ended with
  // another status than 0, or took too long. One call at a time.
  Result<void> run(const std::string& input);

 private:
  AlertCommand(std::unique_ptr<HelperProcess> process, std::string program)
      : process_(std::move(process)), program_(std::move(program)) {}

  std::unique_ptr<HelperProcess> process_;  // its end is that of a command at work, too
  std::string program_;
};

}  // namespace etad
