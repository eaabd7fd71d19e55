// The order in which a stream's files were written: which of them comes after the one being read, and where
// the content of one that was truncated or compressed lies now.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemon/follow/content.h"
#include "daemon/follow/filesystem.h"
#include "daemon/follow/finished.h"
#include "daemon/follow/identity.h"
#include "daemon/follow/rotation.h"

namespace etad::follow {

// A file of the chain, for what comes after it.
struct Link {
  FileKey key;
  Instant modified{};  // when last read
  Trace trace;
  std::string finished;  // its finished identity, if it was read to its end
};

class Chain {
 public:
  Chain(FileSystem& files, const std::string& path);

  // The oldest file with bytes written after `last` that is not finished, not taken by another stream, and
  // not merely a copy of the beginning of `last` or of what lies under the path. Nothing: the path is next.
  std::optional<Sibling> next(const Link& last, const FinishedFiles& finished,
                              const std::function<bool(const FileKey&)>& taken);

  // Whether any file was written after `last`, or made and not yet written to: without opening any.
  enum class Newer { none, empty, yes };
  Newer newer(const Link& last);

  // A rotated file, plain or compressed, that holds what was read of `last`: its copy, its compressed form.
  std::optional<Sibling> holds(const Link& last, const FinishedFiles& finished);

  // Where the file with this key lies now, in the directories of the path and of what it links to.
  std::optional<std::string> find(const FileKey& key);

  // Why the answers above can't be relied on (too many open files, an I/O error); 0: they can.
  Errno error() const { return error_; }

 private:
  std::vector<Sibling> newer_than(const Link& last);
  bool is_beginning_of(Content& candidate, const std::string& path);
  std::unique_ptr<Content> open(const std::string& path);
  void note(Errno error);
  template <class T>
  T known_or(const OsResult<T>& answer, T otherwise);

  FileSystem& files_;
  std::string path_;
  std::vector<SplitPath> places_;
  std::vector<Sibling> siblings_;  // oldest first
  Errno error_ = 0;
};

}  // namespace etad::follow
