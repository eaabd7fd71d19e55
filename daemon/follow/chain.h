// The order in which a stream's files were written: which of them comes after the one being read, and where
// the content of one that was truncated or compressed lies now.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "daemon/follow/contents.h"
#include "daemon/follow/filesystem.h"
#include "daemon/follow/finished.h"
#include "daemon/follow/identity.h"
#include "daemon/follow/rotation.h"

namespace etad::follow {

// A file of the chain, for what comes after it.
struct Link {
  FileKey key;
  Instant modified{};  // when last read
  ReadPart part;
  std::optional<std::int64_t> owner{};  // uid of the log's
  // Its finished identity, without the key, if it was read to its end; empty where nothing was read of it.
  std::string finished() const { return part.offset > 0 ? finished_identity(part) : std::string(); }
};

// A file to be read, and how much of it has been read before.
struct NextFile {
  std::string path;
  FileStatus status;
  ReadPart read;
};

// The files as they lie at one moment: made anew for each look.
class Chain {
 public:
  // What other streams read, and what they have read and lost.
  struct Others {
    std::function<OsResult<bool>(const std::string& path, const FileKey&)> read;
    std::function<OsResult<bool>(const std::string& path, const FileStatus&)> lost;
  };
  // `folders`: where rotated files lie, too. `current`: the file that is being read, or was last. Rotated files of others
  // than its owner and root are none of its.
  Chain(FileSystem& files, Contents& contents, const std::string& path,
        const std::vector<std::string>& folders, const FinishedFiles& finished, const Link& current);

  // The oldest file with bytes written after `last` that is not finished, not taken, and not merely a copy of
  // the beginning of `last` or of what lies under the path; at last what lies under the path itself.
  std::optional<NextFile> next(const Link& last, const FinishedFiles& finished, const Others& others);

  // Whether any file was written after `last`, or made and not yet written to. None is opened but while `last` lies under
  // another name than a rotated file's, and a compressed one that has the time of `last`.
  enum class Newer { none, empty, yes };
  Newer newer(const Link& last, const FinishedFiles& finished);

  // A rotated file, plain or compressed, that holds what was read of `last`: its copy, its compressed form.
  std::optional<RotatedFile> holds(const Link& last, const FinishedFiles& finished, const Others& others);

  // A rotated file that was read to its end.
  std::optional<RotatedFile> finished_one(const FinishedFiles& finished);

  // Where the file with this key lies now, in the directories of the path and of what it links to, and in the folders.
  std::optional<std::string> find(const FileKey& key);

  // Whether that is the path, or a name of what was rotated away from it.
  bool is_name_of_ours(const std::string& file) const;

  // What lay under the path when the rest was looked at.
  const OsResult<FileStatus>& under_path() const { return around_.under_path; }

  // Why the answers above can't be relied on (names that keep moving, an I/O error); 0: they can.
  Errno error() const { return error_; }

 private:
  void add(FileSystem& files, const std::vector<std::string>& folders);
  std::vector<RotatedFile> newer_than(const Link& last);
  bool is_another(const FileKey& key, const ReadPart& part, const RotatedName& than);
  bool still_holds(const std::string& file, const FileKey& key, const ReadPart& part);
  bool is_put_aside(const FileKey& key) const;
  bool is_another_logs(const FileKey& key, const ReadPart& part, bool rotated = false);
  bool is_read(const RotatedFile& candidate, const Link& last, const FinishedFiles& finished);
  std::optional<ReadPart> copied_of(const RotatedFile& candidate, const Link& last);
  bool is_copied_beginning(const NextFile& candidate, bool of_ours);
  void note(Errno error);
  template <class T>
  T known_or(const OsResult<T>& answer, T otherwise);

  Contents& contents_;
  std::string path_;
  std::vector<SplitPath> places_;
  Surrounding around_;
  bool shifts_within_ = false;  // a file of ours was found under a name with its number within
  std::optional<std::pair<FileKey, std::optional<std::string>>> found_;  // the key that was last asked about
  int finds_ = 0;                                                        // how many keys were
  Errno error_ = 0;
};

// How much of a file was read when it was last let go of; nothing of it where that is not its content.
OsResult<ReadPart> read_before(Contents& contents, const std::string& path, const FileStatus& status,
                               const FinishedFiles& finished);

}  // namespace etad::follow
