// Runs as text: the table, the live view, and single lines for a pipe.
#include <algorithm>
#include <cmath>

#include "daemon/client/deployment_words.h"
#include "daemon/client/run_words.h"

namespace etad::client {
namespace {

namespace json = boost::json;

// As everywhere: the samples an iteration works through, on all devices together.
std::string batch_text(const Object& run) {
  const double train = number_of(object_of(run, "train"), "samples_per_iteration");
  const double test = number_of(object_of(run, "test"), "samples_per_iteration");
  const auto whole = [](double n) { return count_text(static_cast<std::int64_t>(n)); };
  if (train > 0) return whole(train);
  return test > 0 ? whole(test) + " (test)" : "-";
}

}  // namespace

std::string runs_text(const Object& answer, const Screen& screen) {
  Table table({">id", "network", "state", "?>done", "iterations", "?>batch", "?framework", "?device",
               "?started", "time"});
  for (const json::value& each : array_of(answer, "runs")) {
    if (!each.is_object()) continue;
    const Object& run = each.get_object();
    const Progress progress = progress_of(run);
    const std::string started = text_of(run, "started_at");
    table.row({run_id_text(run), name_of_run(run), text_of(run, "state"), percent_done(progress),
               iterations_text(progress), batch_text(run), text_of(run, "framework"), devices_text(run),
               started.empty() ? "-" : time_text(started), time_of_run(run)});
  }
  if (table.empty()) return "No such runs; `etactl runs --all` also lists those that are over.\n";
  std::string out = table.text(screen.width, screen.colours);
  if (!text_of(answer, "next").empty()) out += "There is more: ask with a higher --limit.\n";
  return out;
}

std::string run_line(const Object& run) {
  const Progress progress = progress_of(run);
  std::string out = "run " + run_id_text(run) + " " + name_of_run(run) + " " + text_of(run, "state") + ": " +
                    iterations_text(progress) + " iterations, " + time_of_run(run);
  if (const std::string end = text_of(run, "expected_end"); !end.empty()) out += ", until " + time_text(end);
  return out + "\n";
}

std::string live_text(const std::map<std::int64_t, Object>& runs, const Screen& screen) {
  if (runs.empty()) return "No run is under way.\n";
  const std::size_t width = screen.width == 0 ? 80 : screen.width;
  std::size_t widest = 0;
  for (const auto& [id, run] : runs) widest = std::max(widest, width_of(name_of_run(run)));
  const std::size_t name_width = std::min(widest, std::max<std::size_t>(6, width / 5));
  std::string out;
  for (const auto& [id, run] : runs) {
    const Progress progress = progress_of(run);
    const std::string state = text_of(run, "state");
    const std::string head = padded(std::to_string(id), 4, true) + "  " +
                             padded(cut(name_of_run(run), name_width), name_width) + "  ";
    const std::string done =
        padded(progress.of > 0 ? percent_done(progress) : "at " + iterations_text(progress), 5, true) + "  ";
    const Object& remaining = object_of(run, "remaining");
    const std::string trouble = trouble_of_run(run);
    std::string time = state == "running" ? time_of_run(run) : trouble.empty() ? state : trouble;
    const auto room = [&] { return width_of(head) + width_of(done) + width_of(time) + 2; };
    // The narrower the screen, the less: first the interval goes, then the bar, never what is wrong.
    if (room() + 12 > width && state == "running") {
      time = remaining.empty() ? "" : duration_text(number_of(remaining, "seconds")) + " left";
      if (!trouble.empty()) time = trouble + (time.empty() ? "" : ", ") + time;
      if (time.empty()) time = time_of_run(run);
    }
    const std::size_t space = width > room() ? width - room() : 0;
    const std::string progress_bar = space >= 6 && progress.of > 0
                                         ? bar(progress.fraction(), std::min<std::size_t>(space, 40)) + "  "
                                         : "";
    const std::string plain = cut(head + progress_bar + done + time, width);
    const Colour calm = state == "running" ? Colour::none : colour_of_state(state);
    out +=
        coloured(plain, state == "running" && !trouble.empty() ? Colour::red : calm, screen.colours) + "\n";
  }
  return out;
}

}  // namespace etad::client
