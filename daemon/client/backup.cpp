// etactl backup: the history into a file, whole or not at all.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>

#include "daemon/client/commands.h"
#include "daemon/client/output.h"
#include "daemon/client/text.h"

namespace etad::client {
namespace {

// A new file that goes again unless it is kept.
class NewFile {
 public:
  explicit NewFile(std::string path)
      : path_(std::move(path)), fd_(open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {}
  ~NewFile() {
    if (fd_ < 0) return;
    close(fd_);
    if (!kept_) unlink(path_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  bool is_open() const { return fd_ >= 0; }

  Result<void> write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return fail(std::strerror(errno), {}, path_);
      bytes.remove_prefix(static_cast<std::size_t>(n));
      size_ += static_cast<double>(n);
    }
    return {};
  }

  // Only what is on the disk is a backup.
  Result<double> keep() {
    if (fsync(fd_) != 0) return fail(std::strerror(errno), {}, path_);
    kept_ = true;
    return size_;
  }

 private:
  std::string path_;
  int fd_;
  bool kept_ = false;
  double size_ = 0;
};

int cannot_write(const Error& error) {
  std::cerr << "etactl: " << printable(error.text()) << '\n';
  return kUsage;
}

}  // namespace

int backup(const Common& common, const std::string& file) {
  auto client = HttpClient::connect(common.socket);
  if (!client) return unreachable(client.error());
  NewFile copy(file);
  if (!copy.is_open()) {
    const int why = errno;
    return cannot_write({file, std::strerror(why),
                         why == EEXIST   ? "name a file that does not exist yet"
                         : why == ENOENT ? "make its folder first"
                                         : ""});
  }
  Result<void> written;
  const auto response = client->download("/v1/backup", [&](std::string_view bytes) {
    written = copy.write(bytes);
    return written;
  });
  if (!written) return cannot_write(written.error());
  if (!response) return unreachable(response.error());
  if (!response->ok()) return answered(common, *response, [](const Object&) { return std::string(); });
  const auto size = copy.keep();
  if (!size) return cannot_write(size.error());
  return written_file(common, file, *size);
}

}  // namespace etad::client
