#include "daemon/service/exchange.h"

#include <new>

namespace etad::service {

namespace http = boost::beast::http;

Connection::Exchange::Exchange(const Limits& limits) {
  parser.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
  parser.body_limit(boost::none);  // ours are checked where the route is known
}

void Connection::Exchange::take_head(uid_t uid, bool may_change) {
  const auto& head_fields = parser.get();
  request.method = std::string(head_fields.method_string());
  request.target = std::string(head_fields.target());
  request.host = std::string(head_fields[http::field::host]);
  request.has_origin = head_fields.count(http::field::origin) + head_fields.count(http::field::referer) > 0;
  request.may_change = may_change;
  if (uid != static_cast<uid_t>(-1)) request.uid = static_cast<std::int64_t>(uid);
  request.accept = std::string(head_fields[http::field::accept]);
  encoding = std::string(head_fields[http::field::content_encoding]);
  head = head_fields.method() == http::verb::head;
  http_1_0 = head_fields.version() == 10;
  keep_alive = parser.keep_alive();
  const auto expect = head_fields[http::field::expect];
  expects_continue = !http_1_0 && boost::beast::iequals(expect, "100-continue");
  Problem problem;
  if (!expect.empty() && !expects_continue) {
    problem.status = 417;
    problem.detail = "Only 100-continue can be expected.";
  } else if (const auto coding = head_fields[http::field::transfer_encoding];
             !coding.empty() && !boost::beast::iequals(coding, "chunked")) {
    problem.status = 501;  // its body would be taken for none, or for what it is not
    problem.detail = "Of transfer codings only chunked is understood.";
  } else if (head_fields.count(http::field::host) > 1) {
    problem.detail = "The request has several Host headers.";
  } else {
    return;
  }
  keep_alive = false;
  reply = reply_of(problem);
}

Connection::Exchange::Response Connection::Exchange::response(Reply given, const std::string& version) const {
  Response out(static_cast<http::status>(given.status), http_1_0 ? 10 : 11);
  out.set(http::field::server, "etad/" + version);
  out.set(http::field::content_type, given.type);
  for (const auto& [name, value] : given.headers) out.set(name, value);
  out.keep_alive(keep_alive);
  out.body() = std::move(given.body);
  out.prepare_payload();
  return out;
}

boost::asio::awaitable<std::size_t> Connection::Exchange::read_some(Socket& socket, Buffer& buffer,
                                                                    std::span<char> piece,
                                                                    boost::system::error_code& error) {
  auto& body = parser.get().body();
  body.data = piece.data();
  body.size = piece.size();
  body.more = true;
  co_await http::async_read_some(socket, buffer.bytes, parser,
                                 boost::asio::redirect_error(boost::asio::use_awaitable, error));
  if (error == http::error::need_buffer) error = {};
  co_return piece.size() - body.size;
}

namespace {

Reply defect(ServiceState& state, const char* what) {
  state.log(std::string("a request failed unexpectedly: ") + what);
  return reply_of(Problem{500, "", "The request failed unexpectedly; the daemon's log says more."});
}

Reply no_memory(ServiceState& state) {
  state.log("there was no memory for a request");
  return reply_of(Problem{503, "", "There is no memory for it at present.", "try again in a moment"});
}

}  // namespace

Outcome guarded(ServiceState& state, Request request) {
  try {
    return state.router.handle(std::move(request));
  } catch (const std::bad_alloc&) {
    return no_memory(state);
  } catch (const std::exception& error) {
    return defect(state, error.what());
  }
}

std::function<Reply()> guarded(ServiceState& state, std::function<Reply()> job) {
  return [&state, job = std::move(job)]() -> Reply {
    try {
      return job();
    } catch (const std::bad_alloc&) {
      return no_memory(state);
    } catch (const std::exception& error) {
      return defect(state, error.what());
    }
  };
}

}  // namespace etad::service
