// etactl import: files into the history, streamed with the caller's own rights.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <system_error>
#include <vector>

#include "daemon/client/commands.h"
#include "daemon/client/deployment_words.h"
#include "daemon/client/output.h"
#include "daemon/client/text.h"
#include "parsers/base/time.h"
#include "parsers/lines/packed.h"

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

// What came of the files of a folder, by format.
class Summary {
 public:
  void add(const Object& report) {
    const bool twin = is_true(report, "already_read");
    Row& row =
        rows_[text_of(report, "format").empty() && !twin ? "(not recognised)" : text_of(report, "format")];
    ++row.files;
    row.already += twin ? 1 : 0;
    row.runs += count_of(report, "runs");
    row.segments += count_of(report, "segments");
    row.samples += count_of(report, "samples");
    row.rejected += count_of(report, "rejected");
    runs_ += count_of(report, "runs");
  }
  void refuse() { ++refused_; }
  void pass_over() { ++packed_; }

  std::int64_t runs() const { return runs_; }

  std::string text() const {
    Table table({"format", ">files", ">runs", ">measurements", ">samples", ">rejected", ">already there"});
    bool unrecognised = false, rejected = false;
    for (const auto& [format, row] : rows_) {
      table.row({or_dash(format), count_text(row.files), count_text(row.runs), count_text(row.segments),
                 count_text(row.samples), count_text(row.rejected), count_text(row.already)});
      unrecognised = unrecognised || format == "(not recognised)";
      rejected = rejected || row.rejected > 0;
    }
    const Screen screen = stdout_screen();
    std::string out = table.empty() ? "" : table.text(screen.width, screen.colours);
    if (refused_ > 0) out += count_text(refused_) + " could not be imported: see above.\n";
    if (unrecognised)
      out +=
          "Not recognised: --format says which one it is, a rule file of one's own "
          "teaches a new one (etad-rules(5)).\n";
    if (packed_ > 0) out += counted(packed_, "packed file") + " passed over: only gzip is read as it is.\n";
    if (rejected) out += "Rejected: measurements that could not be true; `etactl sources` says why.\n";
    if (runs_ > 0)
      out +=
          "Next: `etactl runs --all` lists the runs; their models follow within seconds, "
          "`etactl refit` waits for them.\n";
    return out;
  }

 private:
  struct Row {
    std::int64_t files = 0, already = 0, runs = 0, segments = 0, samples = 0, rejected = 0;
  };
  std::map<std::string, Row> rows_;
  std::int64_t runs_ = 0, refused_ = 0, packed_ = 0;
};

// What goes with every file: labels, and the names of files that a format looks for beside its logs.
struct Company {
  Parameters labels;
  std::vector<std::string> beside;
};

// A daemon that does not say looks for none.
std::vector<std::string> names_beside(const Common& common) {
  std::vector<std::string> out;
  auto client = HttpClient::connect(common.socket);
  const auto index = client ? client->get("/v1") : tl::unexpected(client.error());
  const Object said = index && index->ok() ? object_in(index->body).value_or(Object()) : Object();
  for (const auto& name : array_of(said, "beside"))
    if (name.is_string()) out.emplace_back(name.as_string());
  return out;
}

// They travel in the request's header, which has 8 KiB.
void add_beside(Parameters& parameters, const std::string& path, const std::vector<std::string>& names) {
  constexpr std::size_t kMostEncoded = 6 * 1024;
  for (const std::string& name : names) {
    const std::filesystem::path beside = std::filesystem::path(path).parent_path() / name;
    std::error_code error;
    if (!std::filesystem::is_regular_file(beside, error)) continue;
    const File file(beside);
    std::string text(kMostEncoded, '\0');
    const ssize_t n = read(file.fd(), text.data(), text.size());
    if (n <= 0) continue;
    text.resize(static_cast<std::size_t>(n));
    if (percent_encoded(text).size() < kMostEncoded) {
      parameters.emplace_back("beside." + name, std::move(text));
    } else {
      std::cerr << "etactl: " << printable(beside.string())
                << " is too large to go with the log: it is left out\n";
    }
  }
}

Result<Response> send_file(const Common& common, const ImportOptions& options, const Company& company,
                           const std::string& path, const File& file, const struct stat& status, bool alone) {
  // Each file has a connection of its own: one that fails takes no other with it.
  auto client = HttpClient::connect(common.socket);
  if (!client) return tl::unexpected(client.error());
  Parameters parameters = {{"name", std::filesystem::absolute(path).lexically_normal()},
                           {"modified", modified(status)}};
  if (!options.format.empty()) parameters.emplace_back("format", options.format);
  if (options.replaces > 0) parameters.emplace_back("replaces", std::to_string(options.replaces));
  parameters.insert(parameters.end(), company.labels.begin(), company.labels.end());
  add_beside(parameters, path, company.beside);
  std::optional<ProgressBar> progress;
  if (alone) progress.emplace(path, static_cast<double>(status.st_size));
  return client->upload(target_of("/v1/imports", parameters),
                        [&](char* buffer, std::size_t size) -> Result<std::size_t> {
                          const ssize_t n = read(file.fd(), buffer, size);
                          if (n < 0) return fail(std::strerror(errno), {}, path);
                          if (progress) progress->add(static_cast<std::size_t>(n));
                          return static_cast<std::size_t>(n);
                        });
}

// What unpacks the file, where it is packed otherwise than by gzip. Of a pipe nobody knows.
std::string_view program_for(const File& file) {
  std::array<char, kPackedHead> head{};
  const ssize_t n = pread(file.fd(), head.data(), head.size(), 0);
  return n > 0 ? etad::unpacked_by({head.data(), static_cast<std::size_t>(n)}) : std::string_view();
}

// `recognised` becomes true where the file was, now or earlier.
int import_file(const Common& common, const ImportOptions& options, const Company& company,
                const std::string& name, Summary* summary, bool& recognised) {
  const std::string path = name == "-" ? "/dev/stdin" : name;
  const File file(path);
  struct stat status {};
  if (file.fd() < 0 || fstat(file.fd(), &status) != 0) return cannot_read(path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return cannot_read(path, "is a folder: --recursive imports what is in it");
  if (const std::string program(program_for(file)); !program.empty()) {
    if (summary == nullptr) return cannot_read(path, "is packed; " + unpack_first(program));
    summary->pass_over();
    return kDone;
  }
  const auto response = send_file(common, options, company, path, file, status, summary == nullptr);
  if (!response) return unreachable(response.error());
  if (const auto report = object_in(response->body); report && response->ok())
    recognised = recognised || !text_of(*report, "format").empty() || is_true(*report, "already_read");
  if (summary == nullptr || common.json || !response->ok()) {
    if (summary != nullptr && !response->ok()) summary->refuse();
    return answered(
        common, *response, [&](const Object& report) { return import_text(path, report); }, path);
  }
  return answered(common, *response, [&](const Object& report) {
    summary->add(report);
    return std::string();
  });
}

// The files below a folder, in order. What can't be looked into is told and passed over; links to folders are
// not followed.
std::vector<std::string> files_below(const std::string& folder, int& worst) {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code gone;
    if (at->is_regular_file(gone)) out.push_back(at->path().string());
  }
  if (error) worst = std::max<int>(worst, cannot_read(folder, error.message()));
  std::sort(out.begin(), out.end());
  return out;
}

int import_folders(const Common& common, const ImportOptions& options, const Company& company) {
  int worst = kDone;
  std::vector<std::string> files;
  for (const std::string& path : options.files) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const auto below = files_below(path, worst);
    files.insert(files.end(), below.begin(), below.end());
  }
  Summary summary;
  bool recognised = files.empty();
  const bool shown = isatty(STDERR_FILENO) != 0;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (shown)
      std::cerr << "\r" << bar(static_cast<double>(i) / static_cast<double>(files.size()), 20) << " " << i
                << " of " << files.size() << " files, " << counted(summary.runs(), "run") << "  "
                << cut_head(printable(files[i]), 30) << "\033[K" << std::flush;
    const int code = import_file(common, options, company, files[i], &summary, recognised);
    if (code == kNoDaemon) return code;
    worst = std::max(worst, code);
  }
  if (shown) std::cerr << "\r\033[K" << std::flush;
  if (!common.json)
    std::cout << (files.empty() ? "There is no file in there.\n" : summary.text()) << std::flush;
  return recognised ? worst : std::max<int>(worst, kRefused);
}

}  // namespace

int import_files(const Common& common, const ImportOptions& options) {
  Parameters labels;
  for (const std::string& label : options.labels) {
    std::pair<std::string, std::string> pair;
    if (!key_and_value(label, pair)) return cannot_read(label, "is no label: they are given as NAME=VALUE");
    labels.emplace_back("label." + pair.first, pair.second);
  }
  if (!options.host.empty()) labels.emplace_back("label.host", options.host);
  const Company company{std::move(labels), names_beside(common)};
  if (options.recursive) return import_folders(common, options, company);
  int worst = kDone;
  bool recognised = false;
  for (const std::string& path : options.files) {
    const int code = import_file(common, options, company, path, nullptr, recognised);
    if (code == kNoDaemon) return code;
    worst = std::max(worst, code);
  }
  return recognised ? worst : std::max<int>(worst, kRefused);
}

}  // namespace etad::client
