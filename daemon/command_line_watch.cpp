#include "daemon/command_line_watch.h"

#include <utility>

namespace etad {
namespace {

constexpr std::size_t kMostWaiting = 1024;

}  // namespace

bool CommandLineWatch::look(std::vector<BegunRun> begun, follow::SteadyTime now) {
  for (BegunRun& run : begun) {
    if (waiting_.size() < kMostWaiting) waiting_.push_back(std::move(run));
  }
  if (waiting_.empty() || (next_walk_ && now < *next_walk_)) return false;
  next_walk_ = now + kPause;
  std::vector<std::string> logs;
  for (const BegunRun& run : waiting_) logs.push_back(run.path);
  const CommandLineScan scan = scan_command_lines(table_, patterns_, logs);
  bool labelled = false;
  for (const BegunRun& run : std::exchange(waiting_, {})) {
    const CommandLineFinding& finding = scan.logs.at(run.path);
    if (finding.writers == 0) note_unseen(run.path, scan);
    if (!finding.labels.empty()) labelled = label(run, finding) || labelled;
  }
  return labelled;
}

// Where the history can't be written just now, the run waits for the next walk.
bool CommandLineWatch::label(const BegunRun& run, const CommandLineFinding& finding) {
  const auto done = writer_.with([&](Writer& writer) {
    return writer.add_found_labels(run.source_id, run.ordinal, finding.labels, "command line");
  });
  if (!done) waiting_.push_back(run);
  return done.has_value();
}

void CommandLineWatch::note_unseen(const std::string& path, const CommandLineScan& scan) {
  if (std::exchange(noted_, true)) return;
  notice_ = path + ": no process is seen that writes it, so no command line can be read: of " +
            std::to_string(scan.processes) + " processes " + std::to_string(scan.closed) +
            " may not be looked into (docs/operations.md, Command lines; this is said once)";
}

}  // namespace etad
