// What all connections of one server share. Touched on the service thread only, but for the pool.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <string_view>

#include "daemon/service/held.h"
#include "daemon/service/router.h"
#include "daemon/service/server.h"
#include "daemon/service/turns.h"

namespace etad::service {

class Connection;

struct ServiceState {
  ServiceState(Options o, Backend& b, std::unique_ptr<Reader> r, prediction::LiveRuns& live);

  void log(std::string_view message) const {
    if (options.log) options.log(message);
  }

  Options options;
  Backend& backend;
  std::unique_ptr<Reader> reader;
  ServiceCounters counters;
  Router router;
  boost::asio::io_context io{1};
  Turns service_turns{io};  // whose request is next
  Held held{options.limits.held_bytes};
  static constexpr std::size_t kWorkers = 2;
  boost::asio::thread_pool pool{kWorkers};
  Turns worker_turns{io, kWorkers};     // whose job is next
  boost::asio::steady_timer drain{io};  // how long requests under way may take once we are stopping
  bool stopping = false;
  std::size_t imports = 0;                           // under way
  std::set<Connection*> connections;                 // open
  std::set<Connection*> watching;                    // those of them that are told of changes
  std::set<boost::asio::steady_timer*> news_timers;  // by which these wait
  std::uint64_t changes_seen = 0;                    // of the history: calls of `changed`
};

}  // namespace etad::service
