// A file system in memory, with devices, inodes, links and modification times, in which every call can be
// made to fail. Inodes of deleted files are reused at once, as ext4 does.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/follow/filesystem.h"

namespace etad::follow {

class FakeFileSystem final : public FileSystem {
 public:
  struct Node {
    std::uint64_t inode = 0;
    FileType type = FileType::regular;
    std::string bytes;
    std::string target;  // of a link
    std::uint64_t links = 1;
    Instant modified{};
    Instant born{};
    Instant changed{};
    std::optional<std::int64_t> owner;
    bool is_link() const { return !target.empty(); }
  };
  // An open file, as whoever writes it holds it: whatever names it goes by, or none any more.
  using File = std::shared_ptr<Node>;

  // What a test does to it. Paths are absolute; directories are there as soon as something lies in them.
  void write(const std::string& path, std::string_view bytes);  // appends; creates
  void write_at_offset(const std::string& path, std::int64_t offset, std::string_view bytes);
  void create(const std::string& path, std::string_view bytes = "");  // a new file, whatever lay there
  void truncate(const std::string& path, std::int64_t size = 0);
  void rename(const std::string& from, const std::string& to);
  void copy(const std::string& from, const std::string& to);  // to a new inode
  // As rsync and `sed -i` do: written under another name, given the original's time, renamed over the path.
  void replace(const std::string& path, std::string_view bytes, std::optional<Instant> modified = {});
  void remove(const std::string& path);
  File file(const std::string& path) const { return find(path).value(); }
  void write(const File& file, std::string_view bytes);  // appends
  void write_at_offset(const File& file, std::int64_t offset, std::string_view bytes);
  void truncate(const File& file, std::int64_t size = 0);
  std::vector<std::string> names(const File& file) const;
  const std::map<std::string, File>& all() const { return names_; }
  static std::int64_t size(const File& file) { return static_cast<std::int64_t>(file->bytes.size()); }
  void hard_link(const std::string& from, const std::string& to);
  void symlink(const std::string& target, const std::string& path);
  void special(const std::string& path, FileType type);
  // From now on what lies in the folder is seen under another name, too.
  void bind_mount(const std::string& folder, const std::string& at) { mounts_[at] = {folder, false}; }
  void link_folder(const std::string& folder, const std::string& at) { mounts_[at] = {folder, true}; }
  void gzip(const std::string& from, const std::string& to);  // keeps the modification time
  std::string content(const std::string& path) const;
  bool exists(const std::string& path) const { return names_.contains(path); }
  std::uint64_t inode(const std::string& path) const { return names_.at(path)->inode; }

  // The next calls fail: of `call` ("open", "read", "status", "fstat", "list"), on `path`, `times` times.
  void fail(const std::string& call, const std::string& path, Errno error, int times = 1'000'000);
  // The n-th call of its kind from now on fails, whatever it is about.
  void fail_nth(const std::string& call, int n, Errno error);
  void heal();

  int open_handles() const { return static_cast<int>(handles_.size()); }
  int most_open_handles() const { return most_open_; }
  std::map<std::string, int> calls;  // how often each was made
  std::int64_t bytes_read = 0;
  // Called before each call, with what is called: another process that acts in between.
  std::function<void(const std::string& call, const std::string& path)> meanwhile;
  int max_open = 1000;                         // EMFILE beyond
  std::size_t most_names = kMostNames;         // of a folder; EFBIG beyond
  std::uint64_t device = 1;                    // its number, which may change over a restart of the machine
  bool reuses_inodes = true;                   // as ext4 does; others take a long time to
  std::map<std::string, std::int64_t> owners;  // of directories
  bool births = true;                          // whether it knows when an inode was made
  bool lists_inodes = true;                    // whether its lists say inodes, and what is a link or a folder
  bool finds_by_name =
      false;  // what an open file's status says is that of whatever lies under its name by now
  void set_clock(Instant now) { clock_ = now; }  // of which each change takes a microsecond
  Instant clock() const { return clock_; }

  OsResult<FileStatus> status(const std::string& path) override;
  OsResult<void> list(const std::string& directory, const TakeEntry& take) override;
  OsResult<std::string> resolve(const std::string& path) override;
  OsResult<Handle> open(const std::string& path) override;
  void close(Handle handle) override;
  OsResult<FileStatus> status(Handle handle) override;
  OsResult<std::size_t> read(Handle handle, std::int64_t offset, std::span<char> into) override;
  std::int64_t next_data(Handle handle, std::int64_t offset) override;
  std::chrono::nanoseconds spent() const override { return spent_; }
  std::chrono::nanoseconds each_call{1000};                    // what it is said to take
  std::map<std::string, std::chrono::nanoseconds> each_below;  // and more below these folders

 private:
  struct Handled {
    std::shared_ptr<Node> node;
    std::string path;
  };
  struct Fault {
    std::string call, path;
    Errno error;
    int times;
  };

  std::shared_ptr<Node> make(const std::string& path);
  void unlink(const std::string& path);
  void touch(Node& node) { node.modified = node.changed = ++clock_; }
  void touch_directory(const std::string& path);
  std::string below_mounts(const std::string& path, bool only_links = false) const;
  OsResult<std::shared_ptr<Node>> find(std::string path) const;
  Errno fault(const std::string& call, const std::string& path);
  FileStatus status_of(const Node& node) const;

  std::map<std::string, std::shared_ptr<Node>> names_;
  struct Directory {
    Instant modified{};
    std::uint64_t inode = 0;
  };
  std::map<std::string, Directory> directories_;
  struct Mount {
    std::string folder;
    bool is_link = false;
  };
  std::map<std::string, Mount> mounts_;  // by the other name
  std::map<Handle, Handled> handles_;
  std::vector<std::weak_ptr<Node>> nodes_;
  std::vector<Fault> faults_;
  Fault nth_{"", "", 0, 0};
  Instant clock_{std::chrono::seconds(1'780'000'000)};
  Handle next_handle_ = 3;
  std::uint64_t last_inode_ = 9;
  int most_open_ = 0;
  std::chrono::nanoseconds spent_{0};
};

// Hints that a test gives itself.
class FakeHints final : public HintSource {
 public:
  int fd() const override { return 1000; }
  OsResult<void> watch(const std::string& directory) override {
    if (error != 0) return tl::unexpected(error);
    watched.insert(directory);
    return {};
  }
  void unwatch(const std::string& directory) override { watched.erase(directory); }
  Hints drain() override { return std::exchange(pending, {}); }

  Errno error = 0;
  std::set<std::string> watched;
  Hints pending;
};

// gzip-compresses, as `gzip -n` would.
std::string gzipped(std::string_view bytes);

}  // namespace etad::follow
