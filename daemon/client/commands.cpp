#include "daemon/client/commands.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>

#include "daemon/client/output.h"
#include "daemon/client/run_plots.h"
#include "daemon/client/text.h"
#include "parsers/base/number.h"

namespace etad::client {
namespace {

constexpr std::int64_t kPage = 1000;  // the most that the daemon gives at once of every list

}  // namespace

std::string target_of(const std::string& path, const Parameters& parameters) {
  std::string out = path;
  char separator = '?';
  for (const auto& [name, value] : parameters) {
    out += separator + percent_encoded(name) + "=" + percent_encoded(value);
    separator = '&';
  }
  return out;
}

Screen stdout_screen() {
  Screen screen;
  if (isatty(STDOUT_FILENO) == 0) return screen;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
    screen.width = size.ws_col;
    screen.height = size.ws_row;
  }
  const char* const terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  screen.colours = !dumb && std::getenv("NO_COLOR") == nullptr;
  return screen;
}

bool key_and_value(const std::string& text, std::pair<std::string, std::string>& out) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) return false;
  out = {text.substr(0, equals), text.substr(equals + 1)};
  return true;
}

int unreachable(const Error& error) {
  std::cerr << "etactl: " << printable(error.text()) << '\n';
  return kNoDaemon;
}

int answered(const Common& common, const Response& response,
             const std::function<std::string(const Object&)>& view, const std::string& file) {
  if (common.json) {
    std::cout << response.body << (response.body.ends_with('\n') ? "" : "\n") << std::flush;
    return response.ok() ? kDone : kRefused;
  }
  const auto object = object_in(response.body);
  if (!object) {
    std::cerr << "etactl: the daemon answered with status " << response.status << " and no JSON object\n";
    return kRefused;
  }
  if (!response.ok()) {
    std::cerr << problem_text(*object, file);
    return kRefused;
  }
  std::cout << view(*object) << std::flush;
  return kDone;
}

int asked(const Common& common, const std::function<Result<Response>(HttpClient&)>& send,
          const std::function<std::string(const Object&)>& view) {
  auto client = HttpClient::connect(common.socket);
  if (!client) return unreachable(client.error());
  const auto response = send(*client);
  if (!response) return unreachable(response.error());
  return answered(common, *response, view);
}

int done(const Common& common, const Object& report, const std::function<std::string(const Object&)>& view) {
  std::cout << (common.json ? boost::json::serialize(report) + "\n" : view(report)) << std::flush;
  return kDone;
}

int written_file(const Common& common, const std::string& file, double bytes) {
  return done(common, {{"file", printable(file)}, {"bytes", static_cast<std::int64_t>(bytes)}},
              [&](const Object&) { return printable(file) + ": " + bytes_text(bytes) + "\n"; });
}

int show(const Common& common, const std::string& target, const View& view) {
  return asked(
      common, [&](HttpClient& client) { return client.get(target); },
      [&](const Object& object) { return view(object, stdout_screen()); });
}

Result<Response> for_each_page(const std::function<Result<Response>(const std::string& target)>& get,
                               const std::string& path, const Parameters& parameters, std::int64_t limit,
                               const std::function<void(const Response&, const Object&)>& each) {
  std::string cursor;
  while (true) {
    const std::int64_t some = std::min(limit, kPage);
    Parameters page = parameters;
    page.emplace_back("limit", std::to_string(some));
    if (!cursor.empty()) page.emplace_back("cursor", cursor);
    auto response = get(target_of(path, page));
    const auto answer = response && response->ok() ? object_in(response->body) : std::nullopt;
    if (!answer) return response;
    each(*response, *answer);
    limit -= some;
    cursor = text_of(*answer, "next");
    if (cursor.empty() || limit == 0) return response;
  }
}

int show_list(const Common& common, const std::string& path, const Parameters& parameters, const View& view) {
  Parameters others = parameters;
  std::int64_t limit = 0;
  std::erase_if(others, [&](const auto& each) {
    if (each.first == "limit") limit = parse_number<std::int64_t>(each.second).value_or(0);
    return each.first == "limit";
  });
  if (limit <= kPage)
    return show(common, target_of(path, parameters), view);  // what is no limit the daemon refuses
  auto client = HttpClient::connect(common.socket);
  if (!client) return unreachable(client.error());
  Object all;
  const auto get = [&](const std::string& target) { return client->get(target); };
  const auto last = for_each_page(get, path, others, limit, [&](const Response& page, const Object& answer) {
    if (common.json) answered(common, page, {});
    for (const auto& [name, value] : answer) {
      auto* const list = all[name].if_array();
      if (list != nullptr && value.is_array())
        list->insert(list->end(), value.get_array().begin(), value.get_array().end());
      else
        all[name] = value;
    }
  });
  if (!last) return unreachable(last.error());
  if (!last->ok()) return answered(common, *last, {});
  if (!common.json) std::cout << view(all, stdout_screen()) << std::flush;
  return kDone;
}

int show_run(const Common& common, const std::string& id) {
  auto client = HttpClient::connect(common.socket);
  if (!client) return unreachable(client.error());
  const auto response = client->get("/v1/runs/" + path_segment(id));
  if (!response) return unreachable(response.error());
  const auto ask = [&](const std::string& target) -> Object {
    const auto more = client->get(target);
    if (!more || !more->ok()) return {};  // the run has been shown; what is missing is a picture
    return object_in(more->body).value_or(Object());
  };
  return answered(common, *response, [&](const Object& run) {
    const Screen screen = stdout_screen();
    return run_text(run, screen) + plots_text(run, ask, screen);
  });
}

int show_about(const Common& common, const std::string& target, const std::string& file, const View& view) {
  constexpr std::size_t kMost = 1 << 20;  // of a request's body: a net's description is shorter
  std::ifstream in(file, std::ios::binary);
  std::string text(kMost, '\0');
  in.read(text.data(), static_cast<std::streamsize>(kMost));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(in.gcount(), 0)));
  if (text.empty()) {
    const int error = in.bad() || !in.is_open() ? errno : 0;
    std::cerr << "etactl: " << printable(file) << ": "
              << (error != 0 ? std::strerror(error) : "nothing is in it") << '\n';
    return kUsage;
  }
  return change(common, target, text, [&](const Object& object) { return view(object, stdout_screen()); });
}

int change(const Common& common, const std::string& target, const std::string& body,
           const std::function<std::string(const Object&)>& view) {
  return asked(
      common, [&](HttpClient& client) { return client.post(target, body); }, view);
}

}  // namespace etad::client
