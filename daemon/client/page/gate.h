// Who may see the page, decided from a request's head alone: pure, so that a test can ask it everything.
//
// The page is served on the loopback interface, where every user of the machine, and every web page in a
// browser, can send requests. So an address is worth nothing without the token in it, the token is good for
// one visit, and what that visit gets is a cookie that no script can read and no other site can send. But a browser
// sends it to whoever serves another port of the same host: so neither token nor cookie is worth anything to another
// user's program.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>

namespace etad::client {

struct PageRequest {
  std::string_view method, target, host, origin, cookie;  // headers that are absent are empty
  std::string_view fetch_site = {}, fetch_mode = {},
                   fetch_dest = {};  // Sec-Fetch-…, which newer browsers send
};

// A file of the page, by the name under which index.html asks for it: "app.css", "js/main.js".
struct ServeFile {
  std::string name;
};
// A question for the daemon, unchanged; `stream`: its answer does not end.
struct AskDaemon {
  std::string target;
  bool stream = false;
};
// The token was right: the session's cookie, and on to the page itself.
struct Welcome {
  std::string cookie;  // the whole Set-Cookie header
};
struct Refuse {
  unsigned status = 403;
  std::string why;  // one sentence, for the person in front of the browser
};
using PageDecision = std::variant<ServeFile, AskDaemon, Welcome, Refuse>;

// Belongs to one server. Not thread-safe.
class PageGate {
 public:
  // `token` and `session` are secrets of at least 128 random bits, as text that a URL can hold.
  PageGate(std::uint16_t port, std::string token, std::string session)
      : port_(port), token_(std::move(token)), session_(std::move(session)) {}

  // `is_own`: whether the program that asks is the page's own user's; asked only where the secret is right.
  PageDecision decide(const PageRequest& request, const std::function<bool()>& is_own);

  // "http://127.0.0.1:PORT/?token=…": what a person is shown.
  std::string address() const;

 private:
  bool is_ours(std::string_view host) const;
  bool has_session(std::string_view cookie) const;
  std::string cookie_name() const { return "etad_" + std::to_string(port_); }

  std::uint16_t port_;
  std::string token_;  // empty once it has been used
  std::string session_;
};

}  // namespace etad::client
