// One run in full: what it is, how far it came, what its GPUs did, what was predicted of it.
#include <cmath>

#include "daemon/client/deployment_words.h"
#include "daemon/client/run_words.h"

namespace etad::client {
namespace {

namespace json = boost::json;

constexpr std::size_t kIndent = 12;  // of what stands behind a heading

// "  heading   text\n"
std::string entry(const std::string& heading, const std::string& text) {
  return padded("  " + heading, kIndent) + text + "\n";
}

std::string head_text(const Object& run) {
  const std::string architecture = text_of(run, "architecture");
  std::string out = name_of_run(run);
  if (!architecture.empty()) out += " (" + architecture + ")";
  out += ", " + text_of(run, "job") + ": " + text_of(run, "state");
  return out;
}

std::string progress_text(const Object& run) {
  const Progress progress = progress_of(run);
  std::string out = iterations_text(progress) + " iterations";
  if (progress.of > 0) out = percent_done(progress) + ": " + out;
  out += ", " + time_of_run(run);
  if (const std::string end = text_of(run, "expected_end"); !end.empty()) out += ", until " + time_text(end);
  if (const Object& left = object_of(run, "remaining"); !left.empty() && text_of(run, "state") != "running")
    out += "; " + interval_text(left) + " were left when its log ended";
  return out;
}

std::string times_text(const Object& run) {
  const std::string from = text_of(run, "started_at"), to = text_of(run, "ended_at");
  if (from.empty()) return "";
  return "from " + time_text(from) + (to.empty() ? "" : " to " + time_text(to));
}

std::string phase_text(const Object& phase) {
  const double iterations = number_of(phase, "iterations"), seconds = number_of(phase, "seconds");
  const double batch = number_of(phase, "batch_size"), samples = number_of(phase, "samples_per_iteration");
  std::string out = counted(count_of(phase, "iterations"), "iteration");
  if (samples > 0)
    out += ", batch " + count_text(count_of(phase, "samples_per_iteration")) + tokens_text(phase);
  if (batch > 0 && samples != batch)
    out += samples > 0 ? " (" + count_text(count_of(phase, "batch_size")) + " on each device at a time)"
                       : ", batch " + count_text(count_of(phase, "batch_size")) + " on each device";
  if (!(iterations > 0) || !(seconds > 0)) return out;
  out += ", in " + duration_text(seconds) + ": " + duration_text(seconds / iterations) + " each";
  if (samples > 0) out += ", " + number_text(samples * iterations / seconds, 4) + " samples/s";
  if (const double tokens = number_of(phase, "tokens_per_iteration"); tokens > 0)
    out += ", " + number_text(tokens * iterations / seconds, 4) + " tokens/s";
  return out;
}

std::string besides_text(const Object& run) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : ", ") + text; };
  if (known(run, "startup_seconds"))
    add(duration_text(number_of(run, "startup_seconds")) + " until the first progress");
  if (const std::int64_t n = count_of(run, "snapshots"); n > 0) {
    const double seconds = number_of(run, "snapshot_seconds");
    add(counted(n, "snapshot") + (seconds > 0 ? " in " + duration_text(seconds) : ""));
  }
  if (const std::int64_t n = count_of(run, "stalls"); n > 0) add(counted(n, "stall") + " for want of data");
  return out;
}

std::string figures_text(const Object& figures) {
  std::string out;
  const auto add = [&](std::string_view name, auto text) {
    if (known(figures, name)) out += (out.empty() ? "" : ", ") + text(number_of(figures, name));
  };
  add("utilization_percent", [](double v) { return percent_text(v) + " busy"; });
  add("power_watts", [](double v) { return metric_text(v, "W"); });
  add("energy_joules", [](double v) { return metric_text(v, "J"); });
  add("peak_memory_bytes", [](double v) { return "at most " + bytes_text(v) + " of memory"; });
  return out.empty() ? "nothing known" : out;
}

// A running run's step time and its silence.
std::string step_time_text(const Object& run) {
  std::string out;
  if (const Object& step = object_of(run, "pace"); !step.empty()) {
    out += entry("step time", duration_text(number_of(step, "seconds_per_iteration")) + " (" +
                                  duration_text(number_of(step, "lower")) + " to " +
                                  duration_text(number_of(step, "upper")) + "), since iteration " +
                                  count_text(count_of(step, "since_iteration")));
  }
  if (is_stalled(run)) out += entry("silent", "for far longer than it ever was: it may hang");
  return out;
}

// The least share of the run's time that one of the values rests on, unless it is all of it.
std::string covered_text(const Object& figures) {
  const Object& covered = object_of(figures, "covered");
  double least = 1;
  for (const char* name : {"utilization", "power", "memory"}) {
    if (known(covered, name)) least = std::min(least, number_of(covered, name));
  }
  return least < 0.995 ? "; traced for " + percent_text(100 * least) + " of its time" : "";
}

std::string usage_text(const Object& usage) {
  if (const std::string absent = text_of(usage, "absent"); !absent.empty()) {
    const std::string hint = text_of(usage, "hint");
    return entry("GPUs", "not known: " + absent) + (hint.empty() ? "" : entry("", hint));
  }
  const auto gpus = objects_of(usage, "gpus");
  if (gpus.empty()) return "";
  std::string out = entry(gpus.size() == 1 ? "GPU" : "GPUs", figures_text(usage) + covered_text(usage));
  if (gpus.size() == 1) return out;
  for (const Object& gpu : gpus) {
    out += entry("  " + text_of(gpu, "gpu"), figures_text(gpu) + covered_text(gpu));
  }
  return out;
}

std::string unit_text(double value, const std::string& unit) {
  if (unit == "%") return percent_text(value);
  if (unit == "Hz" || unit == "W") return metric_text(value, unit);
  if (unit == "C") return number_text(value) + " °C";
  return percent_text(100 * value) + " of the time";  // a flag
}

std::string anomaly_text(const Object& anomaly) {
  if (anomaly.empty()) return "";
  std::string out =
      entry("slower", number_text(number_of(anomaly, "slowdown")) + " x its model since iteration " +
                          count_text(count_of(anomaly, "since_iteration")) + ": " +
                          duration_text(number_of(anomaly, "lost_seconds")) + " lost");
  const Object& traces = object_of(anomaly, "traces");
  for (const Object& gpu : objects_of(traces, "gpus")) {
    for (const Object& value : objects_of(gpu, "values")) {
      const std::string unit = text_of(value, "unit");
      const auto shown = [&](std::string_view name) {
        return known(value, name) ? unit_text(number_of(value, name), unit) : std::string("not known");
      };
      out += entry("", "GPU " + text_of(gpu, "gpu") + " " + text_of(value, "series") + ": " + shown("since") +
                           ", before " + shown("before"));
    }
  }
  return out;
}

// "heading  a=1  b=2", over as many lines as it takes.
std::string pairs_text(const char* heading, const Object& settings, std::size_t width) {
  const std::size_t room = (width == 0 ? 80 : std::max<std::size_t>(width, kIndent + 20)) - kIndent;
  std::string out, line;
  for (const auto& [key, value] : settings) {
    const std::string text = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
    const std::string item = printable(std::string(key) + "=" + text);
    if (!line.empty() && width_of(line) + width_of(item) + 2 > room) {
      out += entry(out.empty() ? heading : "", line);
      line.clear();
    }
    line += (line.empty() ? "" : "  ") + item;
  }
  return line.empty() ? out : out + entry(out.empty() ? heading : "", line);
}

std::string predictions_text(const Object& run, const Screen& screen) {
  Table table({"predicted", ">at", ">seconds", "interval", ">actual", ">error"});
  for (const Object& row : objects_of(run, "predictions")) {
    table.row({text_of(row, "kind"), trimmed(number_text(100 * number_of(row, "at_fraction"))) + " %",
               duration_text(number_of(row, "seconds")),
               duration_text(number_of(row, "lower")) + " to " + duration_text(number_of(row, "upper")),
               known(row, "actual_seconds") ? duration_text(number_of(row, "actual_seconds")) : "-",
               known(row, "error_percent") ? percent_text(number_of(row, "error_percent")) : "-"});
  }
  return table.empty() ? "" : "\n" + table.text(screen.width, screen.colours);
}

std::string layers_text(const Object& run, const Screen& screen) {
  Table table({"layer", ">forward", ">backward"});
  for (const Object& row : objects_of(run, "layer_times")) {
    table.row({text_of(row, "layer"), duration_text(number_of(row, "forward_seconds")),
               duration_text(number_of(row, "backward_seconds"))});
  }
  return table.empty() ? "" : "\n" + table.text(screen.width, screen.colours);
}

}  // namespace

std::string run_text(const Object& run, const Screen& screen) {
  std::string out = coloured("run " + run_id_text(run) + ": " + head_text(run),
                             colour_of_state(text_of(run, "state")), screen.colours) +
                    "\n";
  out += entry("on", place_text(run) + ", by " + text_of(run, "framework"));
  out += entry("log", text_of(run, "source"));
  if (text_of(run, "network").empty())
    out += entry("network", "its log names none: `etactl label " + run_id_text(run) +
                                " network=NAME` does, so that it counts for estimates");
  if (const std::string times = times_text(run); !times.empty()) out += entry("time", times);
  out += entry("progress", progress_text(run));
  for (const char* phase : {"train", "test"}) {
    const Object& summary = object_of(run, phase);
    if (number_of(summary, "iterations") > 0) out += entry(phase, phase_text(summary));
  }
  if (const std::string besides = besides_text(run); !besides.empty()) out += entry("besides", besides);
  out += step_time_text(run) + anomaly_text(object_of(run, "anomaly"));
  out += usage_text(object_of(run, "usage"));
  if (const std::string message = text_of(run, "message"); !message.empty()) out += entry("error", message);
  const json::value* diverged = run.if_contains("diverged");
  if (diverged != nullptr && diverged->is_bool() && diverged->get_bool())
    out += entry("diverged", "the loss is no number: its times are not the network's");
  out += pairs_text("settings", object_of(run, "settings"), screen.width);
  out += pairs_text("labels", object_of(run, "labels"), screen.width);
  return out + predictions_text(run, screen) + layers_text(run, screen);
}

}  // namespace etad::client
