#include "daemon/client/link/http_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <limits>
#include <optional>
#include <vector>

namespace etad::client {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using Parser = http::response_parser<http::string_body>;

constexpr std::size_t kPiece = 256UL * 1024;

http::request<http::string_body> request(http::verb verb, const std::string& target) {
  http::request<http::string_body> out(verb, target, 11);
  out.set(http::field::host, "localhost");
  out.set(http::field::user_agent, "etactl");
  return out;
}

tl::unexpected<Error> broken(const boost::system::error_code& error) {
  return fail("the daemon broke off: " + error.message(), "see its log: journalctl -u etad");
}

}  // namespace

struct HttpClient::Impl {
  Result<Response> receive() {
    boost::system::error_code error;
    std::optional<Parser> parser;
    do {  // 100 Continue and kin come before the answer
      parser.emplace();
      parser->body_limit(std::numeric_limits<std::uint64_t>::max());
      http::read(socket, buffer, *parser, error);
    } while (!error && parser->get().result_int() < 200);
    if (error) return broken(error);
    return Response{parser->get().result_int(), std::move(parser->get().body())};
  }

  Result<Response> exchange(http::request<http::string_body>& out) {
    out.prepare_payload();
    boost::system::error_code error;
    http::write(socket, out, error);
    auto response = receive();
    if (!response && error) return broken(error);
    return response;
  }

  // The answer, a piece at a time; an error's body is kept whole.
  Result<Response> stream(const Sink& sink, const Wait& wait = {});

  asio::io_context io;
  asio::local::stream_protocol::socket socket{io};
  boost::beast::flat_buffer buffer;
};

HttpClient::HttpClient(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpClient::HttpClient(HttpClient&&) noexcept = default;
HttpClient& HttpClient::operator=(HttpClient&&) noexcept = default;
HttpClient::~HttpClient() = default;

Result<HttpClient> HttpClient::connect(const std::string& socket_path) {
  auto impl = std::make_unique<Impl>();
  boost::system::error_code error;
  try {
    impl->socket.connect(asio::local::stream_protocol::endpoint(socket_path), error);
  } catch (const boost::system::system_error& too_long) {
    error = too_long.code();
  }
  if (error == asio::error::access_denied) {
    return fail("this socket may not be opened: " + error.message(),
                "ask to be made a member of the group that owns it", socket_path);
  }
  if (error) {
    return fail("no daemon answers here: " + error.message(),
                "is it running? systemctl status etad, or etad --user for one of your own", socket_path);
  }
  return HttpClient(std::move(impl));
}

Result<Response> HttpClient::get(const std::string& target) {
  boost::system::error_code error;
  http::write(impl_->socket, request(http::verb::get, target), error);
  // A daemon that has no room for us says so and closes, perhaps before it has read a word.
  auto response = impl_->receive();
  if (!response && error) return broken(error);
  return response;
}

Result<Response> HttpClient::post(const std::string& target, const std::string& body) {
  auto out = request(http::verb::post, target);
  if (!body.empty()) out.set(http::field::content_type, "application/json");
  out.body() = body;
  return impl_->exchange(out);
}

Result<Response> HttpClient::remove(const std::string& target) {
  auto out = request(http::verb::delete_, target);
  return impl_->exchange(out);
}

Result<Response> HttpClient::upload(const std::string& target, const Source& source) {
  http::request<http::empty_body> head(http::verb::post, target, 11);
  head.set(http::field::host, "localhost");
  head.set(http::field::user_agent, "etactl");
  head.chunked(true);
  http::request_serializer<http::empty_body> serializer(head);
  boost::system::error_code error;
  http::write_header(impl_->socket, serializer, error);
  std::vector<char> piece(kPiece);
  while (!error) {
    const Result<std::size_t> n = source(piece.data(), piece.size());
    if (!n) return tl::unexpected(n.error());  // the connection is dropped, and with it the import
    if (*n == 0) break;
    asio::write(impl_->socket, http::make_chunk(asio::buffer(piece.data(), *n)), error);
  }
  if (!error) asio::write(impl_->socket, http::make_chunk_last(), error);
  auto response = impl_->receive();
  if (!response && error) return broken(error);
  return response;
}

Result<Response> HttpClient::Impl::stream(const Sink& sink, const Wait& wait) {
  // Between two chunks the end of the first one's line (CRLF) may be all that has been read ahead.
  const auto stopped = [&] { return wait && buffer.size() <= 2 && !wait(socket.native_handle()); };
  boost::system::error_code error;
  http::response_parser<http::buffer_body> parser;
  parser.body_limit(std::numeric_limits<std::uint64_t>::max());
  if (stopped()) return fail("enough");
  http::read_header(socket, buffer, parser, error);
  if (error) return broken(error);
  Response response{parser.get().result_int(), {}};
  std::vector<char> piece(kPiece);
  while (!parser.is_done()) {
    if (stopped()) return fail("enough");
    parser.get().body().data = piece.data();
    parser.get().body().size = piece.size();
    http::read_some(socket, buffer, parser, error);
    if (error == http::error::need_buffer) error = {};
    if (error) return broken(error);
    const std::string_view bytes(piece.data(), piece.size() - parser.get().body().size);
    if (!response.ok()) {
      response.body += bytes;
    } else if (auto taken = sink(bytes); !taken) {
      return tl::unexpected(taken.error());
    }
  }
  return response;
}

Result<Response> HttpClient::download(const std::string& target, const Sink& sink) {
  auto out = request(http::verb::post, target);
  out.prepare_payload();
  boost::system::error_code error;
  http::write(impl_->socket, out, error);
  return impl_->stream(sink);
}

Result<Response> HttpClient::watch(const std::string& target,
                                   const std::function<bool(std::string_view line)>& line, bool heartbeats,
                                   const Wait& wait) {
  boost::system::error_code error;
  http::write(impl_->socket, request(http::verb::get, target), error);
  std::string pending;  // the beginning of the next line
  bool enough = false;
  const auto take = [&](std::string_view bytes) -> Result<void> {
    pending += bytes;
    for (std::size_t end = 0; (end = pending.find('\n')) != std::string::npos; pending.erase(0, end + 1)) {
      enough = (end > 0 || heartbeats) && !line(std::string_view(pending).substr(0, end));
      if (enough) return fail("enough");
    }
    return {};
  };
  const auto waiting = [&](int socket) {
    enough = !wait(socket);
    return !enough;
  };
  auto response = impl_->stream(take, wait ? Wait(waiting) : Wait());
  if (enough) return Response{200, {}};
  return response;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~' || c == '/';
    if (plain) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4U];
      out += kHex[byte & 0xFU];
    }
  }
  return out;
}

std::string path_segment(std::string_view text) {
  std::string out = percent_encoded(text);
  for (std::size_t at = 0; (at = out.find('/', at)) != std::string::npos;) out.replace(at, 1, "%2F");
  return out;
}

}  // namespace etad::client
