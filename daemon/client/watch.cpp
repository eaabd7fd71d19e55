// etactl runs --watch: a table that stays in place on a terminal, a line for each change elsewhere.
#include <unistd.h>

#include <iostream>
#include <utility>

#include "daemon/client/commands.h"
#include "daemon/client/output.h"
#include "daemon/client/text.h"

namespace etad::client {
namespace {

// Redraws in place: over its own last picture, line by line, so that nothing flickers and nothing scrolls.
class Picture {
 public:
  void draw(const std::string& text) {
    std::string out;
    if (lines_ > 0) out += "\033[" + std::to_string(lines_) + "A";
    lines_ = 0;
    for (std::size_t from = 0, end = 0; (end = text.find('\n', from)) != std::string::npos; from = end + 1) {
      out += "\r" + text.substr(from, end - from) + "\033[K\n";
      ++lines_;
    }
    std::cout << out << "\033[J" << std::flush;
  }

 private:
  std::size_t lines_ = 0;
};

}  // namespace

int watch_runs(const Common& common, const std::string& target) {
  auto client = HttpClient::connect(common.socket);
  if (!client) return unreachable(client.error());
  const bool live = isatty(STDOUT_FILENO) != 0 && !common.json;
  Picture picture;
  std::map<std::int64_t, Object> running;     // the picture
  std::map<std::int64_t, std::string> lines;  // or the line last written of each run
  if (live) picture.draw(live_text(running, stdout_screen()));
  const auto response = client->watch(target, [&](std::string_view line) {
    if (common.json) {
      std::cout << line << '\n' << std::flush;
      return std::cout.good();
    }
    boost::json::error_code error;
    const boost::json::value parsed = boost::json::parse(line, error);
    if (error || !parsed.is_object()) return true;
    const Object& run = parsed.get_object();
    const auto id = static_cast<std::int64_t>(number_of(run, "id"));
    if (!live) {
      // Not every change is one that a line shows.
      if (std::string text = run_line(run); std::exchange(lines[id], text) != text)
        std::cout << text << std::flush;
      if (text_of(run, "state") != "running") lines.erase(id);
      return std::cout.good();
    }
    running[id] = run;
    const Screen screen = stdout_screen();
    picture.draw(live_text(running, screen));
    // What is over has been seen once: the next picture is without it.
    std::erase_if(running, [](const auto& each) { return text_of(each.second, "state") != "running"; });
    return true;
  });
  if (!response) return unreachable(response.error());
  if (!response->ok()) return answered(common, *response, [](const Object&) { return std::string(); });
  return kDone;
}

}  // namespace etad::client
