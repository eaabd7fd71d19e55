// etactl --fleet: a server of one's own over the fleet's database, for as long as a command takes.
#pragma once

#include <sys/types.h>

#include <string>

#include "parsers/base/error.h"

namespace etad::client {

class FleetServer {
 public:
  // `database`: a connection string or URI of libpq, or the name of a service in its pg_service.conf. Blocks until
  // the server answers, which may fit models first; what goes wrong there stands on stderr.
  static Result<FleetServer> start(const std::string& database);
  FleetServer(FleetServer&& other) noexcept;
  FleetServer& operator=(FleetServer&&) = delete;
  ~FleetServer();  // ends it

  std::string socket() const { return folder_ + "/socket"; }

 private:
  FleetServer(pid_t process, std::string folder) : process_(process), folder_(std::move(folder)) {}

  pid_t process_ = -1;
  std::string folder_;
};

}  // namespace etad::client
