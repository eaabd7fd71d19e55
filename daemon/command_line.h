// What the command line of the process that writes a log says and the log does not: "--batch_size=64". Only
// where the configuration has patterns for it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "daemon/process_table.h"
#include "parsers/rules/path_pattern.h"

namespace etad {

// The patterns of a configuration; their named groups bear the names of labels.
class CommandLinePatterns {
 public:
  static Result<CommandLinePatterns> compile(const std::vector<std::string>& patterns);

  static constexpr std::size_t kLongestValue = 200;  // bytes; what is longer is no label

  bool empty() const { return patterns_.empty(); }
  // The labels that the patterns find in it; where several give the same one, the first pattern's counts.
  std::map<std::string, std::string> labels(const std::string& command_line) const;

 private:
  std::vector<PathPattern> patterns_;
};

// What the processes of one log say together: a value that two of them give differently is none.
class AgreedLabels {
 public:
  void add(const std::map<std::string, std::string>& labels);
  std::map<std::string, std::string> take() const;

 private:
  std::map<std::string, std::string> said_;
  std::set<std::string> disputed_;
};

// One walk over the processes for all of these logs; `tell` is given each command line that tells of one of them. A
// process counts that has the log open for writing, and, where such a one (tee) reads a pipe, those that write into
// that. Bounded: at most so many processes, and so many open files of each.
inline constexpr std::size_t kMostProcesses = 32'768, kMostOpenFiles = 1024;
struct ProcessCounts {
  std::size_t seen = 0, closed = 0;  // and those of them that we may not look into
};
ProcessCounts read_command_lines(
    ProcessTable& table, const std::vector<std::string>& logs,
    const std::function<void(std::size_t log, const std::string& command_line)>& tell);

}  // namespace etad
