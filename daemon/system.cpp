#include "daemon/system.h"

#include <date/tz.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-id128.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <filesystem>
#include <stdexcept>

namespace etad::system {

Instant now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

std::string host_name() {
  std::array<char, 256> buffer{};
  if (gethostname(buffer.data(), buffer.size() - 1) != 0) return "localhost";
  const std::string name(buffer.data());
  return name.substr(0, name.find('.'));
}

std::string machine_id() {
  // Of etad, among what is made of the same machine-id.
  const sd_id128_t etad = SD_ID128_MAKE(5b, 1f, 0c, 6e, 3a, 84, 4d, 27, 9e, 61, c2, 0d, 77, f4, 18, a9);
  sd_id128_t id{};
  if (sd_id128_get_machine_app_specific(etad, &id) != 0) return {};
  std::array<char, SD_ID128_STRING_MAX> text{};
  return sd_id128_to_string(id, text.data());
}

ZoneOffset local_zone() {
  const date::time_zone* zone = nullptr;
  try {
    zone = date::current_zone();
  } catch (const std::runtime_error&) {
    return utc_offset;
  }
  return [zone](std::int64_t local_seconds) {
    // Of a repeated hour the first reading, of a skipped one the offset before: `first` is both.
    const auto info = zone->get_info(date::local_seconds(std::chrono::seconds(local_seconds)));
    return static_cast<std::int32_t>(info.first.offset.count());
  };
}

std::optional<std::int64_t> owner_of_name(std::string path) {
  while (!path.empty()) {
    struct stat status {};
    if (lstat(path.c_str(), &status) == 0) return status.st_uid;
    const std::size_t slash = path.rfind('/');
    path.resize(slash == 0 && path != "/" ? 1 : slash == std::string::npos ? 0 : slash);
  }
  return std::nullopt;
}

std::chrono::nanoseconds thread_time() {
  timespec spent{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
  return std::chrono::seconds(spent.tv_sec) + std::chrono::nanoseconds(spent.tv_nsec);
}

std::size_t descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  return static_cast<std::size_t>(std::min<rlim_t>(limit.rlim_cur, 1'000'000));
}

void keep_memory() {
#ifdef __GLIBC__
  constexpr int kTurn = 16 * 1024 * 1024;  // more than what is read for one commit, and what comes of it
  mallopt(M_MMAP_THRESHOLD, kTurn);
  mallopt(M_TRIM_THRESHOLD, kTurn);
  // Threads with heaps of their own each keep room that the others could use, and one does nearly all of the work.
  mallopt(M_ARENA_MAX, 1);
#endif
}

void return_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

Result<std::vector<std::string>> toml_files(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> files;
  fs::directory_iterator entries(folder, error);
  if (error == std::errc::no_such_file_or_directory) return files;
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    if (entries->path().extension() == ".toml") files.push_back(entries->path().string());
  }
  if (error) return fail(error.message(), "", folder);
  std::sort(files.begin(), files.end());
  return files;
}

void notify(std::string_view state) {
  sd_notify(0, std::string(state).c_str());
}

int inherited_socket() {
  const int count = sd_listen_fds(1);
  for (int fd = SD_LISTEN_FDS_START; fd < SD_LISTEN_FDS_START + count; ++fd) {
    if (sd_is_socket_unix(fd, SOCK_STREAM, 1, nullptr, 0) > 0) return fd;
  }
  return -1;
}

std::chrono::microseconds watchdog_interval() {
  std::uint64_t microseconds = 0;
  if (sd_watchdog_enabled(0, &microseconds) <= 0) return {};
  return std::chrono::microseconds(microseconds);
}

}  // namespace etad::system
