#include "daemon/aside.h"

#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "daemon/log.h"

namespace etad {

bool Aside::begin(std::function<void()> work) {
  if (busy_) return false;
  wait();
  busy_ = true;
  try {
    thread_ = std::jthread([this, work = std::move(work)] {
      try {
        work();
      } catch (const std::exception& defect) {
        log::error(std::string("unexpectedly: ") + defect.what());
      }
      busy_ = false;
    });
  } catch (const std::system_error&) {
    busy_ = false;
    return false;
  }
  return true;
}

void Aside::wait() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace etad
