#include "daemon/client/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <iostream>

namespace etad::client {
namespace {

constexpr std::array kSignals = {SIGWINCH, SIGCONT, SIGINT, SIGTERM, SIGHUP};

volatile std::sig_atomic_t resized = 0, ended = 0;

extern "C" void note_signal(int signal) {
  (signal == SIGWINCH || signal == SIGCONT ? resized : ended) = 1;
}

std::size_t rows_of_screen() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 ? size.ws_row : 24;
}

}  // namespace

Terminal::Terminal() {
  resized = 0;
  ended = 0;
  // They are let in only while we wait, so that none is missed between a look at the flags and the wait.
  sigset_t ours;
  sigemptyset(&ours);
  struct sigaction action {};
  action.sa_handler = note_signal;
  for (const int each : kSignals) {
    sigaddset(&ours, each);
    sigaction(each, &action, nullptr);
  }
  sigprocmask(SIG_BLOCK, &ours, &mask_before_);
  keys_ = isatty(STDIN_FILENO) != 0 && tcgetpgrp(STDIN_FILENO) == getpgrp() &&
          tcgetattr(STDIN_FILENO, &before_) == 0;
  take_keys();
  std::cout << "\033[?1049h\033[?25l" << std::flush;  // a screen of its own, without a cursor
}

Terminal::~Terminal() {
  std::cout << "\033[?25h\033[?1049l" << last_ << std::flush;
  if (keys_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (const int each : kSignals) sigaction(each, &action, nullptr);
  sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

void Terminal::take_keys() {
  if (!keys_) return;
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

Terminal::Event Terminal::wait(int descriptor, std::chrono::milliseconds most) {
  std::array<pollfd, 2> looked{{{descriptor, POLLIN, 0}, {keys_ ? STDIN_FILENO : -1, POLLIN, 0}}};
  const timespec patience{most.count() / 1000, most.count() % 1000 * 1'000'000};
  const int n = ppoll(looked.data(), looked.size(), &patience, &mask_before_);
  if (ended != 0) return Event::quit;
  if (resized != 0) {
    resized = 0;
    take_keys();  // whoever stopped us may have taken them
    drawn_.clear();
    return Event::resized;
  }
  if (n <= 0) return Event::none;
  if (looked[1].revents != 0) {
    std::array<char, 16> keys{};
    const ssize_t got = read(STDIN_FILENO, keys.data(), keys.size());
    if (got <= 0) keys_ = false;  // hung up
    for (ssize_t i = 0; i < got; ++i) {
      const char key = keys.at(static_cast<std::size_t>(i));
      if (key == 'q' || key == 'Q') return Event::quit;
    }
  }
  return looked[0].revents != 0 ? Event::readable : Event::none;
}

void Terminal::draw(const std::string& text) {
  if (text == drawn_) return;
  std::string out = drawn_.empty() ? "\033[2J\033[H" : "\033[H";  // lines of another width may have wrapped
  drawn_ = text;
  std::size_t room = rows_of_screen();
  for (std::size_t from = 0, end = 0; (end = text.find('\n', from)) != std::string::npos && room > 0;
       from = end + 1) {
    out += (from > 0 ? "\n" : "") + text.substr(from, end - from) + "\033[K";
    --room;
  }
  std::cout << out << "\033[J" << std::flush;
}

}  // namespace etad::client
