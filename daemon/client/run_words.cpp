#include "daemon/client/run_words.h"

#include <algorithm>
#include <cmath>

namespace etad::client {

std::string name_of_run(const Object& run) {
  const std::string network = text_of(run, "network");
  if (!network.empty()) return network;
  // Its log's name, without its ending: the end of a long one tells more than its beginning.
  constexpr std::size_t kLongest = 24;
  std::string source = text_of(run, "source");
  source.erase(0, source.rfind('/') + 1);
  for (const char* ending : {".gz", ".log", ".txt", ".out", ".csv"})
    if (source.ends_with(ending) && source.size() > std::string_view(ending).size())
      source.resize(source.size() - std::string_view(ending).size());
  return cut_head(source, kLongest);
}

std::string run_id_text(const Object& run) {
  return std::to_string(static_cast<std::int64_t>(number_of(run, "id")));
}

double Progress::fraction() const {
  return of > 0 ? std::clamp(iteration / of, 0.0, 1.0) : 0;
}

Progress progress_of(const Object& run) {
  const Object& progress = object_of(run, "progress");
  return {number_of(progress, "iteration"), number_of(progress, "of")};
}

std::string percent_done(const Progress& progress) {
  return progress.of > 0 ? std::to_string(static_cast<int>(std::floor(100 * progress.fraction()))) + " %"
                         : "-";
}

std::string iterations_text(const Progress& progress) {
  const std::string at = count_text(static_cast<std::int64_t>(progress.iteration));
  return progress.of > 0 ? at + " of " + count_text(static_cast<std::int64_t>(progress.of)) : at;
}

bool is_stalled(const Object& run) {
  const boost::json::value* stalled = run.if_contains("stalled");
  return stalled != nullptr && stalled->is_bool() && stalled->get_bool();
}

std::string trouble_of_run(const Object& run) {
  const std::string state = text_of(run, "state");
  if (state == "failed") {
    const std::string message = text_of(run, "message");
    return message.empty() ? "failed" : "failed: " + message;
  }
  if (state == "lost") return "lost: its log went silent";
  if (state != "running") return "";
  std::string out = is_stalled(run) ? "may hang" : "";
  if (const double slowdown = number_of(object_of(run, "anomaly"), "slowdown"); slowdown > 0)
    out += (out.empty() ? "" : ", ") + number_text(slowdown) + " x slower";
  return out;
}

std::string time_of_run(const Object& run) {
  if (text_of(run, "state") == "running") {
    const std::string trouble = trouble_of_run(run);
    const std::string first = trouble.empty() ? "" : trouble + ", ";  // what is wrong is never cut off
    const Object& remaining = object_of(run, "remaining");
    if (!remaining.empty()) return first + interval_text(remaining) + " left";
    return first + (progress_of(run).of > 0 ? "remaining time not known yet" : "its end is not known");
  }
  if (known(run, "wall_seconds")) return "took " + duration_text(number_of(run, "wall_seconds"));
  const double seconds =
      number_of(object_of(run, "train"), "seconds") + number_of(object_of(run, "test"), "seconds");
  return seconds > 0 ? duration_text(seconds) + " measured" : "-";  // its log shows no clock
}

Colour colour_of_state(const std::string& state) {
  if (state == "running") return Colour::green;
  if (state == "failed") return Colour::red;
  if (state == "lost" || state == "stopped") return Colour::yellow;
  return Colour::none;
}

}  // namespace etad::client
