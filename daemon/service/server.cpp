#include "daemon/service/server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <limits>
#include <new>
#include <utility>

#include "daemon/service/connection.h"
#include "daemon/service/listener.h"
#include "daemon/service/places.h"

namespace etad::service {
namespace {

namespace asio = boost::asio;
using asio::redirect_error;
using asio::use_awaitable;
using Acceptor = asio::local::stream_protocol::acceptor;

// Of those who knock so many are let in between two answers. With one, whoever knocks behind a user's two hundred
// would wait for two hundred answers before it is seen whose turn it is.
constexpr int kLetInAtOnce = 64;
// So many are looked at for that: who has closed again is passed over, and costs half as much as one who is let in.
constexpr int kSeenAtOnce = 256;

// Whether it has closed, and has asked nothing.
bool is_gone(int socket) {
  char byte = 0;
  return recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
}

Instant system_now() {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

Result<Listener> bind_as_asked(const Options& options) {
  return Listener::bind(options.socket_path, options.world_accessible ? 0666 : 0660, options.socket_group);
}

Options completed(Options options) {
  if (!options.now) options.now = system_now;
  if (!options.peer_of) options.peer_of = service::peer_of;
  return options;
}

}  // namespace

ServiceState::ServiceState(Options o, Backend& b, std::unique_ptr<Reader> r, prediction::LiveRuns& live)
    : options(completed(std::move(o))),
      backend(b),
      reader(std::move(r)),
      router({options.version, options.now, [this] { return counters; }, options.host, options.private_runs},
             backend, *reader, live) {}

struct Server::Impl {
  Impl(Options options, Backend& backend, std::unique_ptr<Reader> reader, prediction::LiveRuns& live,
       Listener l)
      : state(std::move(options), backend, std::move(reader), live),
        listener(std::move(l)),
        acceptor(state.io, asio::local::stream_protocol(), listener.release()),
        retry(state.io),
        next_look(state.io) {}

  asio::awaitable<void> accept();
  asio::awaitable<void> watch_file();
  void look_at_file();
  void take(Connection::Socket socket);
  bool take_if_there(Connection::Socket socket);
  void take_those_who_knock(int most);
  void refuse(Connection::Socket socket);
  void begin_to_stop();
  void take_waiting();

  ServiceState state;
  Listener listener;
  Acceptor acceptor;
  asio::steady_timer retry;      // after an accept that failed for want of descriptors or memory
  asio::steady_timer next_look;  // at the socket's file
  std::string told_of_file;      // what the log last said of it; empty: nothing
  std::atomic<bool> change_announced = false;
};

asio::awaitable<void> Server::Impl::accept() {
  bool complained = false;
  while (!state.stopping) {
    boost::system::error_code error;
    Connection::Socket socket = co_await acceptor.async_accept(redirect_error(use_awaitable, error));
    if (!error) {
      complained = false;
      try {
        take_if_there(std::move(socket));
        take_those_who_knock(kLetInAtOnce);
      } catch (const std::exception& defect) {  // std::bad_alloc above all: of one connection, not of all
        state.log(std::string("a connection could not be taken: ") + defect.what());
      }
      continue;
    }
    const bool listens_anew = error == asio::error::operation_aborted;
    if (state.stopping || listens_anew || error == asio::error::connection_aborted) continue;
    if (!std::exchange(complained, true)) state.log("no connection can be accepted: " + error.message());
    // Out of descriptors: who waits for nothing gives his to who has something to ask.
    if (Connection* const idle = longest_idle(state.connections)) {
      idle->abort();
      ++state.counters.refused_connections;
    }
    retry.expires_after(std::chrono::milliseconds{100});
    co_await retry.async_wait(redirect_error(use_awaitable, error));
  }
}

asio::awaitable<void> Server::Impl::watch_file() {
  while (!state.stopping) {
    boost::system::error_code ignored;
    next_look.expires_after(state.options.limits.place_look);
    co_await next_look.async_wait(redirect_error(use_awaitable, ignored));
    if (!state.stopping) look_at_file();
  }
}

// Without its file nobody comes to a socket: it is made anew, or, where that is the service manager's, or can't be done,
// told. Whoever is connected goes on.
void Server::Impl::look_at_file() {
  const std::string& path = listener.path();
  if (listener.is_under_its_path()) {
    if (!std::exchange(told_of_file, {}).empty()) state.log(path + ": the socket is there again");
    return;
  }
  const auto tell = [&](const std::string& text) {
    if (std::exchange(told_of_file, text) != text) state.log(text);
  };
  if (state.options.inherited_fd >= 0)
    return tell(path +
                ": the socket's file is gone: nobody can connect (it is the service manager's: "
                "systemctl restart etad.socket)");
  auto made = bind_as_asked(state.options);
  if (!made)
    return tell("the socket's file is gone, and no other can be made: " + made.error().text() +
                " (if its folder was made anew: restart the daemon, which writes only where it began to)");
  boost::system::error_code ignored;
  take_those_who_knock(std::numeric_limits<int>::max());
  acceptor.close(ignored);
  listener = std::move(*made);
  acceptor.assign(asio::local::stream_protocol(), listener.release());
  told_of_file.clear();
  state.log(path + ": the socket's file was gone, and has been made anew");
}

void Server::Impl::take(Connection::Socket socket) {
  const Limits& limits = state.options.limits;
  const Peer peer = state.options.peer_of(socket.native_handle());
  const bool may_change = state.options.access.may_change(peer);
  // Some places are kept for those who may change things: others can't lock them out.
  const std::size_t most = limits.connections + (may_change ? limits.admin_connections : 0);
  if (state.connections.size() >= most) {
    Connection* const other = one_to_go(state.connections, peer.uid);
    if (other == nullptr) return refuse(std::move(socket));
    ++state.counters.refused_connections;
    other->abort();
  }
  auto connection = std::make_shared<Connection>(state, std::move(socket), peer.uid, may_change);
  asio::co_spawn(state.io, serve(connection), [this](std::exception_ptr failure) {
    if (!failure) return;
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      state.log(std::string("a connection failed unexpectedly: ") + error.what());
    }
  });
}

// Says why and closes, without waiting for anything: whoever comes in crowds must cost nothing. What the
// client has sent already is taken, because closing on unread bytes would reset the connection.
void Server::Impl::refuse(Connection::Socket socket) {
  ++state.counters.refused_connections;
  static const std::string kRefusal = refusal_of_connection();
  const int fd = socket.native_handle();
  std::array<char, 4096> discarded{};
  if (send(fd, kRefusal.data(), kRefusal.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0) return;
  for (int i = 0; i < 4 && recv(fd, discarded.data(), discarded.size(), MSG_DONTWAIT) > 0; ++i) {
  }
}

// Those who wait to be let in. At the service manager's socket they wait for the next daemon.
void Server::Impl::take_waiting() {
  if (state.options.inherited_fd >= 0) return;
  listener.remove_file();  // so that there come no more
  take_those_who_knock(std::numeric_limits<int>::max());
}

void Server::Impl::take_those_who_knock(int most) {
  boost::system::error_code error;
  acceptor.non_blocking(true, error);
  int taken = 0;
  for (int seen = 0; taken < most && seen < std::max(most, kSeenAtOnce) && !error; ++seen) {
    Connection::Socket socket = acceptor.accept(error);
    if (!error && take_if_there(std::move(socket))) ++taken;
  }
}

bool Server::Impl::take_if_there(Connection::Socket socket) {
  const bool is_there = !is_gone(socket.native_handle());
  if (is_there) take(std::move(socket));
  return is_there;
}

void Server::Impl::begin_to_stop() {
  if (std::exchange(state.stopping, true)) return;
  boost::system::error_code ignored;
  take_waiting();
  acceptor.close(ignored);
  retry.cancel();
  next_look.cancel();
  for (Connection* each : state.connections) each->hurry_if_idle();
  for (asio::steady_timer* each : state.news_timers) each->cancel();
  if (state.connections.empty()) return;
  state.drain.expires_after(state.options.limits.drain);
  state.drain.async_wait([this](boost::system::error_code error) {
    if (error) return;
    for (Connection* each : std::set<Connection*>(state.connections)) each->abort();
  });
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() {
  if (impl_) impl_->state.pool.join();
}

Result<std::unique_ptr<Server>> Server::listen(Options options, Backend& backend,
                                               std::unique_ptr<Reader> reader, prediction::LiveRuns& live) {
  auto listener = options.inherited_fd >= 0 ? Listener::adopt(options.inherited_fd) : bind_as_asked(options);
  if (!listener) return tl::unexpected(listener.error());
  auto impl =
      std::make_unique<Impl>(std::move(options), backend, std::move(reader), live, std::move(*listener));
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

void Server::run() {
  asio::co_spawn(impl_->state.io, impl_->accept(), asio::detached);
  asio::co_spawn(impl_->state.io, impl_->watch_file(), asio::detached);
  while (!impl_->state.io.stopped()) {
    try {
      impl_->state.io.run();
    } catch (const std::exception& defect) {  // of one handler; the others go on
      impl_->state.log(std::string("the service failed unexpectedly, and goes on: ") + defect.what());
    }
  }
  impl_->state.pool.join();
  impl_->listener.remove_file();
}

void Server::stop() {
  asio::post(impl_->state.io, [impl = impl_.get()] { impl->begin_to_stop(); });
}

void Server::changed() {
  if (impl_->change_announced.exchange(true)) return;
  try {
    asio::post(impl_->state.io, [impl = impl_.get()] {
      impl->change_announced = false;
      ++impl->state.changes_seen;
      for (asio::steady_timer* each : impl->state.news_timers) each->cancel();
    });
  } catch (const std::bad_alloc&) {
    impl_->change_announced = false;  // it is told with the next one
  }
}

void Server::ping(std::function<void()> answer) {
  try {
    asio::post(impl_->state.io, std::move(answer));
  } catch (const std::bad_alloc&) {  // who asks hears nothing, as of a thread that is busy
  }
}

}  // namespace etad::service
