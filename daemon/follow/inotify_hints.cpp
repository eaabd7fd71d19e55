#include <sys/inotify.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "daemon/follow/filesystem.h"

namespace etad::follow {
namespace {

constexpr std::uint32_t kEvents = IN_MODIFY | IN_ATTRIB | IN_CREATE | IN_DELETE | IN_MOVED_FROM |
                                  IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

constexpr std::size_t kMostNames = 8;  // of a folder: one that is renamed again and again keeps its watch

// File systems whose other end changes files without our kernel's knowledge (linux/magic.h, and FUSE's own).
bool is_remote(const std::string& directory) {
  struct statfs info {};
  if (::statfs(directory.c_str(), &info) != 0) return false;
  switch (static_cast<std::uint32_t>(info.f_type)) {
    case 0x6969:      // NFS
    case 0x517B:      // SMB
    case 0xFE534D42:  // SMB2
    case 0xFF534D42:  // CIFS
    case 0x01021997:  // 9P
    case 0x00C36400:  // Ceph
    case 0x5346414F:  // AFS
    case 0x65735546:  // FUSE
    case 0x0BD00BD0:  // Lustre
    case 0x47504653:  // GPFS
      return true;
    default:
      return false;
  }
}

class InotifyHints final : public HintSource {
 public:
  explicit InotifyHints(int fd) : fd_(fd) {}
  ~InotifyHints() override { ::close(fd_); }
  InotifyHints(const InotifyHints&) = delete;
  InotifyHints& operator=(const InotifyHints&) = delete;

  int fd() const override { return fd_; }

  OsResult<void> watch(const std::string& directory) override {
    if (is_remote(directory)) return tl::unexpected(ENOTSUP);
    const int descriptor = ::inotify_add_watch(fd_, directory.c_str(), kEvents);
    if (descriptor < 0) return tl::unexpected(errno);
    auto& names = directories_[descriptor];  // by a link or a bind mount a folder has several
    if (std::find(names.begin(), names.end(), directory) != names.end()) return {};
    if (names.size() == kMostNames) names.erase(names.begin());
    names.push_back(directory);
    return {};
  }

  void unwatch(const std::string& directory) override {
    for (auto entry = directories_.begin(); entry != directories_.end(); ++entry) {
      if (std::erase(entry->second, directory) == 0) continue;
      if (!entry->second.empty()) return;
      ::inotify_rm_watch(fd_, entry->first);
      directories_.erase(entry);
      return;
    }
  }

  // One buffer at a time: whoever changes files faster than events are read would never let it come to an end.
  Hints drain() override {
    Hints out;
    alignas(inotify_event) std::array<char, 64 * 1024> buffer;
    ssize_t got = 0;
    do got = ::read(fd_, buffer.data(), buffer.size());
    while (got < 0 && errno == EINTR);
    for (std::size_t at = 0; got > 0 && at < static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      take(event, buffer.data() + at + sizeof event, out);
      at += sizeof event + event.len;
    }
    return out;
  }

 private:
  // A busy file gives the same hint over and over: the last one already said it.
  void take(const inotify_event& event, const char* name, Hints& out) {
    if ((event.mask & IN_Q_OVERFLOW) != 0) {
      out.overflow = true;
      return;
    }
    const auto directory = directories_.find(event.wd);
    if (directory == directories_.end()) return;
    const bool named = event.len > 0 && *name != '\0';
    for (const std::string& folder : directory->second) {
      std::string path = named ? folder + "/" + name : folder;
      if (named && (event.mask & IN_DELETE) != 0) out.removed.push_back(path);
      if (!named || (event.mask & IN_ISDIR) != 0) out.folders.push_back(path);
      if (out.paths.empty() || out.paths.back() != path) out.paths.push_back(std::move(path));
    }
    if ((event.mask & IN_IGNORED) != 0) directories_.erase(directory);  // removed or unmounted
  }

  int fd_;
  std::unordered_map<int, std::vector<std::string>> directories_;  // their names
};

}  // namespace

std::unique_ptr<HintSource> inotify_hints(Errno& error) {
  const int fd = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  error = fd < 0 ? errno : 0;
  return fd < 0 ? nullptr : std::make_unique<InotifyHints>(fd);
}

}  // namespace etad::follow
