// What the configuration's patterns find.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/follow/filesystem.h"
#include "daemon/follow/follower.h"

namespace etad::follow {

class Discovery {
 public:
  // That "**" looks into below one folder. A shared folder of many users is better named with a folder of each
  // ("/scratch/*/**/*.log"), so that none of them takes the others' share.
  static constexpr std::size_t kMostFolders = 4096;

  struct Found {
    std::string path;
    std::size_t watch = 0;  // the first that finds it
    bool literal = false;   // named in full: followed even while it is not there
  };

  explicit Discovery(std::size_t most_folders = kMostFolders) : most_folders_(most_folders) {}

  void set_watches(std::vector<Watch> watches) { watches_ = std::move(watches); }
  const Watch& watch(std::size_t index) const { return watches_[index]; }

  // Every path the patterns find now; links last, so that a file is followed under its own name.
  std::vector<Found> scan(FileSystem& files);

  // The first watch whose pattern a path fits, whether it lies there or not.
  std::optional<std::size_t> watch_of(const std::string& path) const;

  // The folders that the watch of this path names for its rotated files.
  std::vector<std::string> folders_of(const std::string& path) const;
  // Whether a watch's log of the name `base` would have its rotated files in that folder.
  bool is_rotated_into(const std::string& folder, const std::string& base) const;

  // Whether a scan might find something new once something has happened at this path: it fits a pattern, or
  // is a directory on the way there.
  bool may_find(const std::string& path) const;
  // Whether a folder is one of those that "**" stands for. Files come and go in them that no pattern fits, so that
  // may_find() does not count what lies there.
  bool may_look_into(const std::string& folder) const;

  // The directories the last scan looked into, and those it could not read.
  const std::set<std::string>& directories() const { return directories_; }
  // All names of one of these that a mount shows under several; of any other none.
  std::vector<std::string> names_of(const std::string& directory) const;
  const std::vector<std::pair<std::string, Errno>>& unreadable() const { return unreadable_; }
  Lookup lookup() const;  // of the last scan; a path without a wildcard is no pattern

 private:
  // What a pattern says of a folder's entries, and of what lies in them.
  struct Parts {
    std::string first;
    std::string_view rest;
    bool is_last;
  };
  static Parts parts_of(std::string_view pattern);

  void note_names(FileSystem& files);
  void expand(FileSystem& files, const std::string& directory, std::string_view rest, std::size_t watch);
  void expand_below(FileSystem& files, const std::string& root, std::string_view rest, std::size_t watch);
  void match(FileSystem& files, const std::string& directory, const std::vector<DirectoryEntry>& entries,
             const Parts& parts, std::size_t watch);
  std::vector<DirectoryEntry> list(FileSystem& files, const std::string& directory);  // empty where it fails

  std::size_t most_folders_;
  std::vector<Watch> watches_;
  std::set<std::string> directories_;
  std::map<std::string, std::vector<std::string>> names_;  // of directories that have several
  std::vector<std::pair<std::string, Errno>> unreadable_;
  std::vector<Found> plain_;
  std::vector<Found> links_;
  std::vector<std::string> crowded_;  // of which more than kMostFolders lie below
  std::vector<bool> matched_;         // by watch
};

}  // namespace etad::follow
