// A client that says exactly what a test wants it to say, byte by byte.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace etad::service::testing {

class RawClient {
 public:
  explicit RawClient(const std::string& path) : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    connected_ = connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawClient() { close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return connected_; }

  // False: the server does not listen any more.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
  }

  // Whether something can be read, waiting a millisecond for it.
  bool has_answer() {
    pollfd waiting{fd_, POLLIN, 0};
    return poll(&waiting, 1, 1) > 0;
  }

  void shut_down() { shutdown(fd_, SHUT_WR); }

  // Waits, two minutes at most, until `marker` has come, or to the end of what the server sends.
  std::string receive(std::string_view marker = {}) {
    while (marker.empty() || received_.find(marker) == std::string::npos) {
      if (!receive_some()) break;
    }
    return received_;
  }

  // One reply with its Content-Length; what came behind it is kept for the next call.
  std::string reply() {
    while (received_.find("\r\n\r\n") == std::string::npos) {
      if (!receive_some()) return std::exchange(received_, {});
    }
    const std::size_t head = received_.find("\r\n\r\n") + 4;
    const std::size_t field = received_.find("Content-Length: ");
    const std::size_t length = field < head ? std::stoul(received_.substr(field + 16)) : 0;
    while (received_.size() < head + length) {
      if (!receive_some()) break;
    }
    std::string out = received_.substr(0, head + length);
    received_.erase(0, head + length);
    return out;
  }

  std::string ask(std::string_view request) {
    send(request);
    return reply();
  }

 private:
  bool receive_some() {
    pollfd waiting{fd_, POLLIN, 0};
    if (poll(&waiting, 1, 120'000) <= 0) {
      ADD_FAILURE() << "the server did not answer within two minutes; so far: " << received_;
      return false;
    }
    std::array<char, 65536> bytes{};
    const ssize_t n = recv(fd_, bytes.data(), bytes.size(), 0);
    if (n <= 0) return false;
    received_.append(bytes.data(), static_cast<std::size_t>(n));
    return true;
  }

  int fd_;
  bool connected_ = false;
  std::string received_;
};

inline std::string get(std::string_view target, std::string_view more_headers = {}) {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(more_headers) +
         "\r\n";
}

inline std::string post(std::string_view target, std::string_view body, std::string_view more_headers = {}) {
  return "POST " + std::string(target) +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         std::string(more_headers) + "\r\n" + std::string(body);
}

inline int status_of(std::string_view reply) {
  return reply.size() > 12 && reply.starts_with("HTTP/1.") ? std::stoi(std::string(reply.substr(9, 3))) : 0;
}

}  // namespace etad::service::testing
