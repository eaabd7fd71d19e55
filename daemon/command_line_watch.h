// Labels each run that begins with what the command line of its process says. Belongs to the ingest thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "daemon/command_line.h"
#include "daemon/follow/follower.h"
#include "daemon/ingest.h"
#include "daemon/shared_writer.h"

namespace etad {

class CommandLineWatch {
 public:
  // The least time between two walks over the processes, however many runs begin.
  static constexpr std::chrono::seconds kPause{2};

  CommandLineWatch(CommandLinePatterns patterns, ProcessTable& table, SharedWriter& writer)
      : patterns_(std::move(patterns)), table_(table), writer_(writer) {}

  bool wanted() const { return !patterns_.empty(); }

  // Notes the runs that began and, once a walk is due, looks for the processes of all that wait. True: a run was
  // labelled.
  bool look(std::vector<BegunRun> begun, follow::SteadyTime now);

  // What an administrator should know, once: that processes can't be seen.
  std::optional<std::string> take_notice() { return std::exchange(notice_, std::nullopt); }

 private:
  bool label(const BegunRun& run, const CommandLineFinding& finding);
  void note_unseen(const std::string& path, const CommandLineScan& scan);

  CommandLinePatterns patterns_;
  ProcessTable& table_;
  SharedWriter& writer_;
  std::vector<BegunRun> waiting_;
  std::optional<follow::SteadyTime> next_walk_;
  std::optional<std::string> notice_;
  bool noted_ = false;
};

}  // namespace etad
