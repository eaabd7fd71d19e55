// The files that have been read to their end and will not be read again, by their content.
#pragma once

#include <string>
#include <unordered_set>

namespace etad::follow {

class FinishedFiles {
 public:
  // False: it was known.
  bool add(std::string identity) {
    return !identity.empty() && identities_.insert(std::move(identity)).second;
  }
  void remove(const std::string& identity) { identities_.erase(identity); }
  bool contains(const std::string& identity) const {
    return !identity.empty() && identities_.contains(identity);
  }
  bool empty() const { return identities_.empty(); }

 private:
  std::unordered_set<std::string> identities_;
};

}  // namespace etad::follow
