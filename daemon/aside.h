// What may take long, beside a thread that must wait for nobody: main, which answers the watchdog. One thing at a time.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace etad {

class Aside {
 public:
  // False: it is not begun, since something else is under way, or since there is no thread for it.
  bool begin(std::function<void()> work);

  // What was done before is seen by whoever is told that nothing is under way any more.
  bool is_busy() const { return busy_; }
  void wait();  // until nothing is

 private:
  std::atomic<bool> busy_{false};
  std::jthread thread_;  // its end is waited for at ours
};

}  // namespace etad
