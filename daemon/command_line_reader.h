// Reads the command lines of the processes that write logs. Under its Landlock the kernel shows the daemon no open file
// of any other process, so this is done by a small process that is forked before, and does nothing else: it takes the
// names of logs and gives bytes, of which the daemon makes what they mean.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/helper_process.h"
#include "daemon/process_table.h"

namespace etad {

class CommandLineReader {
 public:
  // One message of an answer: a command line of one of the logs asked for, or that there are no more.
  struct Part {
    std::size_t log = 0;                    // which of them
    std::string command_line;               // empty also where it can't be read
    bool last = false;                      // the walk is over, and saw
    std::size_t processes = 0, closed = 0;  // so many processes, of which so many may not be looked into
    std::chrono::microseconds spent{};      // of a core, on the walk
  };

  virtual ~CommandLineReader() = default;
  // One walk over the processes for the first so many of these logs, as many as one request takes; 0: it still has
  // enough to do. What is left of an earlier answer is not told any more. An error: the process is gone.
  virtual Result<std::size_t> ask(const std::vector<std::string>& logs) = 0;
  // What has come by now; nothing is waited for.
  virtual Result<std::optional<Part>> take() = 0;
  virtual int descriptor() const = 0;  // to wait for more

  // Forks the process that reads them from `table`. Before the confinement, and before there are threads.
  static Result<std::unique_ptr<CommandLineReader>> start(std::unique_ptr<ProcessTable> table);
};

}  // namespace etad
