// The processes of the machine, as far as their open files and command lines go. Injected: tests have a table
// of their own.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace etad {

class ProcessTable {
 public:
  struct OpenFile {
    int fd = -1;
    std::string target;     // a path, or "pipe:[4711]", "socket:[…]"
    bool writable = false;  // opened for writing
  };

  static constexpr std::size_t kLongestCommandLine = 64 * 1024;  // bytes; what is longer is cut there

  virtual ~ProcessTable() = default;
  virtual std::vector<int> processes() = 0;
  // At most `most` of its files. nullopt: it may not be looked into, or is gone.
  virtual std::optional<std::vector<OpenFile>> open_files(int pid, std::size_t most) = 0;
  // Whether that open file is the one that `path` names, whatever the process calls it (in a container).
  virtual bool is_file(int pid, int fd, const std::string& path) = 0;
  virtual std::string command_line(int pid) = 0;  // its arguments, joined by blanks; empty: not known
};

// Over proc(5). Reads symbolic links and command lines, and opens no other file; is_file() looks at both files.
std::unique_ptr<ProcessTable> proc_process_table();

}  // namespace etad
