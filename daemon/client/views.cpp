#include "daemon/client/views.h"

#include <cmath>
#include <vector>

#include "daemon/client/deployment_words.h"
#include "daemon/client/text.h"

namespace etad::client {
namespace {

namespace json = boost::json;

std::string when(const Object& object, std::string_view name) {
  const std::string text = text_of(object, name);
  return text.empty() ? "-" : time_text(text);
}

// "16 to 64", "64", or what stands for an unknown range.
std::string range_text(const Object& range) {
  const double min = number_of(range, "min"), max = number_of(range, "max");
  if (max == 0) return "-";
  const std::string high = count_text(static_cast<std::int64_t>(max));
  return min == max ? high : count_text(static_cast<std::int64_t>(min)) + " to " + high;
}

// `how` to ask for what is not on this page.
std::string more_text(const Object& answer, const std::string& how = "ask for it with --limit") {
  return text_of(answer, "next").empty() ? "" : "There is more: " + how + ".\n";
}

std::string error_text(const Object& model) {
  return known(model, "error_percent")
             ? "cross-validated error " + percent_text(number_of(model, "error_percent"))
             : "tested on no other run yet";
}

// Where runs contradict each other: whose speak.
std::string dispute_text(const Object& model) {
  const Object& dispute = object_of(model, "disputed");
  if (dispute.empty()) return "";
  if (is_true(dispute, "own_runs")) return ", your own runs: others' contradict them";
  return ", " + counted(count_of(dispute, "left_out_runs"), "run") + " that contradict them left out";
}

// "model 12: 7 runs, 140 measurements, cross-validated error 1.4 %, fitted 2026-11-20 12:00"
std::string basis_text(const Object& model) {
  if (!known(model, "id")) return "that run alone, " + counted(count_of(model, "segments"), "measurement");
  return "model " + std::to_string(count_of(model, "id")) + ": " + counted(count_of(model, "runs"), "run") +
         ", " + counted(count_of(model, "segments"), "measurement") + ", " + error_text(model) +
         (text_of(model, "changed_at").empty() ? "" : ", deployment changed " + when(model, "changed_at")) +
         dispute_text(model) + ", fitted " + when(model, "fitted_at");
}

std::string sources_line(const Object& sources, const Object& lag) {
  const auto* looking = sources.if_contains("looking");
  if (looking != nullptr && looking->is_bool() && looking->get_bool())
    return "sources  still being looked up: the daemon has just started\n";
  std::string out = "sources  " + count_text(count_of(sources, "followed")) + " followed, " +
                    count_text(count_of(sources, "failing")) + " failing; ";
  const double behind = number_of(lag, "bytes");
  if (behind == 0) return out + "all read\n";
  return out + bytes_text(behind) + " behind for " + duration_text(number_of(lag, "seconds")) + "\n";
}

// What may be meant so: the things themselves, the first few of them, and what to do about it.
std::string notes_text(const Object& health, const Screen& screen) {
  constexpr std::size_t kShown = 5;
  std::string out;
  for (const Object& note : objects_of(health, "notes")) {
    const auto& subjects = array_of(note, "subjects");
    out += coloured("? " + text_of(note, "part"), Colour::yellow, screen.colours) + ": " +
           count_text(count_of(note, "count")) + " " + text_of(note, "why") + "\n";
    for (std::size_t i = 0; i < std::min(subjects.size(), kShown); ++i)
      if (const auto* subject = subjects[i].if_string()) out += "    " + printable(*subject) + "\n";
    const auto more = count_of(note, "count") - static_cast<std::int64_t>(std::min(subjects.size(), kShown));
    if (more > 0 && !subjects.empty()) out += "    and " + count_text(more) + " more\n";
    if (const std::string hint = text_of(note, "hint"); !hint.empty()) out += "  " + hint + "\n";
  }
  return out;
}

}  // namespace

std::string text_of(const Object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  const auto* text = value != nullptr ? value->if_string() : nullptr;
  return text != nullptr ? printable(*text) : std::string();
}

bool is_true(const Object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

bool known(const Object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_number();
}

double number_of(const Object& object, std::string_view name) {
  const json::value* value = object.if_contains(name);
  return value != nullptr && value->is_number() ? value->to_number<double>() : 0;
}

const Object& object_of(const Object& object, std::string_view name) {
  static const Object kNone;
  const json::value* value = object.if_contains(name);
  const auto* found = value != nullptr ? value->if_object() : nullptr;
  return found != nullptr ? *found : kNone;
}

const json::array& array_of(const Object& object, std::string_view name) {
  static const json::array kNone;
  const json::value* value = object.if_contains(name);
  const auto* found = value != nullptr ? value->if_array() : nullptr;
  return found != nullptr ? *found : kNone;
}

std::optional<Object> object_in(std::string_view text) {
  json::error_code error;
  json::value value = json::parse(text, error);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

std::vector<std::reference_wrapper<const Object>> objects_of(const Object& object, std::string_view name) {
  std::vector<std::reference_wrapper<const Object>> out;
  for (const json::value& each : array_of(object, name))
    if (each.is_object()) out.emplace_back(each.get_object());
  return out;
}

std::string interval_text(const Object& object) {
  if (!object.contains("seconds")) return "-";
  return duration_text(number_of(object, "seconds")) + " (" + duration_text(number_of(object, "lower")) +
         " to " + duration_text(number_of(object, "upper")) + ")";
}

// "refused  59,000 runs of networks beyond the budget of user 1002; last 2026-11-20 12:00"
std::string refused_line(const Object& row) {
  const std::string what = text_of(row, "what");
  const std::string count = what == "bytes"    ? bytes_text(number_of(row, "count")) + " of log"
                            : what == "series" ? counted(count_of(row, "count"), "sample") + " of series"
                            : what == "runs"   ? counted(count_of(row, "count"), "run")
                                               : counted(count_of(row, "count"), "run") + " of networks";
  const std::string user =
      known(row, "owner") ? "user " + std::to_string(count_of(row, "owner")) : "an unknown user";
  return "refused  " + count + " beyond the budget of " + user + "; last " + when(row, "last_at") + "\n";
}

std::string status_text(const Object& health, const Screen& screen) {
  const bool ok = text_of(health, "status") == "ok";
  std::string out = "etad " + text_of(health, "version") + ": " +
                    coloured(text_of(health, "status"), ok ? Colour::green : Colour::red, screen.colours) +
                    ", up for " + duration_text(number_of(health, "uptime_seconds")) + "\n";
  for (const Object& part : objects_of(health, "failing")) {
    out += coloured("! " + text_of(part, "part"), Colour::red, screen.colours) + ": " + text_of(part, "why") +
           "\n";
    if (const std::string hint = text_of(part, "hint"); !hint.empty()) out += "  " + hint + "\n";
  }
  out += notes_text(health, screen);
  const Object& history = object_of(health, "history");
  out += sources_line(object_of(health, "sources"), object_of(health, "lag"));
  out += "runs     " + count_text(count_of(object_of(health, "runs"), "running")) + " running\n";
  out += "history  " + counted(count_of(history, "runs"), "run") + ", " +
         counted(count_of(history, "segments"), "measurement") + ", " +
         bytes_text(number_of(history, "bytes")) + "; last commit " + when(health, "last_commit") + "\n";
  for (const Object& row : objects_of(history, "refused")) out += refused_line(row);
  out += "models   " + count_text(count_of(health, "models")) + "; last refit " + when(health, "last_refit") +
         "\n";
  return out;
}

namespace {

// How far the machine's last runs have moved the estimate; empty where it rounds to nothing.
std::string drift_text(const Object& estimate) {
  const double factor = number_of(estimate, "mood");
  if (!(factor > 0)) return "";
  const double percent = 100 * (factor - 1);
  if (std::abs(percent) < 0.5) return "";
  return "  the last runs here took " + percent_text(std::abs(percent)) +
         (percent > 0 ? " longer" : " less") + " than usual: counted in\n";
}

// What of it never ran, in the words of the question's kind; what no network ever had says most.
std::string never_ran_text(const Object& said, const Object& estimate) {
  const std::string kind = text_of(said, "kind");
  if (kind == "network") return "this network never ran here: told by what its layers cost";
  const std::string devices = counted(count_of(estimate, "devices"), "device");
  std::string out;
  for (const auto& fact : array_of(said, "new_here"))
    out += (out.empty() ? "nothing here ever ran on " : ", nor on ") +
           (fact == "host" ? "the host " + text_of(estimate, "host") : devices);
  if (!out.empty()) return out;
  if (kind == "batch_size") return "it never ran with this batch size";
  if (kind == "settings") return "it never ran with these settings, or in this phase";
  if (kind == "devices") return "it never ran on " + devices;
  return kind == "device" ? "it never ran on this machine" : "";
}

// The model that answered, or, where the question had to be bridged, who did that and from what. `said`: of the
// estimate, or of one of its parts.
std::string foundation_text(const Object& said, const Object& estimate) {
  const Object& estimator = object_of(said, "estimator");
  const Object& rests_on = object_of(said, "rests_on");
  if (estimator.empty() || text_of(estimator, "name") == "end_to_end")
    return basis_text(object_of(said, "model"));
  std::string out = counted(count_of(rests_on, "runs"), "run") + " of " +
                    counted(count_of(rests_on, "networks"), "network") + " on " +
                    counted(count_of(rests_on, "devices"), "device model") + ", estimator " +
                    text_of(estimator, "name");
  if (known(estimator, "left_out_error_percent"))
    out += ": error " + percent_text(number_of(estimator, "left_out_error_percent")) + " in " +
           counted(count_of(estimator, "tested_on"), "such question");
  const std::string never = object_of(said, "model").empty() ? never_ran_text(said, estimate) : "";
  return never.empty() ? out : out + "; " + never;
}

}  // namespace

std::string estimate_text(const Object& estimate, const Screen& screen) {
  std::string out = coloured(interval_text(estimate), Colour::bold, screen.colours) + "\n";
  out += "  " + or_dash(text_of(estimate, "network")) + ", " + text_of(estimate, "phase") + ": " +
         counted(count_of(estimate, "iterations"), "iteration");
  if (number_of(estimate, "batch_size") > 0)
    out += " over " + counted(count_of(estimate, "batch_size"), "sample") + tokens_text(estimate) + " each";
  out += "; " + deployment_text(estimate);
  out += "\n  " + duration_text(number_of(estimate, "seconds_per_iteration")) + " an iteration";
  if (const double rate = number_of(estimate, "samples_per_second"); rate > 0) {
    out += ", " + number_text(rate, 4) + " samples/s";
  }
  if (const double rate = number_of(estimate, "tokens_per_second"); rate > 0)
    out += ", " + number_text(rate, 4) + " tokens/s";
  out += "; the interval holds " + confidence_text(estimate) + " of 100 runs\n";
  for (const Object& part : objects_of(estimate, "parts")) {
    out += "  " + padded(text_of(part, "phase"), 8) + "  " + interval_text(part);
    const bool is_counted = object_of(part, "model").empty() && object_of(part, "estimator").empty();
    out +=
        ", " +
        (is_counted ? "as in " + counted(count_of(part, "runs"), "run") : foundation_text(part, estimate)) +
        "\n";
  }
  if (array_of(estimate, "parts").empty()) out += "  rests on " + foundation_text(estimate, estimate) + "\n";
  out += drift_text(estimate);
  if (const auto alike = count_of(estimate, "alike"); alike > 1)
    out += "  " + counted(alike, "deployment") + " fit and answer alike: the bounds are those of all\n";
  if (const auto& outside = array_of(estimate, "extrapolates"); !outside.empty()) {
    out += coloured("  outside what was seen: " + joined(outside), Colour::yellow, screen.colours) + "\n";
  }
  return out;
}

std::string cost_text(const Object& estimate, const Screen& screen) {
  const bool energy = text_of(estimate, "unit") == "J";
  const auto value = [&](const char* name) {
    return energy ? metric_text(number_of(estimate, name), "J") : bytes_text(number_of(estimate, name));
  };
  std::string out = coloured(value("value") + " (" + value("lower") + " to " + value("upper") + ")",
                             Colour::bold, screen.colours) +
                    "\n  " + or_dash(text_of(estimate, "network")) + ", " + text_of(estimate, "phase") + ": ";
  out += energy ? "energy of " + counted(count_of(estimate, "iterations"), "iteration")
                : "peak memory of a device";
  if (number_of(estimate, "batch_size") > 0)
    out +=
        " over " + counted(count_of(estimate, "batch_size"), "sample") + (energy ? " each" : " an iteration");
  return out + "; " + deployment_text(estimate) + "\n  the interval holds " + confidence_text(estimate) +
         " of 100 runs\n  rests on " +
         (count_of(object_of(estimate, "rests_on"), "runs") > 0
              ? foundation_text(estimate, estimate)
              : "the network's description, estimator " + text_of(object_of(estimate, "estimator"), "name") +
                    ": nobody measured it") +
         "\n";
}

std::string models_text(const Object& answer, const Screen& screen) {
  Table table({">id", "<network", "phase", "?framework", "?device", ">runs", ">error", "batch sizes",
               "iterations", "?formula"});
  for (const Object& model : objects_of(answer, "models")) {
    const Object& seen = object_of(model, "seen");
    table.row({std::to_string(count_of(model, "id")), or_dash(text_of(model, "network")),
               text_of(model, "phase"), text_of(model, "framework"), devices_text(model),
               count_text(count_of(model, "runs")),
               known(model, "error_percent") ? percent_text(number_of(model, "error_percent")) : "-",
               range_text(object_of(seen, "batch_size")), range_text(object_of(seen, "iterations")),
               text_of(model, "basis")});
  }
  if (table.empty()) return "No such models: a network's models come with its first measurements.\n";
  return table.text(screen.width, screen.colours) +
         more_text(answer, "ask for it with --limit, or narrow it down with --network");
}

namespace {

// What a model has learned of its deployment beside the time of an iteration.
std::string circumstances_text(const Object& model) {
  std::string out;
  if (!text_of(model, "changed_at").empty())
    out += "  the deployment changed: what ran before " + when(model, "changed_at") + " does not count\n";
  if (const auto others = count_of(model, "other_runs"); others > 0) {
    const Object& settings = object_of(model, "settings");
    out += "  of the runs with";
    for (const auto& each : settings)
      out += " " + std::string(each.key()) + "=" + text_of(settings, each.key());
    out += settings.empty() ? " the settings that most have" : "";
    out += "; " + counted(others, "run") + " with others " + (others == 1 ? "is" : "are") + " not in it\n";
  }
  if (const Object& other = object_of(model, "other"); !other.empty())
    out += "  other: " + number_text(100 * number_of(other, "share"), 3) +
           " % of its training's time passes between its parts, as in " +
           counted(count_of(other, "runs"), "run") + "\n";
  for (const char* cost : {"startup", "snapshot"}) {
    const Object& spread = object_of(model, cost);
    if (spread.empty()) continue;
    out += "  " + std::string(cost) + ": " + interval_text(spread) + ", as in " +
           counted(count_of(spread, "runs"), "run") + "\n";
  }
  return out;
}

}  // namespace

std::string model_text(const Object& model, const Screen& screen) {
  const Object& seen = object_of(model, "seen");
  std::string out = "model " + std::to_string(count_of(model, "id")) + ": " +
                    or_dash(text_of(model, "network")) + " (" + or_dash(text_of(model, "architecture")) +
                    "), " + text_of(model, "phase") + "\n";
  out += "  " + deployment_text(model) + "\n";
  out += "  " + text_of(model, "family") + ": t = " + text_of(model, "basis") + "\n";
  out += "  " + counted(count_of(model, "runs"), "run") + " (" + count_text(count_of(model, "dropped_runs")) +
         " left out), " + counted(count_of(model, "segments"), "measurement") + "; batch sizes " +
         range_text(object_of(seen, "batch_size")) + ", iterations " +
         range_text(object_of(seen, "iterations")) + "\n";
  out += "  " + error_text(model);
  if (const double coverage = number_of(model, "coverage"); coverage > 0)
    out += "; the 90 % interval held " + percent_text(coverage * 100) + " of held-out runs";
  out += dispute_text(model) + "\n" + circumstances_text(model) + "  fitted " + when(model, "fitted_at") +
         "\n\n";
  Table terms({"coefficient", ">value", ">standard error"});
  for (const Object& term : objects_of(model, "coefficients")) {
    terms.row({text_of(term, "name"), number_text(number_of(term, "value"), 5),
               number_text(number_of(term, "standard_error"), 3)});
  }
  Table rivals({"formula that competed", ">error", ">standard error", ">parameters"});
  for (const Object& rival : objects_of(model, "rivals")) {
    const auto percent = [&](const char* name) {
      return known(rival, name) ? percent_text(number_of(rival, name)) : "-";
    };
    rivals.row({text_of(rival, "basis"), percent("error_percent"), percent("standard_error"),
                std::to_string(count_of(rival, "parameters"))});
  }
  out += terms.text(screen.width, screen.colours);
  if (!rivals.empty()) out += "\n" + rivals.text(screen.width, screen.colours);
  return out;
}

std::string networks_text(const Object& answer, const Screen& screen) {
  Table table({"<network", "?architecture", "?frameworks", "?devices", ">runs", "batch sizes", "iterations",
               "?last seen"});
  for (const Object& row : objects_of(answer, "networks")) {
    table.row({or_dash(text_of(row, "network")), or_dash(text_of(row, "architecture")),
               joined(array_of(row, "frameworks")), or_dash(joined(array_of(row, "devices"))),
               count_text(count_of(row, "runs")), or_dash(joined(array_of(row, "batch_sizes"))),
               range_text(object_of(row, "iterations")), when(row, "last_seen")});
  }
  if (table.empty())
    return "The history knows no network yet. One that a log does not name, `etactl label RUN network=NAME` "
           "does.\n";
  return table.text(screen.width, screen.colours) + more_text(answer);
}

namespace {

std::string accuracy_table(const Object& answer, const Screen& screen, const char* none) {
  Table table({"<network", "predicted", "at", ">predictions", ">median error", "?>mean error", "?>bias",
               ">in interval"});
  for (const char* part : {"overall", "networks"}) {
    for (const Object& row : objects_of(answer, part)) {
      const std::string network = text_of(row, "network"), kind = text_of(row, "kind");
      table.row(
          {row.contains("network") ? or_dash(network) : "(all)", kind.empty() ? "(all)" : kind,
           row.contains("at_fraction") ? trimmed(number_text(100 * number_of(row, "at_fraction"))) + " %"
                                       : "(all)",
           count_text(count_of(row, "predictions")), percent_text(number_of(row, "median_error_percent")),
           percent_text(number_of(row, "mean_error_percent")), percent_text(number_of(row, "bias_percent")),
           percent_text(100 * number_of(row, "coverage"))});
    }
  }
  return table.empty() ? none : table.text(screen.width, screen.colours);
}

}  // namespace

std::string accuracy_text(const Object& answer, const Screen& screen) {
  return accuracy_table(answer, screen,
                        "No prediction has been scored yet: that takes a followed run that ends.\n");
}

std::string accuracy_of_network_text(const Object& answer, const Screen& screen) {
  return accuracy_table(answer, screen,
                        "No prediction of such a network has been scored yet: `etactl accuracy` lists "
                        "those that were.\n");
}

std::string sources_text(const Object& answer, const Screen& screen) {
  Table table(
      {"?>id", "<path", "<state", "?format", ">read", ">lines", ">matched", "?>cut", ">lost", ">rejected"});
  std::string errors;
  for (const Object& row : objects_of(answer, "sources")) {
    const double size = number_of(row, "size"), offset = number_of(row, "offset"),
                 lines = number_of(row, "lines");
    table.row({known(row, "id") ? std::to_string(count_of(row, "id")) : "-", text_of(row, "path"),
               text_of(row, "state"), or_dash(text_of(row, "format")),
               bytes_text(offset) + (size > offset ? " of " + bytes_text(size) : ""),
               count_text(count_of(row, "lines")),
               lines > 0 ? percent_text(100 * number_of(row, "matched") / lines) : "-",
               count_text(count_of(row, "truncated")), bytes_text(number_of(row, "lost_bytes")),
               count_text(count_of(row, "rejected"))});
    const std::string error = text_of(row, "last_error");
    if (!error.empty() && error != text_of(row, "state"))
      errors += "! " + text_of(row, "path") + ": " + error + "\n";
  }
  if (table.empty()) return "No sources: the configuration's patterns match no file.\n";
  return table.text(screen.width, screen.colours) +
         coloured(errors, Colour::red, screen.colours && !errors.empty()) + more_text(answer);
}

std::string series_list_text(const Object& answer, const Screen& screen) {
  Table table({"series", "<labels", "unit", ">samples", "?first", "last"});
  for (const Object& row : objects_of(answer, "series")) {
    table.row({text_of(row, "name"), or_dash(text_of(row, "labels")), text_of(row, "unit"),
               count_text(count_of(row, "samples")), when(row, "first_at"), when(row, "last_at")});
  }
  if (table.empty()) return "No monitoring trace has been read yet.\n";
  return table.text(screen.width, screen.colours) +
         more_text(answer, "one of them by name is `etactl series NAME`");
}

std::string series_text(const Object& answer, const Screen& screen) {
  std::string out;
  for (const Object& one : objects_of(answer, "series")) {
    out += text_of(one, "name") + " " + text_of(one, "labels") + ", " + text_of(one, "unit") + "\n";
    Table table({"at", ">min", ">mean", ">max"});
    for (const Object& point : objects_of(one, "samples")) {
      table.row({text_of(point, "at"), number_text(number_of(point, "min"), 4),
                 number_text(number_of(point, "mean"), 4), number_text(number_of(point, "max"), 4)});
    }
    out += table.text(screen.width, screen.colours);
  }
  if (!array_of(answer, "known").empty()) {
    out = "Nothing was measured from " + time_text(text_of(answer, "from")) + " to " +
          time_text(text_of(answer, "to")) + ". There are samples\n";
    for (const Object& row : objects_of(answer, "known")) {
      out += "  of " + text_of(row, "name") + " " + text_of(row, "labels") + " from " +
             when(row, "first_at") + " to " + when(row, "last_at") + ": --from " + text_of(row, "first_at") +
             " --to " + text_of(row, "last_at") + "\n";
    }
  }
  return out.empty() ? "Nothing was measured in that time: see --from and --to.\n" : out;
}

std::string import_text(const std::string& name, const Object& report) {
  if (is_true(report, "already_read") && count_of(report, "runs") == 0)
    return printable(name) + ": already in the history; `etactl reread` reads it again\n";
  if (text_of(report, "format").empty())
    return printable(name) +
           ": not recognised: --format says which of the formats it has, or write a rule file "
           "for it (etad-rules(5))\n";
  const double lines = number_of(report, "lines");
  std::string out = printable(name) + ": " + or_dash(text_of(report, "format")) + ", " +
                    counted(count_of(report, "runs"), "run") + ", " +
                    counted(count_of(report, "segments"), "measurement");
  if (number_of(report, "samples") > 0) out += ", " + counted(count_of(report, "samples"), "sample");
  out += " from " + counted(count_of(report, "lines"), "line");
  if (lines > 0) out += ", " + percent_text(100 * number_of(report, "matched") / lines) + " of them matched";
  if (number_of(report, "rejected") > 0) {
    out += "; " + counted(count_of(report, "rejected"), "measurement") + " rejected";
    if (const std::string why = text_of(report, "note"); !why.empty()) out += ": " + printable(why);
  }
  return out + "\n";
}

std::string refit_text(const Object& report) {
  std::string out = counted(count_of(report, "fitted"), "model") + " fitted, " +
                    count_text(count_of(report, "unchanged")) + " unchanged";
  if (const std::int64_t failed = count_of(report, "failed"); failed > 0) {
    out += ", " + count_text(failed) + " without enough data";
  }
  return out + ", in " + duration_text(number_of(report, "seconds")) + "\n";
}

std::string reload_text(const Object& report) {
  std::string out = "reloaded\n";
  for (const auto& table : array_of(report, "after_restart"))
    out += std::string(table.as_string()) + " has changed, which takes effect with the next start\n";
  return out;
}

}  // namespace etad::client
