// etactl runs --watch: a picture that stays current on a terminal, a line for each change elsewhere.
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <utility>

#include "daemon/client/commands.h"
#include "daemon/client/output.h"
#include "daemon/client/run_plots.h"
#include "daemon/client/run_words.h"
#include "daemon/client/terminal.h"
#include "daemon/client/text.h"

namespace etad::client {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kTick{1};
constexpr std::chrono::seconds kOverShown{30};  // what is over goes from the picture after that
constexpr int kMostTroubled = 10;               // but for so many that went wrong
constexpr std::chrono::seconds kAskEvery{10};   // how often the traces, and what remains, are asked

int watch_lines(const Common& common, const std::string& target) {
  auto client = HttpClient::connect(common.socket);
  if (!client) return unreachable(client.error());
  std::map<std::int64_t, std::string> lines;  // last written of each run
  const auto response = client->watch(target, [&](std::string_view line) {
    if (common.json) {
      std::cout << line << '\n' << std::flush;
      return std::cout.good();
    }
    const auto run = object_in(line);
    if (!run) return true;
    const auto id = static_cast<std::int64_t>(number_of(*run, "id"));
    // Not every change is one that a line shows.
    if (std::string text = run_line(*run); std::exchange(lines[id], text) != text)
      std::cout << text << std::flush;
    if (text_of(*run, "state") != "running") lines.erase(id);
    return std::cout.good();
  });
  if (!response) return unreachable(response.error());
  if (!response->ok()) return answered(common, *response, [](const Object&) { return std::string(); });
  // Where nobody reads any more, this end has had enough.
  return std::cout.good() ? unreachable({"", "the daemon has ended the watch", ""}) : kDone;
}

// The picture. It outlives the daemon: while none answers it says so, and goes on when one does again.
class LiveView {
 public:
  LiveView(const Common& common, std::string target) : common_(common), target_(std::move(target)) {}

  int run() {
    auto client = HttpClient::connect(common_.socket);
    if (!client) return unreachable(client.error());
    std::optional<Response> refused;
    {
      Terminal terminal;
      while (!quit_ && !refused) {
        if (client) {
          runs_.clear();
          trouble_.clear();
          auto response = client->watch(
              target_, [&](std::string_view line) { return take(line); }, /*heartbeats=*/false,
              [&](int socket) { return wait(terminal, socket); });
          if (response && !response->ok()) refused = std::move(*response);
        }
        if (quit_ || refused) break;
        trouble_ = "The connection to the daemon is lost; trying again.\n";
        draw(terminal);
        quit_ = terminal.wait(-1, kTick) == Terminal::Event::quit;
        client = HttpClient::connect(common_.socket);
      }
      terminal.leave_behind(refused ? std::string() : picture(0));
    }
    if (refused) return answered(common_, *refused, [](const Object&) { return std::string(); });
    return kDone;
  }

 private:
  struct Shown : LiveRun {
    std::optional<Clock::time_point> over, asked;
  };

  bool take(std::string_view line) {
    auto run = object_in(line);
    if (!run) return true;
    Shown& shown = runs_[static_cast<std::int64_t>(number_of(*run, "id"))];
    const bool over = text_of(*run, "state") != "running";
    if (!over) shown.over.reset();
    if (over && !shown.over) shown.over = Clock::now();
    shown.run = std::move(*run);
    return true;
  }

  bool wait(Terminal& terminal, int socket) {
    while (true) {
      ask_anew();
      draw(terminal);
      const auto event = terminal.wait(socket, kTick);
      if (event == Terminal::Event::readable) return true;
      if (event == Terminal::Event::quit) {
        quit_ = true;
        return false;
      }
    }
  }

  void draw(Terminal& terminal) {
    drop_what_is_over();
    const std::size_t height = stdout_screen().height, below = trouble_.empty() ? 1 : 2;
    terminal.draw(picture(height > below ? height - below : height) + "q quits\n");
  }

  // What went wrong stays, or nobody who looks up later would know; of that the newest.
  void drop_what_is_over() {
    int troubled = 0;
    for (auto each = runs_.end(); each != runs_.begin();) {
      --each;
      const auto& over = each->second.over;
      if (!over || Clock::now() - *over <= kOverShown) continue;
      if (trouble_of_run(each->second.run).empty() || ++troubled > kMostTroubled) each = runs_.erase(each);
    }
  }

  // In so many lines; 0: in all that there are.
  std::string picture(std::size_t height) const {
    Screen screen = stdout_screen();
    screen.height = height;
    std::map<std::int64_t, LiveRun> runs(runs_.begin(), runs_.end());
    return live_text(runs, screen) + trouble_;
  }

  // What remains of the running runs by now; what their GPUs did in the last quarter of an hour, where a trace says it.
  void ask_anew() {
    std::optional<Result<HttpClient>> client;
    for (auto& [id, shown] : runs_) {
      const auto now = Clock::now();
      if (shown.over || (shown.asked && now - *shown.asked < kAskEvery)) continue;
      shown.asked = now;
      if (!client) client.emplace(HttpClient::connect(common_.socket));
      const auto ask = [&](const std::string& target) {
        if (!*client) return Object();
        const auto response = (*client)->get(target);
        return response && response->ok() ? object_in(response->body).value_or(Object()) : Object();
      };
      const Object run = ask("/v1/runs/" + std::to_string(id));
      // A watch tells no change that is time's alone.
      if (text_of(run, "state") == "running")
        for (const char* const name : {"remaining", "expected_end"})
          if (const auto* const now_so = run.if_contains(name)) shown.run[name] = *now_so;
      const Object& usage = object_of(run, "usage");
      if (array_of(usage, "gpus").empty()) continue;
      shown.gpu_use = gpu_use(usage, ask("/v1/series/gpu.utilization?from=15m&step=60"));
    }
  }

  const Common& common_;
  std::string target_;
  std::map<std::int64_t, Shown> runs_;
  std::string trouble_;
  bool quit_ = false;
};

}  // namespace

int watch_runs(const Common& common, const std::string& target) {
  if (isatty(STDOUT_FILENO) == 0 || common.json) return watch_lines(common, target);
  return LiveView(common, target).run();
}

}  // namespace etad::client
