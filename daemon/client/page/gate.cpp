#include "daemon/client/page/gate.h"

#include <algorithm>

namespace etad::client {
namespace {

constexpr std::string_view kToken = "/?token=";
constexpr std::size_t kLongestTarget = 8192;  // the daemon's own limit
constexpr std::uint16_t kPortOfHttp = 80;     // a browser leaves it out of Host

// Takes as long whatever the first difference is at.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.empty() || a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i])) ^ static_cast<unsigned char>(b[i]);
  }
  return difference == 0;
}

std::string_view path_of(std::string_view target) {
  return target.substr(0, target.find('?'));
}

// Letters, digits, dots, dashes and single slashes: a name that leads nowhere else.
bool is_file_name(std::string_view name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_' || c == '/';
  });
  return plain && !name.empty() && name.front() != '/' && name.find("..") == std::string_view::npos &&
         name.find("//") == std::string_view::npos;
}

// By what a browser says of who made it ask. Following a link, or typing the address, shows the page and tells nobody else.
bool is_of_another_site(const PageRequest& request) {
  if (request.fetch_site.empty() || request.fetch_site == "same-origin" || request.fetch_site == "none")
    return false;
  return request.fetch_mode != "navigate" || request.fetch_dest != "document";
}

Refuse anothers_program() {
  return Refuse{
      403,
      "This page answers only programs of the user who started etactl page, and the system does not say "
      "that yours is one. Run etactl page as the user whose browser opens it."};
}

}  // namespace

std::string PageGate::address() const {
  return "http://127.0.0.1:" + std::to_string(port_) + std::string(kToken) + token_;
}

bool PageGate::is_ours(std::string_view host) const {
  const std::string port = ":" + std::to_string(port_);
  if (host.ends_with(port))
    host.remove_suffix(port.size());
  else if (port_ != kPortOfHttp)
    return false;
  return host == "127.0.0.1" || host == "localhost";
}

bool PageGate::has_session(std::string_view cookie) const {
  const std::string name = cookie_name() + "=";
  while (!cookie.empty()) {
    const std::size_t end = cookie.find(';');
    std::string_view each = cookie.substr(0, end);
    while (each.starts_with(' ')) each.remove_prefix(1);
    if (each.starts_with(name) && same_secret(each.substr(name.size()), session_)) return true;
    cookie = end == std::string_view::npos ? std::string_view() : cookie.substr(end + 1);
  }
  return false;
}

PageDecision PageGate::decide(const PageRequest& request, const std::function<bool()>& is_own) {
  // A name of somebody's own that resolves to this machine must not make its pages ours (DNS rebinding).
  // Behind `ssh -L` the port may differ: then the browser's Host is the forwarded one.
  if (!is_ours(request.host)) {
    return Refuse{403, "This page is served at 127.0.0.1:" + std::to_string(port_) +
                           " only. Through ssh, forward the same port: ssh -L " + std::to_string(port_) +
                           ":127.0.0.1:" + std::to_string(port_) + " HOST."};
  }
  const bool foreign = !request.origin.empty() && request.origin != "http://" + std::string(request.host);
  if (foreign || is_of_another_site(request)) {
    return Refuse{403, "Requests of other sites are not answered."};
  }
  if (request.method != "GET") return Refuse{405, "This page only shows: it answers GET."};
  if (request.target.size() > kLongestTarget) return Refuse{414, "The address is too long."};
  const bool has_token = request.target.starts_with(kToken);
  const bool is_first = has_token && same_secret(request.target.substr(kToken.size()), token_);
  if (!is_first && !has_session(request.cookie)) {
    return Refuse{403, has_token ? "This address has been used, or is not the one that etactl printed. Run "
                                   "etactl page again."
                                 : "Open the whole address that etactl page printed, its token included."};
  }
  if (!is_own()) return anothers_program();  // a token stays good
  if (is_first) {
    token_.clear();
    return Welcome{cookie_name() + "=" + session_ + "; HttpOnly; SameSite=Strict; Path=/"};
  }
  if (has_token) return ServeFile{"index.html"};  // the page itself, loaded again
  const std::string_view path = path_of(request.target);
  if (path == "/v1" || path.starts_with("/v1/")) {
    const bool stream = request.target.find("watch=true", path.size()) != std::string_view::npos;
    return AskDaemon{std::string(request.target), stream};
  }
  if (path == "/") return ServeFile{"index.html"};
  const std::string_view name = path.substr(1);
  if (!path.starts_with('/') || !is_file_name(name)) return Refuse{404, "There is no such page."};
  return ServeFile{std::string(name)};
}

}  // namespace etad::client
