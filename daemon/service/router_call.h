// What the handlers of the router share: one request's arguments, and lists as pages.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "daemon/service/router.h"

namespace etad::service {

struct Router::Call {
  Request& request;
  std::string argument;  // what stands for {…} in the path, decoded
  Params params;
};

struct Router::Route {
  std::string_view method;
  std::string_view path;  // "/v1/runs/{id}/segments"
  std::variant<Outcome (Router::*)(Call&), Outcome (Router::*)(const Call&)> handler;
  bool changes = false;  // needs the right to change things
  bool streams = false;
};

inline Reply json_reply(JsonWriter& json) {
  return {200, "application/json", {}, json.take() + "\n"};
}

// What the history could not answer: not the client's fault.
inline Reply history_failed(const Error& error) {
  Problem problem = problem_of(error);
  problem.title = "The history can't be read";
  return reply_of(problem);
}

// What `answer(reader)` replies, on a worker: what it reads may be much, and others are answered meanwhile.
template <class Answer>
Work on_worker(Backend& backend, Answer answer) {
  return {[&backend, answer = std::move(answer)]() -> Reply {
    const auto reader = backend.reader();
    if (!reader) return history_failed(reader.error());
    return answer(**reader);
  }};
}

// So many rows of the history are read in a few milliseconds: at once, which is sooner than by a worker.
inline constexpr std::int64_t kFewRows = 100'000;

// A number that a path names, of at least that; nothing where it is none.
std::optional<std::int64_t> id_from(const std::string& text, std::int64_t least = 1);

// 404: the history has nothing of the kind `what` by that name.
Reply no_such(const std::string& what, const std::string& argument, std::string hint);

// The run of that number, or the reply that there is none.
tl::expected<RunRow, Reply> find_run(Reader& reader, const std::string& number);

// A page of a list: `limit` and the opaque `cursor` that an earlier page's `next` gave.
struct Page {
  std::int64_t limit = 0;
  std::int64_t cursor = 0;  // 0: the first page
};

inline std::string cursor_text(std::int64_t cursor) {
  return std::to_string(cursor);
}
inline std::string cursor_text(std::string cursor) {
  return cursor;
}

std::int64_t limit_from(Params& params, std::int64_t fallback, std::int64_t most);
Page page_from(Params& params, std::int64_t fallback, std::int64_t most);

// {"<plural>": […], "next": …} of `items`, of which one more than the page's limit means there is more.
// `cursor_of(i)` is the cursor of the page that begins behind item i.
template <class T, class Write, class CursorOf>
Reply list_reply(std::string_view plural, const std::vector<T>& items, const Page& page, Write write,
                 CursorOf cursor_of) {
  const auto limit = static_cast<std::size_t>(page.limit);
  const std::size_t shown = std::min(items.size(), limit);
  JsonWriter json;
  json.begin_object().key(plural).begin_array();
  for (std::size_t i = 0; i < shown; ++i) write(json, items[i]);
  json.end_array().key("next");
  items.size() > limit ? json.value(cursor_text(cursor_of(shown - 1))) : json.null();
  json.end_object();
  return json_reply(json);
}

// A page of a list that is wholly in memory.
template <class T, class Write>
Reply slice_reply(std::string_view plural, const std::vector<T>& all, const Page& page, Write write) {
  const auto from = std::min(all.size(), static_cast<std::size_t>(page.cursor));
  const auto to = std::min(all.size(), from + static_cast<std::size_t>(page.limit) + 1);
  const std::vector<T> items(all.begin() + static_cast<std::ptrdiff_t>(from),
                             all.begin() + static_cast<std::ptrdiff_t>(to));
  return list_reply(plural, items, page, write,
                    [&](std::size_t i) { return static_cast<std::int64_t>(from + i + 1); });
}

}  // namespace etad::service
