// Opens files, and compares their content with what was read before. A compressed file may be too large to be
// inflated in one turn: it is kept here, and the next turn goes on with it. What was found out about it is remembered
// as long as the file does not change, so that no part of it is inflated twice for that.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "daemon/follow/content.h"
#include "daemon/follow/rotation.h"

namespace etad::follow {

class Contents {
 public:
  Contents(FileSystem& files, std::int64_t largest) : files_(files) { inflating_.largest = largest; }

  // From here on `share` bytes may be inflated. `wall`: now; without it no listing is believed twice.
  void begin_turn(std::size_t share, Instant wall = {});
  // Of this turn: what was inflated, and what the entries of directories that were listed cost as bytes.
  std::size_t spent() const { return share_ - inflating_.left + listed_; }
  void note_listed(std::size_t entries);
  std::size_t listed() const;  // entries, of this turn
  // Whether one more file may be looked for in this turn, as the `nth`: some may, however many names lie around them.
  bool may_find(int nth) const { return nth <= kMostFinds || listed() < kManyListed; }

  // As find_key (rotation.h); what it lists is spent.
  OsResult<std::string> find(const std::string& directory, const FileKey& key);

  OsResult<std::vector<FolderBelow>> folders_below(const SplitPath& place);

  // An open file, and which one it is.
  struct Opened {
    std::unique_ptr<Content> content;
    FileStatus status;
    bool goes_on = false;  // it was kept, and stands where an earlier turn left off
  };
  OsResult<Opened> open(const std::string& path);
  Errno see_kind(std::unique_ptr<Content>& content) { return follow::see_kind(content, inflating_); }

  // After a question that needed nothing of it. What was kept is kept on: else the question that does need it would begin
  // anew in each turn, and come to no end.
  void put_back(Opened& file);

  // Opens what lies at `path` if it begins with what the part is of; no content where it does not.
  OsResult<Opened> open_if(const std::string& path, const ReadPart& part);

  // The same, without keeping it open. EAGAIN too where another file than `key` lies there by now.
  OsResult<bool> matches(const std::string& path, const FileKey& key, const ReadPart& part);

  // The head of what lies there, inflated where it is compressed; errors as of matches.
  OsResult<Fingerprint> head(const std::string& path, const FileKey& key);

  // What was answered about this file does not hold.
  void forget(const FileKey& key) { known_.erase(key); }

  // Whether this file, about whose content something was asked since it was last written to, is compressed.
  bool is_compressed(const FileStatus& status) const;

  // The finished identity of the whole file, without its key; empty if it changes meanwhile. nullopt where `begins` says
  // that no finished file has its head: then it is not inflated.
  using Begins = std::function<bool(const Fingerprint&)>;
  OsResult<std::optional<std::string>> identity(const std::string& path, const FileKey& key,
                                                const Begins& begins);

 private:
  static constexpr int kMostFinds = 8;
  // Of a compressed file, for as long as it has this size and time.
  struct Known {
    std::int64_t size = 0;
    Instant modified{};
    std::unique_ptr<Content> waiting;
    std::uint64_t used = 0;  // in which turn
    std::optional<std::int64_t> owner{};
    std::optional<Fingerprint> head{};
    std::optional<std::pair<ReadPart, bool>> matched{};  // the last one asked about
    std::optional<OsResult<std::string>> identity{};
  };
  Known* entry_of(const Opened& file);
  void forget_who_has_most();
  OsResult<Opened> open_key(const std::string& path, const FileKey& key);
  OsResult<bool> match(Opened& file, const ReadPart& part);
  OsResult<Fingerprint> head_of(Opened& file, Known& mine);
  void keep(Opened& file);
  bool has_room_for(const std::optional<std::int64_t>& owner);

  FileSystem& files_;
  Inflating inflating_;
  std::size_t share_ = 0, listed_ = 0;
  std::uint64_t turn_ = 0;
  Instant wall_{};
  ListedInodes inodes_;
  std::map<FileKey, Known> known_;
};

}  // namespace etad::follow
