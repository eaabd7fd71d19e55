// etactl import: files into the history, streamed with the caller's own rights.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "daemon/client/commands.h"
#include "daemon/client/output.h"
#include "daemon/client/text.h"
#include "parsers/base/time.h"

namespace etad::client {
namespace {

// An open file, closed at the end.
class File {
 public:
  explicit File(const std::string& path) : fd_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

// Shown on a terminal only, on stderr, so that stdout holds the results and nothing else.
class ProgressBar {
 public:
  ProgressBar(std::string name, double size)
      : name_(std::move(name)), size_(size), shown_(isatty(STDERR_FILENO) != 0) {}
  ~ProgressBar() {
    if (drawn_) std::cerr << "\r\033[K" << std::flush;
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void add(std::size_t bytes) {
    done_ += static_cast<double>(bytes);
    const auto now = std::chrono::steady_clock::now();
    if (!shown_ || now - last_ < std::chrono::milliseconds{100}) return;
    last_ = now;
    drawn_ = true;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    std::cerr << "\r" << bar(size_ > 0 ? done_ / size_ : 0, 30) << " " << bytes_text(done_) << " of "
              << bytes_text(size_) << ", " << bytes_text(done_ / seconds) << "/s  "
              << cut(printable(name_), 30) << "\033[K" << std::flush;
  }

 private:
  std::string name_;
  double size_, done_ = 0;
  bool shown_, drawn_ = false;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now(), last_ = begun_;
};

std::string modified(const struct stat& file) {
  const auto since =
      std::chrono::seconds{file.st_mtim.tv_sec} +
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::nanoseconds{file.st_mtim.tv_nsec});
  return to_rfc3339(Instant{since});
}

int cannot_read(const std::string& path, const std::string& why) {
  std::cerr << "etactl: " << printable(path) << ": " << why << '\n';
  return kUsage;
}

int import_file(const Common& common, const ImportOptions& options, const Parameters& labels,
                const std::string& path) {
  const File file(path);
  struct stat status {};
  if (file.fd() < 0 || fstat(file.fd(), &status) != 0) return cannot_read(path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return cannot_read(path, "is a folder; name the files in it");
  // Each file has a connection of its own: one that fails takes no other with it.
  auto client = HttpClient::connect(common.socket);
  if (!client) return unreachable(client.error());
  Parameters parameters = {{"name", std::filesystem::absolute(path).lexically_normal()},
                           {"modified", modified(status)}};
  if (!options.format.empty()) parameters.emplace_back("format", options.format);
  parameters.insert(parameters.end(), labels.begin(), labels.end());
  Result<Response> response = fail("nothing was sent");
  {
    ProgressBar progress(path, static_cast<double>(status.st_size));
    response = client->upload(target_of("/v1/imports", parameters),
                              [&](char* buffer, std::size_t size) -> Result<std::size_t> {
                                const ssize_t n = read(file.fd(), buffer, size);
                                if (n < 0) return fail(std::strerror(errno), {}, path);
                                progress.add(static_cast<std::size_t>(n));
                                return static_cast<std::size_t>(n);
                              });
  }
  if (!response) return unreachable(response.error());
  if (!common.json && !response->ok()) std::cerr << printable(path) << ": ";
  return answered(common, *response, [&](const Object& report) { return import_text(path, report); });
}

}  // namespace

int import_files(const Common& common, const ImportOptions& options) {
  Parameters labels;
  for (const std::string& label : options.labels) {
    std::pair<std::string, std::string> pair;
    if (!key_and_value(label, pair)) return cannot_read(label, "is no label: they are given as NAME=VALUE");
    labels.emplace_back("label." + pair.first, pair.second);
  }
  int worst = kDone;
  for (const std::string& path : options.files) {
    const int code = import_file(common, options, labels, path);
    if (code == kNoDaemon) return code;
    worst = std::max(worst, code);
  }
  return worst;
}

}  // namespace etad::client
