#include "daemon/command_line.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "storage/labels.h"

namespace etad {
namespace {

std::string_view name_in(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// Who writes what: processes by log, and those that write into a log's writer by way of a pipe.
class Writers {
 public:
  Writers(ProcessTable& table, const std::vector<std::string>& logs) : table_(table), logs_(logs) {}

  void look_at(int pid, const std::vector<ProcessTable::OpenFile>& files) {
    std::string input;  // the pipe it reads from
    for (const auto& file : files) {
      if (file.fd == 0 && file.target.starts_with("pipe:")) input = file.target;
      if (file.writable && file.target.starts_with("pipe:") && file.fd <= 2) pipes_[file.target].insert(pid);
    }
    for (const auto& file : files) {
      if (!file.writable || !file.target.starts_with('/')) continue;
      for (const std::string& log : logs_) {
        if (!holds(pid, file, log)) continue;
        writers_[log].insert(pid);
        if (!input.empty()) inputs_[log].insert(input);
      }
    }
  }

  // All whose command lines may tell of that log.
  std::set<int> of(const std::string& log) const {
    std::set<int> out;
    if (const auto found = writers_.find(log); found != writers_.end()) out = found->second;
    if (const auto found = inputs_.find(log); found != inputs_.end()) {
      for (const std::string& pipe : found->second) {
        if (const auto feeders = pipes_.find(pipe); feeders != pipes_.end())
          out.insert(feeders->second.begin(), feeders->second.end());
      }
    }
    return out;
  }

 private:
  // Names first: what has another name is another file, and is not touched, wherever it may lie. Of the same path may
  // be another file, too: a container, or any user with a mount namespace of his own, has his own.
  bool holds(int pid, const ProcessTable::OpenFile& file, const std::string& log) {
    return name_in(file.target) == name_in(log) && table_.is_file(pid, file.fd, log);
  }

  ProcessTable& table_;
  const std::vector<std::string>& logs_;
  std::map<std::string, std::set<int>> writers_;
  std::map<std::string, std::set<std::string>> inputs_;  // the pipes that a log's writers read
  std::map<std::string, std::set<int>> pipes_;           // who writes into them
};

}  // namespace

Result<CommandLinePatterns> CommandLinePatterns::compile(const std::vector<std::string>& patterns) {
  CommandLinePatterns out;
  for (const std::string& text : patterns) {
    auto pattern = PathPattern::compile(text, "pattern");
    if (!pattern) return tl::unexpected(pattern.error());
    for (const std::string& name : pattern->names()) {
      if (!is_label(name))
        return fail(
            "pattern '" + text + "' names '" + name + "', which is no label",
            "labels are network, batch_size, test_batch_size, device, devices, gpus, host, framework");
    }
    out.patterns_.push_back(std::move(*pattern));
  }
  return out;
}

std::map<std::string, std::string> CommandLinePatterns::labels(const std::string& command_line) const {
  std::map<std::string, std::string> out;
  for (const PathPattern& pattern : patterns_) out.merge(pattern.labels(command_line));
  std::erase_if(out, [](const auto& label) { return label.second.size() > kLongestValue; });
  return out;
}

void AgreedLabels::add(const std::map<std::string, std::string>& labels) {
  for (const auto& [name, value] : labels) {
    if (said_.emplace(name, value).first->second != value) disputed_.insert(name);
  }
}

std::map<std::string, std::string> AgreedLabels::take() const {
  auto out = said_;
  for (const std::string& name : disputed_) out.erase(name);
  return out;
}

ProcessCounts read_command_lines(
    ProcessTable& table, const std::vector<std::string>& logs,
    const std::function<void(std::size_t log, const std::string& command_line)>& tell) {
  ProcessCounts counts;
  Writers writers(table, logs);
  for (const int pid : table.processes()) {
    if (counts.seen >= kMostProcesses) break;
    ++counts.seen;
    if (const auto files = table.open_files(pid, kMostOpenFiles)) {
      writers.look_at(pid, *files);
    } else {
      ++counts.closed;
    }
  }
  for (std::size_t log = 0; log < logs.size(); ++log) {
    for (const int pid : writers.of(logs[log])) tell(log, table.command_line(pid));
  }
  return counts;
}

}  // namespace etad
