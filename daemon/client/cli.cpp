#include "daemon/client/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <iostream>
#include <optional>
#include <string_view>

#include "daemon/client/check_rules.h"
#include "daemon/client/commands.h"
#include "daemon/client/fleet.h"
#include "daemon/client/link/http_client.h"
#include "daemon/client/output.h"
#include "daemon/client/page_command.h"
#include "daemon/client/text.h"
#include "daemon/paths/paths.h"
#include "daemon/usage/usage.h"
#include "parsers/base/duration.h"
#include "parsers/base/number.h"
#include "parsers/base/printable.h"
#include "parsers/base/suggest.h"
#include "parsers/base/utf8.h"

namespace etad::client {
namespace {

// An option that becomes a query parameter where it is given.
void parameter(CLI::App* command, const std::string& option, const std::string& name, Parameters& into,
               const std::string& help, bool required = false) {
  auto* added = command->add_option_function<std::string>(
      option, [&into, name](const std::string& value) { into.emplace_back(name, value); }, help);
  added->type_name(option.starts_with("-") ? "VALUE" : "");  // numbers too, which the daemon checks
  if (required) added->required();
}

// An option that takes NAME=VALUE, any number of times; each becomes the query parameter PREFIX NAME.
void named_values(CLI::App* command, const std::string& option, const std::string& prefix, Parameters& into,
                  const std::string& help) {
  const auto take = [&into, option, prefix](const std::vector<std::string>& values) {
    for (const std::string& each : values) {
      const std::size_t equals = each.find('=');
      if (equals == std::string::npos || equals == 0)
        throw CLI::ValidationError(option, "\"" + each + "\" is not NAME=VALUE");
      into.emplace_back(prefix + each.substr(0, equals), each.substr(equals + 1));
    }
  };
  command->add_option_function<std::vector<std::string>>(option, take, help)
      ->take_all()
      ->allow_extra_args(false);
}

// What the command line asked for. The options write here while CLI11 parses.
struct Asked {
  Common common;
  Parameters parameters;
  bool all = false, watch = false, hms = false;
  std::string name;
  ImportOptions import;
  std::vector<std::string> files, labels, sources, owners;
  std::string net;
  RuleCheck rules;
  PageCommand page;
  std::string fleet;
  std::function<int()> command;
};

void add_lists(CLI::App& app, Asked& asked) {
  const auto list = [&](const char* name, const char* help, const char* path, View view) {
    CLI::App* command = app.add_subcommand(name, help);
    parameter(command, "--limit", "limit", asked.parameters, "at most so many");
    command->callback([&asked, path, view] {
      asked.command = [&asked, path, view] { return show_list(asked.common, path, asked.parameters, view); };
    });
    return command;
  };
  app.add_subcommand("status", "whether all is well, and what to do where not")->callback([&asked] {
    asked.command = [&asked] { return show(asked.common, "/v1/health", status_text); };
  });
  list("networks", "the networks that the history knows", "/v1/networks", networks_text);
  list("sources", "the followed files and what came of their lines", "/v1/sources", sources_text);
  CLI::App* accuracy = app.add_subcommand("accuracy", "what was predicted against what it then took");
  parameter(accuracy, "--network", "network", asked.parameters, "of that network only");
  accuracy->callback([&asked] {
    asked.command = [&asked] {
      return show(asked.common, target_of("/v1/accuracy", asked.parameters),
                  asked.parameters.empty() ? accuracy_text : accuracy_of_network_text);
    };
  });
}

void add_runs(CLI::App& app, Asked& asked) {
  CLI::App* runs =
      app.add_subcommand("runs", "the runs under way: progress, remaining time, interval; one in full");
  runs->add_option("ID", asked.name, "the run's id: all that is known of it");
  runs->add_flag("--all", asked.all, "also those that are over");
  runs->add_flag("--watch", asked.watch, "keep it current; a line for each change where this is no terminal");
  parameter(runs, "--state", "state", asked.parameters, "running, finished, stopped, failed or lost");
  parameter(runs, "--network", "network", asked.parameters, "of that network");
  parameter(runs, "--framework", "framework", asked.parameters, "of that framework");
  parameter(runs, "--since", "since", asked.parameters, "begun at or after that time, or so long ago: 2h");
  parameter(runs, "--limit", "limit", asked.parameters, "at most so many");
  runs->callback([&asked] {
    if (!asked.name.empty() && (asked.all || asked.watch || !asked.parameters.empty()))
      throw CLI::ValidationError("runs", "of one run by its ID takes no option");
    asked.command = [&asked] {
      if (!asked.name.empty()) return show_run(asked.common, asked.name);
      const bool stated = std::any_of(asked.parameters.begin(), asked.parameters.end(),
                                      [](const auto& each) { return each.first == "state"; });
      if (!asked.all && !stated) asked.parameters.emplace_back("state", "running");
      if (!asked.watch)
        return show_list(asked.common, "/v1/runs", asked.parameters,
                         asked.all || stated ? all_runs_text : runs_text);
      asked.parameters.emplace_back("watch", "true");
      return watch_runs(asked.common, target_of("/v1/runs", asked.parameters));
    };
  });
}

// Which of several models of a network is meant.
void add_deployment(CLI::App* command, Parameters& p) {
  parameter(command, "--architecture", "architecture", p,
            "the network's fingerprint, with or instead of its name");
  parameter(command, "--framework", "framework", p, "which framework, where the history has several");
  parameter(command, "--host", "host", p, "which host, where the history has several");
  parameter(command, "--device", "device", p, "which device model, where the history has several");
}

// What a question of time may say, beside its phase and its length.
void add_question(CLI::App* estimate, Parameters& p) {
  parameter(estimate, "NETWORK", "network", p, "the network's name");
  parameter(estimate, "--batch-size", "batch_size", p,
            "samples an iteration works through, on all devices together");
  parameter(estimate, "--tokens", "tokens", p, "tokens an iteration works through, instead of samples");
  add_deployment(estimate, p);
  parameter(estimate, "--devices", "devices", p, "how many devices, where the history has several numbers");
  parameter(estimate, "--test-interval", "test_interval", p, "total: iterations between two tests; 0: none");
  parameter(estimate, "--test-iterations", "test_iterations", p, "total: iterations of one test");
  parameter(estimate, "--test-batch-size", "test_batch_size", p,
            "total: samples a test iteration works through");
  parameter(estimate, "--snapshot-interval", "snapshot_interval", p,
            "total: iterations between two snapshots");
  named_values(
      estimate, "--set", "setting.", p,
      "a setting of the run: type=Adam, precision=fp16, iter_size=4, workers=8, sequence_length=2048");
  parameter(estimate, "--confidence", "confidence", p,
            "of the interval, between 0 and 1 (the default is 0.9)");
}

bool has(const Parameters& parameters, const std::string& name) {
  return std::any_of(parameters.begin(), parameters.end(),
                     [&](const auto& each) { return each.first == name; });
}

std::string value_of(const Parameters& parameters, const std::string& name, const std::string& otherwise) {
  for (const auto& [each, value] : parameters)
    if (each == name) return value;
  return otherwise;
}

// A parameter that has a value where the command line gives none.
void otherwise(Parameters& parameters, const std::string& name, const std::string& value) {
  if (!has(parameters, name)) parameters.emplace_back(name, value);
}

// Says which of the names was meant, which CLI11's own check does not.
std::function<std::string(const std::string&)> one_of(const std::vector<std::string_view>& names) {
  return [names](const std::string& said) -> std::string {
    if (std::find(names.begin(), names.end(), said) != names.end()) return "";
    std::string list;
    for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
    const std::string_view near = nearest_name(said, names);
    return printable(said) + " is none of " + list +
           (near.empty() ? "" : "; did you mean " + std::string(near) + "?");
  };
}

void add_what_if(CLI::App& app, Asked& asked) {
  CLI::App* what_if =
      app.add_subcommand("what-if", "times and throughput for several batch sizes or devices");
  Parameters& p = asked.parameters;
  add_question(what_if, p);
  parameter(what_if, "--phase", "phase", p, "train (the default), test or total");
  parameter(what_if, "--iterations", "iterations", p, "how many (the default is 1000)");
  parameter(what_if, "--like", "like", p, "a run's id: what is not said is as it was there");
  parameter(what_if, "--epochs", "epochs", p, "instead of iterations: passes over the samples");
  parameter(what_if, "--samples-per-epoch", "samples_per_epoch", p, "where the run does not say it");
  what_if
      ->add_option("--vary", asked.name,
                   "batch-size, devices, device, or split: one batch over unlike devices")
      ->required()
      ->check(one_of({"batch-size", "devices", "device", "split"}));
  parameter(what_if, "--values", "values", p, "which, with commas between them; by default sensible ones");
  what_if->callback([&asked] {
    asked.command = [&asked] {
      std::replace(asked.name.begin(), asked.name.end(), '-', '_');
      otherwise(asked.parameters, "vary", asked.name);
      if (!has(asked.parameters, "like")) otherwise(asked.parameters, "phase", "train");
      if (!has(asked.parameters, "like") && !has(asked.parameters, "epochs"))
        otherwise(asked.parameters, "iterations", "1000");
      return show(asked.common, target_of("/v1/whatif", asked.parameters), what_if_text);
    };
  });
}

// "2h", "1.5 d"; seconds where no unit is said.
std::optional<double> seconds_in(std::string_view said) {
  const std::size_t end = std::min(said.find_first_not_of("0123456789."), said.size());
  const auto number = parse_number<double>(said.substr(0, end));
  said.remove_prefix(std::min(said.find_first_not_of(' ', end), said.size()));
  const auto unit = said.empty() ? std::optional(1.0) : seconds_of_unit(said);
  return number && unit ? std::optional(*number * *unit) : std::nullopt;
}

void add_next(CLI::App& app, Asked& asked) {
  CLI::App* next =
      app.add_subcommand("next", "which runs would make estimates of a network surer, for their time");
  Parameters& p = asked.parameters;
  parameter(next, "NETWORK", "network", p, "the network's name");
  const auto budget = [&p](const std::string& said) {
    const auto seconds = seconds_in(said);
    if (!seconds)
      throw CLI::ValidationError("--budget", printable(said) + " is no time: write 2h, 30m or 90s");
    p.emplace_back("budget", trimmed(std::to_string(*seconds)));
  };
  next->add_option_function<std::string>("--budget", budget,
                                         "for all of them together: 2h, 30m; by default any time")
      ->type_name("TIME");
  parameter(next, "--batch-size", "batch_size", p, "the batch size whose estimates matter; by default all");
  parameter(next, "--devices", "devices", p, "the number of devices whose estimates matter; by default all");
  parameter(next, "--phase", "phase", p, "train (the default) or test");
  add_deployment(next, p);
  parameter(next, "--limit", "limit", p, "at most so many runs (the default is 3)");
  next->callback([&asked] {
    asked.command = [&asked] {
      return show(asked.common, target_of("/v1/next", asked.parameters),
                  has(asked.parameters, "budget") ? next_within_text : next_text);
    };
  });
}

void add_quantity(CLI::App* command, Parameters& p) {
  parameter(command, "--quantity", "quantity", p,
            "time (the default), energy, or memory: the most that a device holds");
}

void add_estimate(CLI::App& app, Asked& asked) {
  CLI::App* estimate = app.add_subcommand("estimate", "how long it will take, and what the answer rests on");
  add_question(estimate, asked.parameters);
  Parameters& p = asked.parameters;
  parameter(estimate, "--like", "like", p, "a run's id: what is not said is as it was there; its total");
  parameter(estimate, "--phase", "phase", p, "train, test or total");
  parameter(estimate, "--iterations", "iterations", p, "how many");
  parameter(estimate, "--epochs", "epochs", p, "instead of iterations: passes over the samples");
  parameter(estimate, "--samples-per-epoch", "samples_per_epoch", p, "where the run does not say it");
  parameter(estimate, "--at", "at", p, "what could have been said at that time");
  estimate
      ->add_option("--net", asked.net,
                   "a file that shows a network that never ran here: a prototxt, what Keras' model.summary() "
                   "prints, or a log that prints its net")
      ->type_name("FILE");
  add_quantity(estimate, p);
  estimate->add_flag("--hms", asked.hms, "only the upper bound, as HH:MM:SS: for a job's time limit");
  estimate->callback([&asked] {
    asked.command = [&asked]() -> int {
      const std::string target = target_of("/v1/estimate", asked.parameters);
      const bool time = value_of(asked.parameters, "quantity", "time") == "time";
      if (asked.hms && !time) {
        std::cerr << "etactl: --hms is a time: leave out --quantity, or ask for --quantity time\n";
        return kUsage;
      }
      bool endless = false;
      const auto limit = [&endless](const Object& answer, const Screen&) {
        const auto text = limit_text(answer);
        endless = !text;
        return text.value_or("");
      };
      const View view = asked.hms ? View(limit) : time ? estimate_text : cost_text;
      const int code = asked.net.empty() ? show(asked.common, target, view)
                                         : show_about(asked.common, target, asked.net, view);
      if (!endless) return code;
      std::cerr << "etactl: the estimate's upper bound is too far off for a time limit\n";
      return kRefused;
    };
  });
  CLI::App* estimators =
      app.add_subcommand("estimators", "how well each estimator does, by kind of question");
  add_quantity(estimators, p);
  estimators->callback([&asked] {
    asked.command = [&asked] {
      return show(asked.common, target_of("/v1/estimators", asked.parameters), estimators_text);
    };
  });
}

void add_details(CLI::App& app, Asked& asked) {
  CLI::App* models = app.add_subcommand("models", "the fitted models; one of them in full");
  models->add_option("ID", asked.name, "the model's id");
  parameter(models, "--network", "network", asked.parameters, "of that network");
  parameter(models, "--limit", "limit", asked.parameters, "at most so many");
  models->callback([&asked] {
    asked.command = [&asked] {
      if (asked.name.empty()) return show_list(asked.common, "/v1/models", asked.parameters, models_text);
      return show(asked.common, target_of("/v1/models/" + path_segment(asked.name), {}), model_text);
    };
  });
  CLI::App* series = app.add_subcommand("series", "the monitoring traces; one of them in full");
  series->add_option("NAME", asked.name, "the series, such as gpu.power");
  parameter(series, "--from", "from", asked.parameters,
            "from that time on, or so long ago: 2h; by default an hour before the end");
  parameter(series, "--to", "to", asked.parameters, "until that time; by default now");
  parameter(series, "--step", "step", asked.parameters, "seconds a line; 0: the samples themselves");
  named_values(series, "--label", "label.", asked.parameters, "of the series with that label: gpu=0");
  series->callback([&asked] {
    asked.command = [&asked] {
      if (asked.name.empty()) return show(asked.common, target_of("/v1/series", {}), series_list_text);
      return show(asked.common, target_of("/v1/series/" + path_segment(asked.name), asked.parameters),
                  series_text);
    };
  });
}

int label_run(const Asked& asked) {
  boost::json::object labels;
  for (const std::string& each : asked.labels) {
    std::pair<std::string, std::string> pair;
    if (!key_and_value(each, pair)) {
      std::cerr << "etactl: " << printable(each) << " is not NAME=VALUE\n";
      return kUsage;
    }
    const std::string value = valid_utf8(pair.second);
    if (const auto [label, is_new] = labels.emplace(valid_utf8(pair.first), value);
        !is_new && label->value() != boost::json::string(value)) {
      std::cerr << "etactl: " << printable(pair.first) << " is given twice, with different values\n";
      return kUsage;
    }
  }
  return change(asked.common, target_of("/v1/runs/" + path_segment(asked.name) + "/labels", {}),
                boost::json::serialize(labels),
                [](const Object&) { return std::string("labelled; the models follow\n"); });
}

void add_changes(CLI::App& app, Asked& asked) {
  CLI::App* logs = app.add_subcommand("import", "bring old logs into the history, .gz ones too");
  logs->add_option("FILE", asked.import.files, "the logs; -: standard input")->required();
  logs->add_flag("--recursive,-r", asked.import.recursive, "folders too, with all that is in them");
  logs->add_option("--host", asked.import.host, "the machine that wrote them, where they do not say");
  logs->add_option("--format", asked.import.format, "theirs, where it can't be told from their content");
  logs->add_option("--label", asked.import.labels, "NAME=VALUE that the logs do not say")
      ->allow_extra_args(false);
  logs->callback([&asked] { asked.command = [&asked] { return import_files(asked.common, asked.import); }; });
  CLI::App* again =
      app.add_subcommand("reread", "read sources again from their beginning, with the rules of now");
  again->add_option("SOURCE", asked.files, "by id or path")->required();
  again->add_option("--format", asked.import.format, "the format, of an import: as when it was imported");
  again->add_option("--host", asked.import.host, "the host, likewise");
  again->add_option("--label", asked.import.labels, "NAME=VALUE, likewise")->allow_extra_args(false);
  again->callback(
      [&asked] { asked.command = [&asked] { return reread(asked.common, asked.files, asked.import); }; });
  CLI::App* forget =
      app.add_subcommand("forget", "take runs, or all that came of a source or a user, out of the history");
  forget->add_option("RUN", asked.files, "the runs' ids");
  forget->add_option("--source", asked.sources, "a source, by id or path")->allow_extra_args(false);
  forget->add_option("--owner", asked.owners, "all of a user's logs and imports, by name or uid")
      ->allow_extra_args(false);
  forget->callback([&asked] {
    if (asked.files.empty() && asked.sources.empty() && asked.owners.empty())
      throw CLI::ValidationError("forget", "needs a RUN, --source SOURCE or --owner USER");
    asked.command = [&asked] {
      int worst = forget_runs(asked.common, asked.files);
      if (!asked.sources.empty()) worst = std::max(worst, forget_sources(asked.common, asked.sources));
      return std::max(worst, forget_owners(asked.common, asked.owners));
    };
  });
  CLI::App* label = app.add_subcommand("label", "say of a run what its log did not");
  label->add_option("RUN", asked.name, "the run's id")->required();
  label->add_option("LABEL", asked.labels, "NAME=VALUE: network, batch_size, device, ...")->required();
  label->callback([&asked] { asked.command = [&asked] { return label_run(asked); }; });
  app.add_subcommand("refit", "fit all models anew whose data changed, now")->callback([&asked] {
    asked.command = [&asked] { return change(asked.common, "/v1/refit", {}, refit_text); };
  });
  app.add_subcommand("reload", "let the daemon read its configuration and rules anew")->callback([&asked] {
    asked.command = [&asked] { return change(asked.common, "/v1/reload", {}, reload_text); };
  });
}

void add_page(CLI::App& app, Asked& asked) {
  CLI::App* show_page = app.add_subcommand("page", "the trainings in a browser, or as one file to keep");
  show_page->add_option("--port", asked.page.port, "of the page on 127.0.0.1; by default a free one")
      ->check([](const std::string& said) {
        return parse_number<std::uint16_t>(said) ? "" : printable(said) + " is no port: 0 to 65535";
      })
      ->type_name("PORT");
  show_page->add_option("--export", asked.page.export_file,
                        "write the page with its data to that file instead");
  show_page->add_flag_callback(
      "--no-open", [&asked] { asked.page.open = false; }, "only print the address");
  show_page->callback([&asked] { asked.command = [&asked] { return page(asked.common, asked.page); }; });
}

void add_files(CLI::App& app, Asked& asked) {
  CLI::App* copy = app.add_subcommand("backup", "copy the history into a new file while the daemon runs");
  copy->add_option("FILE", asked.name, "a file that does not exist yet")->required();
  copy->callback([&asked] { asked.command = [&asked] { return backup(asked.common, asked.name); }; });
  CLI::App* rules =
      app.add_subcommand("check-rules", "load rule files and run their samples; needs no daemon");
  rules->add_option("FILE", asked.rules.files,
                    "rule files, or folders of them; by default those that are installed");
  rules->add_option("--try", asked.rules.log, "what these rules would make of a log")->type_name("LOG");
  rules->callback([&asked] {
    asked.command = [&asked] {
      const std::string prefix = paths::own_prefix();
      asked.rules.installed =
          installed_rules(paths::of_system(prefix), paths::of_user(prefix, paths::process_environment()));
      return check_rules(asked.common, asked.rules);
    };
  });
}

}  // namespace

int run(int argc, const char* const* argv, const char* version) {
  CLI::App app("Asks etad how long neural networks take.", "etactl");
  Asked asked;
  app.set_version_flag("--version", std::string("etactl ") + version);
  app.add_option("--socket", asked.common.socket,
                 "the daemon's socket; by default ETAD_SOCKET, else one's own daemon's, else the system's");
  app.add_option("--fleet", asked.fleet,
                 "ask a fleet's database: postgresql://..., or a service of pg_service.conf")
      ->type_name("URL")
      ->excludes("--socket");
  app.add_flag("--json", asked.common.json, "print the answer for programs: the daemon's unchanged");
  app.require_subcommand(1);
  app.fallthrough();  // the options above are also taken behind the command
  add_lists(app, asked);
  add_runs(app, asked);
  add_estimate(app, asked);
  add_what_if(app, asked);
  add_next(app, asked);
  add_details(app, asked);
  add_changes(app, asked);
  add_page(app, asked);
  add_files(app, asked);
  if (const auto ended = usage::parse(app, argc, argv)) return *ended;
  if (!asked.fleet.empty()) {
    const auto server = FleetServer::start(asked.fleet);
    if (!server) return unreachable(server.error());
    asked.common.socket = server->socket();
    return asked.command();
  }
  if (asked.common.socket.empty()) asked.common.socket = paths::client_socket(paths::process_environment());
  return asked.command();
}

}  // namespace etad::client
