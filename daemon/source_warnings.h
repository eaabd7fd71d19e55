// What the log says of files and folders that can't be read. Their owners may change that as often as they like, and of
// as many as they like: of one file it is told once a minute at most, and so many messages a minute of one owner's.
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

  // Writes one message; `path` is empty where it is of no single file.
  using Write = std::function<void(log::Level, const std::string& text, const std::string& path)>;
  // Whose the name at `path` is: of a link, not of what it leads to.
  using OwnerOf = std::function<MessageLimit::Owner(const std::string& path)>;
  SourceWarnings(Write write, OwnerOf owner_of) : write_(std::move(write)), owner_of_(std::move(owner_of)) {}

  // Which files and folders can't be read now: told when that begins, changes and is over.
  void look(const std::vector<follow::Status>& streams, const follow::Lookup& lookup, follow::SteadyTime now);
  // Anything else of a file: told as it comes.
  void tell(const std::string& path, const std::string& text, follow::SteadyTime now);

 private:
  struct Told {
    std::string text;  // empty: that it can be read again
    follow::SteadyTime at{};
    MessageLimit::Owner owner{};  // then: the name may be gone when it is over
  };

  bool may_write(MessageLimit::Owner owner, follow::SteadyTime now);

  Write write_;
  OwnerOf owner_of_;
  std::map<std::string, Told> told_;  // by path
  MessageLimit limit_{kMostAMinute, "files", "`etactl sources`"};
};

}  // namespace etad
