// Labels each run that begins with what the command line of its process says. Belongs to the ingest thread, which
// never waits for a command line: one of a walk over hostile processes may be long in coming.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "daemon/command_line.h"
#include "daemon/command_line_reader.h"
#include "daemon/follow/follower.h"
#include "daemon/ingest.h"
#include "daemon/shared_writer.h"

namespace etad {

class CommandLineWatch {
 public:
  // The least time between two walks over the processes, however many runs begin.
  static constexpr std::chrono::seconds kPause{2};
  // Walks take at most one part of so many of a core, however many processes and files there are.
  static constexpr int kShare = 12;
  static constexpr std::chrono::minutes kLate{1};  // for an answer: worth a word

  // Without a reader, or without patterns, nothing is wanted.
  CommandLineWatch(CommandLinePatterns patterns, CommandLineReader* reader, SharedWriter& writer)
      : patterns_(std::move(patterns)), reader_(patterns_.empty() ? nullptr : reader), writer_(writer) {}

  bool wanted() const { return reader_ != nullptr; }
  int descriptor() const { return wanted() ? reader_->descriptor() : -1; }  // to wait for what is told

  // Notes the runs that began, takes what has been told of those that were asked for and, once a walk is due, asks for
  // all that wait. True: a run was labelled.
  bool look(std::vector<BegunRun> begun, follow::SteadyTime now);

  // What an administrator should know, each thing once.
  std::optional<std::string> take_notice() { return std::exchange(notice_, std::nullopt); }

 private:
  struct Asked {
    BegunRun run;
    bool seen = false;  // a process that writes its log
    AgreedLabels said;
  };

  bool take_answers(follow::SteadyTime now);
  void ask(follow::SteadyTime now);
  bool label(const Asked& asked);
  void note_unseen(const std::string& path, const CommandLineReader::Part& counts);
  void give_up(const Error& error);

  CommandLinePatterns patterns_;
  CommandLineReader* reader_;
  SharedWriter& writer_;
  std::vector<BegunRun> waiting_;
  std::vector<Asked> asked_;
  follow::SteadyTime asked_at_{};
  std::optional<follow::SteadyTime> next_walk_;
  std::optional<std::string> notice_;
  bool noted_unseen_ = false, noted_late_ = false;
};

}  // namespace etad
