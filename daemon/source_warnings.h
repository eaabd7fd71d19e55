// What the log says of files and folders that can't be read. Their owners may change that as often as they like, and of
// as many as they like: of one file it is told once a minute at most, and so many messages a minute of all.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "daemon/follow/follower.h"
#include "daemon/log.h"
#include "daemon/message_limit.h"

namespace etad {

class SourceWarnings {
 public:
  static constexpr std::chrono::seconds kOfOneFile{60};  // between two messages
  static constexpr std::size_t kMostAMinute = 60;

  // Writes one message; `path` is empty where it is of no file that is followed.
  using Write = std::function<void(log::Level, const std::string& text, const std::string& path)>;
  explicit SourceWarnings(Write write) : write_(std::move(write)) {}

  // Which files can't be read now: told when that begins, changes and is over.
  void look(const std::vector<follow::Status>& streams, follow::SteadyTime now);
  // Anything else of files: told as it comes.
  void tell(const std::string& text, follow::SteadyTime now);

 private:
  struct Told {
    std::string text;  // empty: that it can be read again
    follow::SteadyTime at{};
  };

  bool may_write(follow::SteadyTime now);

  Write write_;
  std::map<std::string, Told> told_;  // by path
  MessageLimit limit_{kMostAMinute};
};

}  // namespace etad
