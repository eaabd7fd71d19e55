// HTTP/1.1 on a Unix stream socket. One thread (the caller of `run`) serves all connections; whatever may block or take
// long (imports, refits, labels, reloads, all of a long run or trace) goes to a small worker pool.
//
//   auto server = Server::listen(options, backend, std::move(reader), live);   // binds; says why it can't
//   std::jthread service([&] { (*server)->run(); });
//   …
//   (*server)->changed();   // after each commit: wakes the watchers
//   (*server)->stop();      // any thread: no new connections, requests under way are finished, run() returns
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "daemon/service/backend.h"
#include "daemon/service/peer.h"
#include "parsers/base/error.h"
#include "prediction/live_runs.h"
#include "storage/history.h"

namespace etad::service {

// What a client can take from us, at most. Past each of these it gets a clear error and no more.
struct Limits {
  std::size_t header_bytes = 8 * 1024;
  std::size_t body_bytes = 1024 * 1024;         // imports are streamed and have no such limit
  std::size_t connections = 256;                // refused with 503 beyond
  std::size_t admin_connections = 16;           // on top of these, for those who may change things
  std::size_t imports = 4;                      // at a time
  std::size_t watchers = 64;                    // at a time
  std::size_t held_bytes = 32UL * 1024 * 1024;  // of bodies at work and answers not yet read, of all
  std::chrono::milliseconds idle{30'000};       // between requests, and between the pieces of an import
  std::chrono::milliseconds request{10'000};    // first byte of a request to its last (imports: header only)
  std::chrono::milliseconds write{10'000};      // for a client to take a whole response or watch event
  std::chrono::milliseconds watch_pause{200};   // between two looks for changes
  std::chrono::milliseconds watch_heartbeat{15'000};  // an empty line in a quiet watch: finds dead peers
  std::chrono::milliseconds drain{5'000};             // for requests under way when stopping
  std::chrono::milliseconds place_look{5'000};        // between two looks at the socket's file
};

struct Options {
  std::string socket_path;
  int inherited_fd = -1;         // a listening socket from the service manager; then the path is not touched
  bool world_accessible = true;  // mode 0666, else 0660
  std::optional<gid_t> socket_group;  // owner of the socket file; absent: the process's
  AccessPolicy access;
  Limits limits;
  std::string version;                      // of the daemon, for GET /v1
  bool private_runs = false;                // Router::Options
  std::string host;                         // this machine, as its runs are filed under
  std::function<Instant()> now;             // absent: the system's clock
  std::function<Peer(int socket)> peer_of;  // absent: service::peer_of
  // What goes wrong with the socket itself (accept failing, a handler throwing). Absent: nowhere.
  std::function<void(std::string_view message)> log;
};

class Server {
 public:
  // Binds and listens. A socket file nobody listens on is replaced; a living daemon's is not.
  // `backend` and `live` outlive the server; `reader` is used on the thread of run() only.
  static Result<std::unique_ptr<Server>> listen(Options options, Backend& backend,
                                                std::unique_ptr<Reader> reader, prediction::LiveRuns& live);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void run();      // serves until stop(); the socket file is removed at the end
  void stop();     // thread-safe, returns at once; more than once is once
  void changed();  // thread-safe, cheap: the history has news for the watchers

  // Liveness, for the service manager's watchdog: calls back on the service thread as soon as it gets to it.
  void ping(std::function<void()> answer);

 private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace etad::service
