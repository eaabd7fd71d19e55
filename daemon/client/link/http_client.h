// A small blocking HTTP client over the daemon's Unix socket.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "parsers/base/error.h"

namespace etad::client {

struct Response {
  unsigned status = 0;
  std::string body;
  bool ok() const { return status >= 200 && status < 300; }
};

class HttpClient {
 public:
  // Fails where no daemon listens, or may not be asked.
  static Result<HttpClient> connect(const std::string& socket_path);
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  ~HttpClient();

  // One after the other; the connection is kept.
  Result<Response> get(const std::string& target);
  Result<Response> post(const std::string& target, const std::string& body);
  Result<Response> remove(const std::string& target);  // DELETE

  // Fills the buffer with what is to be sent next, returns how much; 0: all is said.
  using Source = std::function<Result<std::size_t>(char* buffer, std::size_t size)>;
  // The answer may come before everything is sent: then the rest is not.
  Result<Response> upload(const std::string& target, const Source& source);

  // POSTs and hands the body on as it comes. An error's body comes back in the Response instead.
  using Sink = std::function<Result<void>(std::string_view bytes)>;
  Result<Response> download(const std::string& target, const Sink& sink);

  // Calls back for each line of a stream until it ends or `line` returns false. An answer that is no
  // stream but an error comes back as the Response. `heartbeats`: the empty lines of a quiet stream too.
  // `wait`: called whenever there is nothing to read, until the socket has something; false ends the watch.
  using Wait = std::function<bool(int socket)>;
  Result<Response> watch(const std::string& target, const std::function<bool(std::string_view line)>& line,
                         bool heartbeats = false, const Wait& wait = {});

 private:
  struct Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// `text` as part of a query: everything but letters, digits and -._~/ as %XX.
std::string percent_encoded(std::string_view text);
// The same of one segment of a path, in which a slash is no longer one.
std::string path_segment(std::string_view text);

}  // namespace etad::client
