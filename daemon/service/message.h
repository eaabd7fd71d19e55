// Requests and replies as the router sees them: plain values, no sockets, no HTTP library.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "daemon/service/json_writer.h"
#include "parsers/base/error.h"

namespace etad::service {

struct Request {
  std::string method;
  std::string target;       // as sent: path, or path?query
  std::string host;         // the Host header; empty: none
  bool has_origin = false;  // an Origin or Referer header: a browser speaks, not a client of ours
  bool may_change = false;  // the peer may change things
  std::optional<std::int64_t> uid = {};  // of the peer; none: the kernel could not say
  std::string body;
  std::string accept;  // the Accept header; empty: none
};

struct Reply {
  unsigned status = 200;
  std::string type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

// What we answer instead of what was asked for: RFC 9457 problem details.
struct Problem {
  unsigned status = 400;
  std::string title = {};                                         // the kind of problem
  std::string detail = {};                                        // this one
  std::string hint = {};                                          // what would help; may be empty
  std::vector<std::string> candidates = {};                       // near names
  std::function<void(JsonWriter&)> more = {};                     // further members
  std::vector<std::pair<std::string, std::string>> headers = {};  // of the reply: Allow, Retry-After
};

// What a handler gives: the thing asked for, or the problem with it.
template <class T>
using Answer = tl::expected<T, Problem>;

inline tl::unexpected<Problem> refuse(Problem problem) {
  return tl::unexpected<Problem>(std::move(problem));
}

Reply reply_of(const Problem& problem);

// A failure of ours or of the thing asked for, by its Error, whose kind makes the status.
Problem problem_of(const Error& error);

// The reason phrase that is the title where there is no better one: "Not Found".
std::string_view title_of(unsigned status);

}  // namespace etad::service
