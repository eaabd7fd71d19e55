// The files that have been read to their end and will not be read again: their contents, and which files held
// them where that is known. Two runs may well write the same log: a content alone says that a file was read
// only where there is no other file that it can be.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/follow/identity.h"

namespace etad::follow {

class FinishedFiles {
 public:
  // Of one owner's at most so many are known, the last ones. Of imports, whose holders nobody knows, any number.
  explicit FinishedFiles(std::size_t most_of_owner = 50'000) : most_of_owner_(most_of_owner) {}

  // False: it was known. `identity`: of the content, with or without the file's key (identity.h).
  bool add(const std::string& identity) {
    if (identity.empty()) return false;
    const std::string content(content_of_finished(identity));
    const std::optional<Holder> holder = holder_of_finished(identity);
    Holders& holders = by_content_[content];
    if (!holder) return !std::exchange(holders.unknown, true);
    if (holders.find(holder->key) != holders.known.end()) return false;
    holders.known.push_back(*holder);
    by_key_[holder->key].push_back(content);
    auto& of_owner = by_owner_[holder->owner];
    of_owner.push_back(identity);
    if (of_owner.size() > most_of_owner_) {
      forget(of_owner.front(), holder_of_finished(of_owner.front()));
      of_owner.pop_front();
    }
    return true;
  }

  // Of the last ones: what could not be committed will be added again, and must not count as often as it was.
  void remove(const std::string& identity) {
    const std::optional<Holder> holder = holder_of_finished(identity);
    forget(identity, holder);
    if (!holder) return;
    auto& of_owner = by_owner_[holder->owner];
    const auto last = std::find(of_owner.rbegin(), of_owner.rend(), identity);
    if (last != of_owner.rend()) of_owner.erase(std::next(last).base());
  }

  // What this file held whenever it was let go of, the longest first: it may have grown since, or been
  // truncated.
  std::vector<ReadPart> of(const FileKey& key) const {
    std::vector<ReadPart> out;
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return out;
    for (const std::string& content : found->second)
      if (const auto part = part_of_finished(content)) out.push_back(*part);
    std::sort(out.begin(), out.end(),
              [](const ReadPart& a, const ReadPart& b) { return a.offset > b.offset; });
    return out;
  }
  bool knows(const FileKey& key) const { return by_key_.contains(key); }
  // Whether this file held just that: an inode alone may have been another file's.
  bool knows(const FileKey& key, const std::string& content) const {
    const auto found = by_content_.find(content);
    return found != by_content_.end() && found->second.find(key) != found->second.known.end();
  }

  // Whether a file of this content may be one of those. `is_other`: whether such a file is known to be
  // another one than the one that is asked about. What other users have read of the same content says nothing of it.
  template <class IsOther>
  bool may_be(const std::string& content, const FileStatus& file, IsOther&& is_other) const {
    const auto found = by_content_.find(content);
    if (found == by_content_.end()) return false;
    const Holders& holders = found->second;
    return holders.unknown ||
           std::any_of(holders.known.begin(), holders.known.end(), [&](const Holder& held) {
             return held.key == key_of(file) || (may_be_of(held.owner, file) && !is_other(held.key));
           });
  }

  // Whether any of them begins with this head.
  bool begins(const Fingerprint& head) const {
    const std::string text = head.text() + "/";
    const auto found = by_content_.lower_bound(text);
    return found != by_content_.end() && found->first.starts_with(text);
  }
  // Likewise one of which nobody knows what file held it: an import.
  bool import_begins(const Fingerprint& head) const {
    const std::string text = head.text() + "/";
    auto at = by_content_.lower_bound(text);
    while (at != by_content_.end() && at->first.starts_with(text) && !at->second.unknown) ++at;
    return at != by_content_.end() && at->first.starts_with(text);
  }
  bool empty() const { return by_content_.empty(); }

 private:
  struct Holders {
    std::vector<Holder> known;
    bool unknown = false;  // a file that is known by its content only
    std::vector<Holder>::const_iterator find(const FileKey& key) const {
      return std::find_if(known.begin(), known.end(), [&](const Holder& each) { return each.key == key; });
    }
  };
  void forget(const std::string& identity, const std::optional<Holder>& holder) {
    const std::string content(content_of_finished(identity));
    const auto found = by_content_.find(content);
    if (found == by_content_.end()) return;
    if (holder)
      std::erase_if(found->second.known, [&](const Holder& each) { return each.key == holder->key; });
    else
      found->second.unknown = false;
    if (const auto held = holder ? by_key_.find(holder->key) : by_key_.end(); held != by_key_.end()) {
      std::erase(held->second, content);
      if (held->second.empty()) by_key_.erase(held);
    }
    if (found->second.known.empty() && !found->second.unknown) by_content_.erase(found);
  }

  std::map<std::string, Holders> by_content_;
  std::map<FileKey, std::vector<std::string>> by_key_;
  std::map<std::optional<std::int64_t>, std::deque<std::string>> by_owner_;  // as they came
  std::size_t most_of_owner_;
};

}  // namespace etad::follow
