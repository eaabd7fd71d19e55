// What the configuration's patterns find.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/follow/filesystem.h"
#include "daemon/follow/follower.h"
#include "daemon/follow/identity.h"

namespace etad::follow {

class Discovery {
 public:
  // That "**" looks into below one folder. A shared folder of many users is better named with a folder of each
  // ("/scratch/*/**/*.log"), so that none of them takes the others' share.
  static constexpr std::size_t kMostFolders = 4096;

  struct Found {
    std::string path;
    std::size_t watch = 0;    // the first that finds it
    bool literal = false;     // named in full: followed even while it is not there
    std::uint64_t inode = 0;  // as its directory has it; 0: it does not say
  };

  explicit Discovery(std::size_t most_folders = kMostFolders) : most_folders_(most_folders) {}

  void set_watches(std::vector<Watch> watches);
  const Watch& watch(std::size_t index) const { return watches_[index]; }

  // Which paths are followed already. Of others a scan keeps twice as many as set_most_of_owner says, and then as many of
  // each user: who fills a folder with millions of names fills no memory.
  using IsKnown = std::function<bool(const std::string& path)>;
  void set_known(IsKnown is_known) { is_known_ = std::move(is_known); }

  // Every path the patterns find now; links last, so that a file is followed under its own name.
  std::vector<Found> scan(FileSystem& files);
  // The same in slices, so that who makes a hundred thousand folders keeps nobody else's lines waiting: lists about so
  // many names, or until it is enough, of a scan that is under way or of a new one. False: there is more to list.
  bool go_on(FileSystem& files, std::size_t names, const std::function<bool()>& is_enough);
  bool is_under_way() const { return under_way_; }
  std::vector<Found> take();
  // Of one user's folders no more than so many are looked into that wildcards find, and of new files kept; 0: any number.
  void set_most_of_owner(std::size_t most) { most_of_owner_ = most; }
  // How many more folders each user had in the last scan, and how many more new files.
  const std::map<std::int64_t, std::size_t>& refused() const { return told_refused_; }
  const std::map<std::int64_t, std::size_t>& refused_files() const { return told_refused_files_; }

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
  // How many names the scan that is under way has listed, or the last one did.
  std::size_t listed() const { return listed_; }
  // How many names the last scan that came to its end listed.
  std::size_t names() const { return told_listed_; }
  // All names of one of these that a mount shows under several; of any other none.
  std::vector<std::string> aliases_of(const std::string& directory) const;
  const std::vector<std::pair<std::string, Errno>>& unreadable() const { return unreadable_; }
  const Lookup& lookup() const { return told_; }  // of the last scan; a path without a wildcard is no pattern

 private:
  // What a pattern says of a folder's entries, and of what lies in them.
  struct Parts {
    std::string first;
    std::string_view rest;
    bool is_last;
  };
  static Parts parts_of(std::string_view pattern);

  // A folder to be looked into: `rest` is what is left of the watch's pattern below it.
  struct Task {
    std::string directory;
    std::string_view rest;
    std::optional<std::size_t> root{};  // of a "**" that it is one of the folders of
  };
  struct Root {
    std::string directory;
    std::size_t folders = 1;
    bool all_fit = true;
  };

  void begin();
  Lookup lookup_now() const;
  bool begin_next_watch(FileSystem& files);
  void note_folder(FileSystem& files, const std::string& folder);
  void note_aliases();
  std::size_t expand(FileSystem& files, Task task);
  void expand_below(FileSystem& files, const Task& task, const DirectoryEntry& entry);
  void match(FileSystem& files, const std::string& directory, const DirectoryEntry& entry,
             const Parts& parts);
  bool may_look(FileSystem& files, const std::string& directory, const DirectoryEntry& entry);
  bool may_keep(FileSystem& files, const std::string& path);
  void list(FileSystem& files, const std::string& directory, const FileSystem::TakeEntry& take);

  std::size_t most_folders_;
  std::size_t most_of_owner_ = 0;
  bool under_way_ = false;
  std::size_t watch_ = 0;                                          // whose pattern is expanded
  std::deque<Task> tasks_;                                         // of it
  std::vector<Root> roots_;                                        // likewise
  std::map<std::pair<std::int64_t, bool>, std::size_t> of_owner_;  // folders, and links apart
  std::map<std::int64_t, std::size_t> refused_;                    // likewise, too many
  IsKnown is_known_;
  std::size_t new_files_ = 0;
  std::map<std::int64_t, std::size_t> new_files_of_, refused_files_;  // since there are many
  std::vector<Watch> watches_;
  std::set<std::string> directories_;
  std::size_t listed_ = 0, told_listed_ = 0;  // names, and those of the last scan that came to its end
  std::map<FileKey, std::vector<std::string>> names_of_;     // of the directories, as they are listed
  std::map<std::string, std::vector<std::string>> aliases_;  // of directories that have several
  std::vector<std::pair<std::string, Errno>> unreadable_;
  std::map<std::string, std::int64_t> owners_;  // of these
  std::vector<Found> plain_;
  std::vector<Found> links_;
  std::vector<std::string> crowded_;  // of which more than kMostFolders lie below
  std::vector<bool> matched_;         // by watch
  Lookup told_;                       // of the last scan that came to its end
  std::map<std::int64_t, std::size_t> told_refused_, told_refused_files_;  // likewise
};

}  // namespace etad::follow
