// The terminal for a view that is drawn again and again: on the alternate screen, with keys read without Enter and told
// when its size changes. The destructor puts everything back, also after a signal asked for the end.
#pragma once

#include <signal.h>
#include <termios.h>

#include <chrono>
#include <string>

namespace etad::client {

class Terminal {
 public:
  Terminal();  // one at a time
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  enum class Event { none, readable, resized, quit };
  // Waits until something can be read from `descriptor` (-1: there is nothing to read from), q is pressed, a
  // signal comes, or the time is up.
  Event wait(int descriptor, std::chrono::milliseconds most);

  // Instead of the last picture: as many of its lines as there is room for.
  void draw(const std::string& text);
  // The last picture stays on the screen that was there before.
  void leave_behind(const std::string& text) { last_ = text; }

 private:
  void take_keys();

  bool keys_ = false;  // whether stdin is a terminal of which we are in the foreground
  termios before_{};
  sigset_t mask_before_{};
  std::string drawn_, last_;
};

}  // namespace etad::client
