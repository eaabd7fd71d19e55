#include "daemon/follow/beside.h"

#include <cstddef>

namespace etad::follow {
namespace {

constexpr std::size_t kLargest = 16 * 1024;

std::string text_of(FileSystem& files, FileSystem::Handle handle, const FileStatus& log) {
  const auto status = files.status(handle);
  if (!status || !status->owner || (*status->owner != 0 && status->owner != log.owner)) return {};
  std::string text(kLargest + 1, '\0');
  const auto got = files.read(handle, 0, text);
  text.resize(got.value_or(0));
  return text.size() > kLargest ? std::string() : text;
}

}  // namespace

std::string text_beside(FileSystem& files, const std::string& log, const std::string& name) {
  const auto of_log = files.status(log);
  if (!of_log) return {};
  const auto handle = files.open(log.substr(0, log.rfind('/') + 1) + name);
  if (!handle) return {};
  std::string text = text_of(files, *handle, *of_log);
  files.close(*handle);
  return text;
}

}  // namespace etad::follow
