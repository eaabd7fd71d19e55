// A small process beside the daemon, for one thing that the daemon may not do once it has confined itself
// (confinement.h). It ends with the daemon, however that ends.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>

#include "parsers/base/error.h"

namespace etad {

class HelperProcess {
 public:
  // Forks it: before the confinement, and before there are threads. `serve` is all that it does: it is given one end
  // of a socket that keeps messages apart, the only descriptor beside the standard ones, and returns when the other
  // end is closed. `purpose`: "the alerts' command", for an error.
  static Result<std::unique_ptr<HelperProcess>> start(const std::string& purpose,
                                                      const std::function<void(int socket)>& serve);
  ~HelperProcess();  // ends it, and waits for that
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

  int socket() const { return socket_; }
  void kill() const;  // for one that may be at something that takes long

 private:
  HelperProcess(int socket, pid_t process) : socket_(socket), process_(process) {}

  int socket_;
  pid_t process_;
};

}  // namespace etad
