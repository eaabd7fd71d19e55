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

std::string table_of_runs(const Object& answer, const Screen& screen, const char* none) {
  Table table({">id", "<network", "state", "?>done", "iterations", "?>batch", "?framework", "?device",
               "?started", "time"});
  for (const Object& run : objects_of(answer, "runs")) {
    const Progress progress = progress_of(run);
    const std::string started = text_of(run, "started_at");
    table.row({run_id_text(run), name_of_run(run), text_of(run, "state"), percent_done(progress),
               iterations_text(progress), batch_text(run), text_of(run, "framework"), devices_text(run),
               started.empty() ? "-" : time_text(started), time_of_run(run)});
  }
  if (table.empty()) return none;
  std::string out = table.text(screen.width, screen.colours);
  if (!text_of(answer, "next").empty()) out += "There is more: ask with a higher --limit.\n";
  return out;
}

}  // namespace

std::string runs_text(const Object& answer, const Screen& screen) {
  return table_of_runs(answer, screen,
                       "No such runs. Only those under way are listed, unless --all is given.\n");
}

std::string all_runs_text(const Object& answer, const Screen& screen) {
  return table_of_runs(answer, screen, "The history has no such run.\n");
}

std::string run_line(const Object& run) {
  const Progress progress = progress_of(run);
  std::string out = "run " + run_id_text(run) + " " + name_of_run(run) + " " + text_of(run, "state") + ": " +
                    iterations_text(progress) + " iterations, " + time_of_run(run);
  if (const std::string end = text_of(run, "expected_end"); !end.empty()) out += ", until " + time_text(end);
  if (const std::string why = text_of(run, "message"); text_of(run, "state") == "failed" && !why.empty())
    out += "; " + why;
  return out + "\n";
}

}  // namespace etad::client
