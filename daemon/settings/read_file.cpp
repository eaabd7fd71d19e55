#include "daemon/settings/read_file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>

namespace etad::config {

Result<std::string> read_file(const std::string& path) {
  static constexpr off_t kLargest = 16 * 1024 * 1024;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return fail(std::strerror(errno), "", path);
  if (!S_ISREG(info.st_mode)) return fail("not a regular file", "", path);
  if (info.st_size > kLargest) return fail("larger than 16 MiB", "is this the right file?", path);
  std::ifstream file(path, std::ios::binary);
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  if (!file || !file.read(text.data(), info.st_size)) return fail(std::strerror(errno), "", path);
  return text;
}

}  // namespace etad::config
