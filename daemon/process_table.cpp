#include "daemon/process_table.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <string_view>

#include "parsers/base/number.h"

namespace etad {
namespace {

// The entries of a folder whose names are numbers. False: it can't be read.
template <class Take>
bool numbers_in(const std::string& folder, Take take) {
  DIR* const dir = opendir(folder.c_str());
  if (dir == nullptr) return false;
  errno = 0;
  while (const dirent* entry = readdir(dir)) {
    if (const auto number = parse_number<int>(entry->d_name); number && !take(*number)) break;
  }
  const bool good = errno == 0;
  closedir(dir);
  return good;
}

class ProcTable final : public ProcessTable {
 public:
  std::vector<int> processes() override {
    std::vector<int> out;
    numbers_in("/proc", [&](int pid) {
      out.push_back(pid);
      return true;
    });
    return out;
  }

  std::optional<std::vector<OpenFile>> open_files(int pid, std::size_t most) override {
    const std::string folder = "/proc/" + std::to_string(pid) + "/fd";
    std::vector<OpenFile> out;
    const bool good = numbers_in(folder, [&](int fd) {
      const std::string link = folder + "/" + std::to_string(fd);
      std::array<char, PATH_MAX> target{};
      const ssize_t size = readlink(link.c_str(), target.data(), target.size());
      struct stat info {};
      // The link's own mode says how the file was opened: proc(5).
      if (size > 0 && lstat(link.c_str(), &info) == 0)
        out.push_back({fd, {target.data(), static_cast<std::size_t>(size)}, (info.st_mode & S_IWUSR) != 0});
      return out.size() < most;
    });
    if (!good) return std::nullopt;
    return out;
  }

  bool is_file(int pid, int fd, const std::string& path) override {
    struct stat theirs {
    }, ours{};
    const std::string link = "/proc/" + std::to_string(pid) + "/fd/" + std::to_string(fd);
    return stat(path.c_str(), &ours) == 0 && stat(link.c_str(), &theirs) == 0 &&
           ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
  }

  std::string command_line(int pid) override {
    const int fd = open(("/proc/" + std::to_string(pid) + "/cmdline").c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return {};
    std::string out(kLongestCommandLine, '\0');
    std::size_t size = 0;
    while (size < out.size()) {
      const ssize_t n = read(fd, out.data() + size, out.size() - size);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      size += static_cast<std::size_t>(n);
    }
    close(fd);
    out.resize(size);
    while (out.ends_with('\0')) out.pop_back();
    for (char& c : out) {
      if (c == '\0') c = ' ';
    }
    return out;
  }
};

}  // namespace

std::unique_ptr<ProcessTable> proc_process_table() {
  return std::make_unique<ProcTable>();
}

}  // namespace etad
