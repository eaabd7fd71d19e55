// What the command line of the process that writes a log says and the log does not: "--batch_size=64". Only
// where the configuration has patterns for it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "daemon/process_table.h"
#include "parsers/rules/path_pattern.h"

namespace etad {

// The patterns of a configuration; their named groups bear the names of labels.
class CommandLinePatterns {
 public:
  static Result<CommandLinePatterns> compile(const std::vector<std::string>& patterns);

  bool empty() const { return patterns_.empty(); }
  // The labels that the patterns find in it; where several give the same one, the first pattern's counts.
  std::map<std::string, std::string> labels(const std::string& command_line) const;

 private:
  std::vector<PathPattern> patterns_;
};

// What was found out of one log.
struct CommandLineFinding {
  std::map<std::string, std::string> labels;  // empty where two processes contradict each other
  std::size_t writers = 0;                    // processes that hold the log open for writing
};

struct CommandLineScan {
  std::map<std::string, CommandLineFinding> logs;  // by path
  std::size_t processes = 0, closed = 0;           // seen; and those of them that we may not look into
};

// One walk over the processes for all of these logs. A process counts that has the log open for writing, and,
// where such a one (tee) reads a pipe, those that write into that. Bounded: at most so many processes, and so
// many open files of each.
inline constexpr std::size_t kMostProcesses = 32'768, kMostOpenFiles = 1024;
CommandLineScan scan_command_lines(ProcessTable& table, const CommandLinePatterns& patterns,
                                   const std::vector<std::string>& logs);

}  // namespace etad
