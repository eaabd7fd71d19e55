#include "daemon/helper_process.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

namespace etad {
namespace {

void close_all_but(int kept) {
  // Not the C library's close_range(): the call may be filtered, and then each is closed by itself.
  const auto close_from_to = [](unsigned from, unsigned to) {
    if (from > to || syscall(SYS_close_range, from, to, 0U) == 0) return;
    for (unsigned fd = from; fd <= to && fd < 65'536; ++fd) close(static_cast<int>(fd));
  };
  const auto middle = static_cast<unsigned>(kept);
  close_from_to(3, middle - 1);
  close_from_to(middle + 1, ~0U);
}

// All that the process ever does.
[[noreturn]] void be_helper(int socket, const std::function<void(int)>& serve) noexcept {
  for (const char* ours :
       {"NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"})
    unsetenv(ours);
  if (chdir("/") != 0) _exit(1);
  close_all_but(socket);
  fcntl(socket, F_SETFD, FD_CLOEXEC);
  // Those that end the daemon reach its whole group, and it may still need us while it stops.
  for (const int signal : {SIGPIPE, SIGTERM, SIGINT, SIGHUP}) std::signal(signal, SIG_IGN);
  sigset_t none;  // what the daemon blocks would stay blocked in every command that is run
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  serve(socket);
  _exit(0);
}

}  // namespace

Result<std::unique_ptr<HelperProcess>> HelperProcess::start(const std::string& purpose,
                                                            const std::function<void(int socket)>& serve) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return fail("no socket for " + purpose + ": " + std::strerror(errno));
  const pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    be_helper(ends[1], serve);
  }
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return fail("no process for " + purpose + ": " + std::strerror(errno));
  }
  return std::unique_ptr<HelperProcess>(new HelperProcess(ends[0], process));
}

HelperProcess::~HelperProcess() {
  close(socket_);  // the process ends by that
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void HelperProcess::kill() const {
  ::kill(process_, SIGKILL);
}

}  // namespace etad
