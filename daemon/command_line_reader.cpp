#include "daemon/command_line_reader.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "daemon/command_line.h"
#include "daemon/system.h"

namespace etad {
namespace {

// What stands before the bytes of a message, either way; both ends are one program.
struct Header {
  std::uint32_t request = 0;
  std::uint32_t log = 0;
  std::uint32_t last = 0;
  std::uint32_t processes = 0, closed = 0;
  std::int64_t microseconds = 0;
};
constexpr std::size_t kMostRequest = 64 * 1024;  // bytes: some hundred paths, and at least sixteen

ssize_t send_message(int socket, const Header& header, std::string_view bytes, int flags) {
  std::array<iovec, 2> parts = {
      {{const_cast<Header*>(&header), sizeof header}, {const_cast<char*>(bytes.data()), bytes.size()}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  ssize_t sent = -1;
  do sent = sendmsg(socket, &message, MSG_NOSIGNAL | flags);
  while (sent < 0 && errno == EINTR);
  return sent;
}

// A message into `buffer`; how many bytes of it stand behind the header. 0 bytes read: the other end is closed.
ssize_t receive_message(int socket, Header& header, std::vector<char>& buffer, int flags) {
  std::array<iovec, 2> parts = {{{&header, sizeof header}, {buffer.data(), buffer.size()}}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  ssize_t size = -1;
  do size = recvmsg(socket, &message, flags);
  while (size < 0 && errno == EINTR);
  return size;
}

// Nothing but to look: it writes to no file, starts no process, and gains nothing by executing.
void give_up_the_rest() {
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const auto limit = [](auto resource, rlim_t most) {
    const rlimit both{most, most};
    setrlimit(resource, &both);
  };
  limit(RLIMIT_FSIZE, 0);
  limit(RLIMIT_NPROC, 0);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, 16);
}

void read_for_daemon(int socket, ProcessTable& table) {
  give_up_the_rest();
  std::vector<char> buffer(kMostRequest);
  while (true) {
    Header header;
    const ssize_t size = receive_message(socket, header, buffer, 0);
    if (size < static_cast<ssize_t>(sizeof header)) return;
    std::vector<std::string> logs;
    const std::string_view paths(buffer.data(), static_cast<std::size_t>(size) - sizeof header);
    for (std::size_t at = 0; at < paths.size(); at += logs.back().size() + 1)
      logs.emplace_back(paths.substr(at, paths.find('\0', at) - at));
    bool heard = true;
    const auto begun = system::thread_time();
    const auto counts = read_command_lines(table, logs, [&](std::size_t log, const std::string& line) {
      header.log = static_cast<std::uint32_t>(log);
      heard = heard && send_message(socket, header, line, 0) >= 0;
    });
    const auto spent = std::chrono::floor<std::chrono::microseconds>(system::thread_time() - begun);
    header.last = 1;
    header.microseconds = spent.count();
    header.processes = static_cast<std::uint32_t>(counts.seen);
    header.closed = static_cast<std::uint32_t>(counts.closed);
    if (!heard || send_message(socket, header, {}, 0) < 0) return;
  }
}

class ForkedReader final : public CommandLineReader {
 public:
  explicit ForkedReader(std::unique_ptr<HelperProcess> process) : process_(std::move(process)) {}
  ~ForkedReader() override { process_->kill(); }  // a file system that answers nobody may hold it

  Result<std::size_t> ask(const std::vector<std::string>& logs) override {
    std::string paths;
    std::size_t asked = 0;
    for (; asked < logs.size() && paths.size() + logs[asked].size() < kMostRequest; ++asked)
      paths.append(logs[asked]).push_back('\0');
    const Header header{++request_};
    if (send_message(process_->socket(), header, paths, MSG_DONTWAIT) >= 0) return asked;
    if (errno == EAGAIN) return std::size_t{0};
    return gone();
  }

  Result<std::optional<Part>> take() override {
    while (true) {
      Header header;
      const ssize_t size = receive_message(process_->socket(), header, buffer_, MSG_DONTWAIT);
      if (size < 0 && errno == EAGAIN) return std::optional<Part>();
      if (size < static_cast<ssize_t>(sizeof header)) return gone();
      if (header.request != request_) continue;  // of what somebody before asked, who is not there any more
      Part part;
      part.log = header.log;
      part.command_line.assign(buffer_.data(), static_cast<std::size_t>(size) - sizeof header);
      part.last = header.last != 0;
      part.processes = header.processes;
      part.closed = header.closed;
      part.spent = std::chrono::microseconds(header.microseconds);
      return std::optional(std::move(part));
    }
  }

  int descriptor() const override { return process_->socket(); }

 private:
  static tl::unexpected<Error> gone() {
    return fail("the process that reads command lines is gone: runs lack what theirs would say",
                "restart etad");
  }

  std::unique_ptr<HelperProcess> process_;
  std::uint32_t request_ = 0;
  std::vector<char> buffer_ = std::vector<char>(ProcessTable::kLongestCommandLine);
};

}  // namespace

Result<std::unique_ptr<CommandLineReader>> CommandLineReader::start(std::unique_ptr<ProcessTable> table) {
  auto process =
      HelperProcess::start("reading command lines", [&](int socket) { read_for_daemon(socket, *table); });
  if (!process) return tl::unexpected(process.error());
  return std::make_unique<ForkedReader>(std::move(*process));
}

}  // namespace etad
