// The files that have been read to their end and will not be read again: their contents, and which files held
// them where that is known. Two runs may well write the same log: a content alone says that a file was read
// only where there is no other file that it can be.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/follow/identity.h"

namespace etad::follow {

class FinishedFiles {
 public:
  // False: it was known. `identity`: of the content, with or without the file's key (identity.h).
  bool add(const std::string& identity) {
    if (identity.empty()) return false;
    const std::string content(content_of_finished(identity));
    const std::optional<FileKey> key = key_of_finished(identity);
    Holders& holders = by_content_[content];
    // It may have been let go of more than once; the list has no order, and how far it was read is what counts.
    if (key && length_of(by_key_[*key]) <= length_of(content)) by_key_[*key] = content;
    if (!key) return !std::exchange(holders.unknown, true);
    const bool known = std::find(holders.keys.begin(), holders.keys.end(), *key) != holders.keys.end();
    if (!known) holders.keys.push_back(*key);
    return !known;
  }

  void remove(const std::string& identity) {
    const std::string content(content_of_finished(identity));
    const std::optional<FileKey> key = key_of_finished(identity);
    const auto found = by_content_.find(content);
    if (found == by_content_.end()) return;
    if (key)
      std::erase(found->second.keys, *key);
    else
      found->second.unknown = false;
    if (key && of(*key) == content) by_key_.erase(*key);
    if (found->second.keys.empty() && !found->second.unknown) by_content_.erase(found);
  }

  // The content that this file had when it was read to its end; it may have grown since.
  std::optional<std::string> of(const FileKey& key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? std::nullopt : std::optional(found->second);
  }

  // Whether a file of this content may be one of those. `is_other`: whether such a file is known to be
  // another one than the one that is asked about.
  template <class IsOther>
  bool may_be(const std::string& content, const FileKey& key, IsOther&& is_other) const {
    const auto found = by_content_.find(content);
    if (found == by_content_.end()) return false;
    const Holders& holders = found->second;
    return holders.unknown || std::any_of(holders.keys.begin(), holders.keys.end(), [&](const FileKey& held) {
             return held == key || !is_other(held);
           });
  }

  // Whether any of them begins with this head.
  bool begins(const Fingerprint& head) const {
    const std::string text = head.text() + "/";
    const auto found = by_content_.lower_bound(text);
    return found != by_content_.end() && found->first.starts_with(text);
  }
  bool empty() const { return by_content_.empty(); }

 private:
  static std::int64_t length_of(const std::string& content) {
    const auto trace = trace_of_finished(content);
    return trace ? trace->offset : 0;
  }

  struct Holders {
    std::vector<FileKey> keys;
    bool unknown = false;  // a file that is known by its content only
  };
  std::map<std::string, Holders> by_content_;
  std::map<FileKey, std::string> by_key_;
};

}  // namespace etad::follow
