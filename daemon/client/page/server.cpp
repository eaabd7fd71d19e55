#include "daemon/client/page/server.h"

#include <poll.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "daemon/client/link/http_client.h"
#include "daemon/client/page/asker.h"
#include "daemon/client/page/gate.h"
#include "threads/mutex.h"

namespace etad::client {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

constexpr std::size_t kMostGuests = 32;     // connections that have shown the session: a browser keeps six
constexpr std::size_t kMostStrangers = 32;  // that have not
constexpr std::chrono::seconds kPatience{30};
// Who knocks without pause fills a queue of any length. Where it is short others' browsers knock again a second later;
// a long one they would have to wait through, and none has that patience.
constexpr int kQueue = 16;

// What every answer says of itself: it is for this page alone, and holds no script but its files.
template <class Message>
void harden(Message& message) {
  message.set(http::field::server, "etactl");
  message.set(http::field::cache_control, "no-store");
  message.set(
      "Content-Security-Policy",
      "default-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'");
  message.set("X-Content-Type-Options", "nosniff");
  message.set("Referrer-Policy", "no-referrer");
  message.set("Cross-Origin-Resource-Policy", "same-origin");
  message.set("Cross-Origin-Opener-Policy", "same-origin");
}

using TextResponse = http::response<http::string_body>;

TextResponse text_response(unsigned status, std::string_view type, std::string body) {
  TextResponse out;
  out.version(11);
  out.result(status);
  out.set(http::field::content_type, beast::string_view(type.data(), type.size()));
  out.body() = std::move(body);
  harden(out);
  return out;
}

bool is_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= ' ' && c < 0x7f; });
}

std::string_view view_of(beast::string_view text) {
  return {text.data(), text.size()};
}

TcpEnd end_of(const tcp::endpoint& endpoint) {
  return {
      endpoint.address().is_v4() ? endpoint.address().to_v4().to_bytes() : asio::ip::address_v4::bytes_type{},
      endpoint.port()};
}

// What all connections share.
struct Server {
  std::string socket;
  const PageAssets& assets;
  const OwnUsers users;
  Mutex mutex;
  PageGate gate GUARDED_BY(mutex);
  std::list<beast::tcp_stream*> strangers GUARDED_BY(mutex) = {};  // the oldest first
  std::set<beast::tcp_stream*> guests GUARDED_BY(mutex) = {};

  // Every user of the machine can hold connections open. They take nobody's place: of too many that have shown no
  // session the oldest is closed, on its own thread.
  void comes(beast::tcp_stream& stream) {
    const Lock lock(mutex);
    strangers.push_back(&stream);
    if (strangers.size() <= kMostStrangers) return;
    asio::post(strangers.front()->get_executor(), [oldest = strangers.front()] { oldest->close(); });
    strangers.pop_front();
  }

  void goes(beast::tcp_stream& stream) {
    const Lock lock(mutex);
    strangers.remove(&stream);
    guests.erase(&stream);
  }

  // It has shown the session. False where too many have.
  bool is_guest(beast::tcp_stream& stream) {
    const Lock lock(mutex);
    strangers.remove(&stream);
    return guests.contains(&stream) || (guests.size() < kMostGuests && guests.insert(&stream).second);
  }

  std::string address() {
    const Lock lock(mutex);
    return gate.address();
  }

  PageDecision decide(const http::request<http::empty_body>& request, const std::function<bool()>& is_own) {
    const Lock lock(mutex);
    return gate.decide({view_of(request.method_string()), view_of(request.target()),
                        view_of(request[http::field::host]), view_of(request[http::field::origin]),
                        view_of(request[http::field::cookie]), view_of(request["Sec-Fetch-Site"]),
                        view_of(request["Sec-Fetch-Mode"]), view_of(request["Sec-Fetch-Dest"])},
                       is_own);
  }
};

// One connection, on a thread of its own: a person's browser opens few, and blocking code is plain to read.
class Connection {
 public:
  Connection(Server& server, std::unique_ptr<asio::io_context> io, tcp::socket socket)
      : server_(server), io_(std::move(io)), stream_(std::move(socket)) {}

  void run() {
    server_.comes(stream_);
    beast::flat_buffer buffer;
    while (alive_) {
      http::request_parser<http::empty_body> parser;
      parser.header_limit(16 * 1024);
      if (wait([&](auto done) { http::async_read(stream_, buffer, parser, done); })) break;
      const auto& request = parser.get();
      alive_ = request.keep_alive();
      const PageDecision decision = server_.decide(request, [this] { return is_own(); });
      if (!std::holds_alternative<Refuse>(decision) && !server_.is_guest(stream_)) break;
      std::visit([this](const auto& what) { answer(what); }, decision);
    }
    server_.goes(stream_);
    beast::error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
  }

 private:
  // Starts an operation and waits until it is done, or its time is up: only an asynchronous one has a limit.
  template <class Start>
  beast::error_code wait(const Start& start) {
    beast::error_code result = asio::error::timed_out;
    stream_.expires_after(kPatience);
    start([&result](beast::error_code error, std::size_t) { result = error; });
    io_->restart();
    io_->run();
    return result;
  }

  void send(TextResponse response) {
    response.keep_alive(alive_);
    response.prepare_payload();
    if (wait([&](auto done) { http::async_write(stream_, response, done); })) alive_ = false;
  }

  // Asked once: a connection does not change hands.
  bool is_own() {
    if (!own_) {
      beast::error_code error;
      const auto there = stream_.socket().remote_endpoint(error),
                 here = stream_.socket().local_endpoint(error);
      own_ = !error && server_.users.contains(owner_of(end_of(there), end_of(here)));
    }
    return *own_;
  }

  void answer(const Refuse& refuse) {
    send(text_response(refuse.status, "text/plain; charset=utf-8", refuse.why + "\n"));
  }

  void answer(const Welcome& welcome) {
    TextResponse response = text_response(303, "text/plain; charset=utf-8", "");
    response.set(http::field::set_cookie, welcome.cookie);
    response.set(http::field::location, "/");
    send(std::move(response));
  }

  void answer(const ServeFile& file) {
    auto content = server_.assets.read(file.name);
    if (!content) return answer(Refuse{404, content.error().text()});
    send(text_response(200, content_type(file.name), std::move(*content)));
  }

  void answer(const AskDaemon& ask) {
    auto client = HttpClient::connect(server_.socket);
    if (!client) return unavailable(client.error());
    if (ask.stream) return relay(*client, ask.target);
    auto response = client->get(ask.target);
    if (!response) return unavailable(response.error());
    auto out =
        text_response(response->status, response->ok() ? "application/json" : "application/problem+json",
                      std::move(response->body));
    if (is_printable(server_.socket)) out.set("Etad-Socket", server_.socket);  // for commands to copy
    send(std::move(out));
  }

  // Waits until the daemon has something to say. False where the browser went first: a page that is left ends
  // its watch at once, or a few quick steps through the screens would use up all connections.
  bool browser_stays_until(int daemon) {
    std::array<pollfd, 2> both{{{daemon, POLLIN, 0}, {stream_.socket().native_handle(), POLLIN, 0}}};
    while (poll(both.data(), both.size(), -1) < 0 && errno == EINTR) {
    }
    return both[1].revents == 0;  // it has asked all it wants: what comes is its end
  }

  void unavailable(const Error& error) {
    send(text_response(503, "application/problem+json",
                       boost::json::serialize(boost::json::object{
                           {"title", "No daemon"}, {"status", 503}, {"detail", error.text()}})));
  }

  // A watch, handed on line by line until either side goes.
  void relay(HttpClient& client, const std::string& target) {
    bool begun = false;
    const auto hand_on = [&](std::string_view line) {
      beast::error_code error;
      if (!std::exchange(begun, true)) {
        http::response<http::empty_body> head{http::status::ok, 11};
        head.set(http::field::content_type, "application/x-ndjson");
        harden(head);
        head.chunked(true);
        http::response_serializer<http::empty_body> serializer(head);
        error = wait([&](auto done) { http::async_write_header(stream_, serializer, done); });
      }
      const std::string text = std::string(line) + "\n";
      if (!error)
        error =
            wait([&](auto done) { asio::async_write(stream_, http::make_chunk(asio::buffer(text)), done); });
      return !error;
    };
    const auto response = client.watch(target, hand_on, /*heartbeats=*/true,
                                       [this](int daemon) { return browser_stays_until(daemon); });
    alive_ = false;  // a stream that ended ends its connection: the page opens another
    if (begun) return;
    if (!response) return unavailable(response.error());
    send(text_response(response->status, "application/problem+json", response->body));
  }

  Server& server_;
  std::unique_ptr<asio::io_context> io_;  // of this connection alone; outlives the stream
  beast::tcp_stream stream_;
  bool alive_ = true;
  std::optional<bool> own_;
};

}  // namespace

std::string page_secret() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    throw std::runtime_error("the system has no random numbers");
  }
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : bytes) {
    out += kHex[byte >> 4U];
    out += kHex[byte & 0xFU];
  }
  return out;
}

Result<void> serve_page(const PageOptions& options, const PageAssets& assets,
                        const std::function<void(const std::string& address)>& ready) {
  asio::io_context io;
  tcp::acceptor acceptor(io);
  const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), options.port);
  beast::error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(kQueue, error);
  if (error) {
    return fail("the page can't be served: " + error.message(), "choose another --port, or none",
                "127.0.0.1:" + std::to_string(options.port));
  }
  // Threads that are answering when the process ends may still look at it: it is never destroyed.
  auto* const server = new Server{options.socket,
                                  assets,
                                  OwnUsers(geteuid(), std::getenv("SUDO_UID")),
                                  {},
                                  PageGate(acceptor.local_endpoint().port(), page_secret(), page_secret())};
  ready(server->address());
  while (true) {
    auto own = std::make_unique<asio::io_context>();
    tcp::socket socket = acceptor.accept(*own, error);
    if (error) {  // out of descriptors, most likely: those that are open will be closed
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      continue;
    }
    try {
      std::thread([server, own = std::move(own), socket = std::move(socket)]() mutable {
        Connection(*server, std::move(own), std::move(socket)).run();
      }).detach();
    } catch (const std::system_error&) {  // no thread is to be had: this closes it
    }
  }
}

}  // namespace etad::client
