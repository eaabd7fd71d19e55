#include "daemon/command_line_watch.h"

#include <algorithm>
#include <utility>

namespace etad {
namespace {

constexpr std::size_t kMostWaiting = 1024;
constexpr int kMostParts = 64;  // of an answer, in one look

}  // namespace

bool CommandLineWatch::look(std::vector<BegunRun> begun, follow::SteadyTime now) {
  if (!wanted()) return false;
  for (BegunRun& run : begun) {
    if (waiting_.size() < kMostWaiting) waiting_.push_back(std::move(run));
  }
  const bool labelled = take_answers(now);
  if (wanted() && asked_.empty() && !waiting_.empty() && (!next_walk_ || now >= *next_walk_)) ask(now);
  return labelled;
}

void CommandLineWatch::ask(follow::SteadyTime now) {
  std::vector<std::string> logs;
  for (const BegunRun& run : waiting_) logs.push_back(run.path);
  const auto taken = reader_->ask(logs);
  if (!taken) return give_up(taken.error());
  for (std::size_t i = 0; i < *taken; ++i) asked_.push_back({std::move(waiting_[i]), false, {}});
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(*taken));
  asked_at_ = now;
}

bool CommandLineWatch::take_answers(follow::SteadyTime now) {
  for (int parts = 0; parts < kMostParts; ++parts) {
    const auto part = reader_->take();
    if (!part) {
      give_up(part.error());
      return false;
    }
    if (!*part) break;
    if ((*part)->last) {
      next_walk_ = now + std::max<follow::SteadyTime::duration>(kPause, kShare * (*part)->spent);
      bool labelled = false;
      for (const Asked& asked : std::exchange(asked_, {})) {
        if (!asked.seen) note_unseen(asked.run.path, **part);
        labelled = label(asked) || labelled;
      }
      return labelled;
    }
    if ((*part)->log >= asked_.size()) continue;
    Asked& asked = asked_[(*part)->log];
    asked.seen = true;
    asked.said.add(patterns_.labels((*part)->command_line));
  }
  if (!asked_.empty() && now - asked_at_ >= kLate && !std::exchange(noted_late_, true))
    notice_ =
        "the walk over the processes for their command lines has not ended for a minute: runs that begin "
        "lack "
        "what theirs would say until it has (this is said once)";
  return false;
}

// Where the history can't be written just now, the run waits for the next walk.
bool CommandLineWatch::label(const Asked& asked) {
  const auto labels = asked.said.take();
  if (labels.empty()) return false;
  const auto done = writer_.with([&](Writer& writer) {
    return writer.add_found_labels(asked.run.source_id, asked.run.ordinal, labels, "command line");
  });
  if (!done) waiting_.push_back(asked.run);
  return done.has_value();
}

void CommandLineWatch::note_unseen(const std::string& path, const CommandLineReader::Part& counts) {
  if (std::exchange(noted_unseen_, true)) return;
  notice_ = path + ": no process is seen that writes it, so no command line can be read: of " +
            std::to_string(counts.processes) + " processes " + std::to_string(counts.closed) +
            " may not be looked into (docs/operations.md, Command lines; this is said once)";
}

void CommandLineWatch::give_up(const Error& error) {
  notice_ = error.text();
  reader_ = nullptr;
  waiting_.clear();
  asked_.clear();
}

}  // namespace etad
