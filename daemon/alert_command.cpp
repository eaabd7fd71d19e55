#include "daemon/alert_command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

namespace etad {
namespace {

// How a command ended, as the process tells it in one message.
struct Outcome {
  enum class Kind : int { done, not_started, status, killed, too_late } kind = Kind::done;
  int value = 0;  // errno, exit status or signal
};

// In the child between fork and exec: what fails here is written to `report`.
[[noreturn]] void execute(const std::vector<char*>& arguments, int input, int report) {
  setpgid(0, 0);
  for (const int signal : {SIGPIPE, SIGTERM, SIGINT, SIGHUP}) std::signal(signal, SIG_DFL);
  dup2(input, STDIN_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);  // both to where the daemon's own messages go
  execv(arguments[0], arguments.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t told = write(report, &error, sizeof error);
  _exit(127);
}

// What the command is to read, on its way through a pipe that may take less than all of it at once: of a user who has
// many pipes the kernel gives each one page.
class Input {
 public:
  Input(int pipe, std::string_view text) : pipe_(pipe), left_(text) { fcntl(pipe, F_SETFL, O_NONBLOCK); }
  ~Input() { end(); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  int pipe() const { return pipe_; }  // -1: it has all, or reads no more
  // As much as the pipe takes now.
  void give() {
    while (pipe_ >= 0 && !left_.empty()) {
      const ssize_t written = write(pipe_, left_.data(), left_.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0 && errno == EAGAIN) return;
      left_.remove_prefix(written < 0 ? left_.size() : static_cast<std::size_t>(written));
    }
    end();
  }

 private:
  void end() {
    if (pipe_ >= 0) close(pipe_);
    pipe_ = -1;
  }

  int pipe_;
  std::string_view left_;
};

// Waits for the command, its time, or the daemon's end.
Outcome wait_for(pid_t child, int socket, Input& input, std::chrono::milliseconds timeout) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0U));
  const auto end = std::chrono::steady_clock::now() + timeout;
  bool ended = false, goes_on = true;
  while (goes_on) {
    input.give();
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    std::array<pollfd, 3> events = {
        {{handle, POLLIN, 0}, {socket, POLLRDHUP, 0}, {input.pipe(), POLLOUT, 0}}};
    const int ready = poll(events.data(), events.size(), static_cast<int>(std::max<std::int64_t>(left, 0)));
    ended = handle >= 0 && ready > 0 && events[0].revents != 0;
    goes_on = !ended && ready > 0 && events[1].revents == 0;  // it takes more
  }
  if (handle >= 0) close(handle);
  if (!ended) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!ended) return {Outcome::Kind::too_late, 0};
  if (WIFSIGNALED(status)) return {Outcome::Kind::killed, WTERMSIG(status)};
  const int code = WEXITSTATUS(status);
  return code == 0 ? Outcome{} : Outcome{Outcome::Kind::status, code};
}

Outcome run_once(const std::vector<char*>& arguments, std::string_view text, int socket,
                 std::chrono::milliseconds timeout) {
  std::array<int, 2> to_command{}, report{};
  if (pipe2(to_command.data(), O_CLOEXEC) != 0) return {Outcome::Kind::not_started, errno};
  if (pipe2(report.data(), O_CLOEXEC) != 0) {
    close(to_command[0]);
    close(to_command[1]);
    return {Outcome::Kind::not_started, errno};
  }
  Input input(to_command[1], text);
  const pid_t child = fork();
  const int fork_error = errno;
  if (child == 0) execute(arguments, to_command[0], report[1]);
  if (child > 0) setpgid(child, child);  // by both: whoever comes first
  close(to_command[0]);
  close(report[1]);
  int error = 0;
  const bool failed = child > 0 && read(report[0], &error, sizeof error) == sizeof error;  // until the exec
  close(report[0]);
  if (child < 0) return {Outcome::Kind::not_started, fork_error};
  const Outcome outcome = wait_for(child, socket, input, timeout);
  return failed ? Outcome{Outcome::Kind::not_started, error} : outcome;
}

// All that the process ever does.
void run_for_alerts(int socket, std::vector<std::string> command, std::chrono::milliseconds timeout) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<char> input(AlertCommand::kMostInput);
  while (true) {
    const ssize_t size = recv(socket, input.data(), input.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    const Outcome outcome =
        run_once(arguments, {input.data(), static_cast<std::size_t>(size)}, socket, timeout);
    if (send(socket, &outcome, sizeof outcome, MSG_NOSIGNAL) != sizeof outcome) return;
  }
}

}  // namespace

Result<void> AlertCommand::check(const std::vector<std::string>& command) {
  if (access(command.front().c_str(), X_OK) == 0) return {};
  return fail("[alerts] command: it can't be executed: " + std::string(std::strerror(errno)),
              "an absolute path of a program that the daemon's user may execute", command.front());
}

Result<std::unique_ptr<AlertCommand>> AlertCommand::start(const std::vector<std::string>& command,
                                                          std::chrono::milliseconds timeout) {
  auto process = HelperProcess::start("the alerts' command",
                                      [&](int socket) { run_for_alerts(socket, command, timeout); });
  if (!process) return tl::unexpected(process.error());
  return std::unique_ptr<AlertCommand>(new AlertCommand(std::move(*process), command.front()));
}

Result<void> AlertCommand::run(const std::string& input) {
  const auto failed = [this](const std::string& why, std::string hint = {}) {
    return fail("the command " + why, std::move(hint), program_);
  };
  Outcome outcome;
  const std::size_t size = std::min(input.size(), kMostInput);
  const int socket = process_->socket();
  if (send(socket, input.data(), size, MSG_NOSIGNAL) < 0 ||
      recv(socket, &outcome, sizeof outcome, 0) != sizeof outcome)
    return failed("can't be run any more: the process that does it is gone", "restart etad");
  switch (outcome.kind) {
    case Outcome::Kind::done:
      return {};
    case Outcome::Kind::not_started:
      return failed(std::string("can't be executed: ") + std::strerror(outcome.value),
                    "systemd's unit has to allow it: see docs/operations.md, Alerts");
    case Outcome::Kind::status:
      return failed("ended with status " + std::to_string(outcome.value));
    case Outcome::Kind::killed:
      return failed("was killed by signal " + std::to_string(outcome.value));
    case Outcome::Kind::too_late:
      return failed("took too long and was killed", "[alerts] timeout");
  }
  return {};
}

}  // namespace etad
