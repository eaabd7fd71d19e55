// The live view of `etactl runs --watch`.
#include <algorithm>
#include <array>
#include <cmath>

#include "daemon/client/plot.h"
#include "daemon/client/run_words.h"
#include "parsers/base/timestamp.h"

namespace etad::client {
namespace {

constexpr std::size_t kRunIndent = 6;      // of a run's second line: below its name
constexpr std::size_t kSparkColumns = 15;  // of the use of its GPUs: a minute each

// How much a detail says of itself, as far as there is room.
enum class Words : std::uint8_t { many, few, fewest };

std::string iterations_detail(const Object& run, Words words) {
  const Progress progress = progress_of(run);
  if (!(progress.of > 0)) return {};  // the first line has them
  if (words == Words::many) return iterations_text(progress);
  const auto text = [&](double n) {
    return words == Words::few || n < 10'000 ? count_text(static_cast<std::int64_t>(n)) : metric_text(n, "");
  };
  return text(progress.iteration) + "/" + text(progress.of);
}

// "12:08", and the day before it where that is another one than that of the last line.
std::string clock_text(const Object& run, Words words) {
  const std::string end = time_text(text_of(run, "expected_end")),
                    now = time_text(text_of(run, "last_line_at"));
  if (end.size() != 16 || now.size() != 16) return end;
  const bool today = end.substr(0, 10) == now.substr(0, 10);
  return today || words == Words::fewest ? end.substr(11) : end.substr(5);
}

std::string details_text(const LiveRun& live, Words words) {
  const Object& run = live.run;
  std::string out;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) out += (out.empty() ? "" : words == Words::many ? ", " : "  ") + text;
  };
  const auto said = [&](const char* behind) { return words == Words::many ? behind : ""; };
  add(iterations_detail(run, words));
  if (const Object& step = object_of(run, "pace"); known(step, "seconds_per_iteration"))
    add(duration_text(number_of(step, "seconds_per_iteration")) + said(" each"));
  const auto from = from_rfc3339(text_of(run, "started_at")), to = from_rfc3339(text_of(run, "last_line_at"));
  if (from && to && *to >= *from) add(duration_text(to_seconds(*to - *from)) + said(" so far"));
  if (!text_of(run, "expected_end").empty()) add("ends " + clock_text(run, words));
  if (const Object& progress = object_of(run, "progress"); known(progress, "loss"))
    add("loss " + number_text(number_of(progress, "loss")));
  if (!live.gpu_use.empty()) add("GPU " + number_text(live.gpu_use.back(), 2) + " %");
  return out;
}

std::string second_line(const LiveRun& live, std::size_t width) {
  const std::size_t room = width > kRunIndent ? width - kRunIndent : 0;
  std::string out;
  for (const Words words : {Words::many, Words::few, Words::fewest}) {
    out = details_text(live, words);
    if (width_of(out) <= room) break;
  }
  if (out.empty()) return out;
  if (live.gpu_use.size() > 1 && width_of(out) + kSparkColumns < room) {
    const std::size_t first = live.gpu_use.size() - std::min(kSparkColumns, live.gpu_use.size());
    out += " " + spark_text({live.gpu_use.begin() + static_cast<std::ptrdiff_t>(first), live.gpu_use.end()},
                            0, 100);
  }
  return cut(std::string(kRunIndent, ' ') + out, width);
}

// What is in trouble first, then the newest.
std::vector<const std::pair<const std::int64_t, LiveRun>*> in_order(
    const std::map<std::int64_t, LiveRun>& runs) {
  std::vector<const std::pair<const std::int64_t, LiveRun>*> out;
  for (auto each = runs.rbegin(); each != runs.rend(); ++each) out.push_back(&*each);
  std::stable_partition(out.begin(), out.end(),
                        [](const auto* each) { return !trouble_of_run(each->second.run).empty(); });
  return out;
}

}  // namespace

std::string live_text(const std::map<std::int64_t, LiveRun>& runs, const Screen& screen) {
  if (runs.empty()) return "No run is under way.\n";
  const std::size_t width = screen.width == 0 ? 80 : screen.width;
  std::size_t widest = 0;
  for (const auto& [id, live] : runs) widest = std::max(widest, width_of(name_of_run(live.run)));
  const std::size_t name_width = std::min(widest, std::max<std::size_t>(6, width / 5));
  std::string out;
  std::size_t shown = 0;
  for (const auto* each : in_order(runs)) {
    const auto& [id, live] = *each;
    const std::size_t above = out.size();
    const Object& run = live.run;
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
    const std::string details = state == "running" ? second_line(live, width) : "";
    if (!details.empty()) out += coloured(details, Colour::dim, screen.colours) + "\n";
    const std::size_t behind = runs.size() - ++shown;  // which then take a line
    const auto lines = static_cast<std::size_t>(std::count(out.begin(), out.end(), '\n'));
    if (screen.height == 0 || lines + (behind > 0 ? 1 : 0) <= screen.height) continue;
    out.resize(above);
    return out + cut("and " + counted(static_cast<std::int64_t>(behind + 1), "more run"), width) + "\n";
  }
  return out;
}

}  // namespace etad::client
