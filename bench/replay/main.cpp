// etad-replay: how well the remaining time would have been foretold, on anyone's own logs.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>

#include "bench/replay/accuracy.h"

using namespace etad::replay;

namespace {

int report(const std::vector<etad::Error>& errors) {
  for (const etad::Error& error : errors) std::fprintf(stderr, "etad-replay: %s\n", error.text().c_str());
  return 1;
}

void show(const char* title, const std::vector<ReplayRun>& runs, const Options& options) {
  if (options.details) std::printf("\n%s: error of etad in percent at each checkpoint\n", title);
  const Result result = replay(runs, options);
  std::printf("\n%s: %zu runs of %zu or more displayed iterations", title, result.runs, options.min_windows);
  if (!options.breaks) std::printf(", %zu breaks taken out", result.breaks);
  std::printf("\n\n%s", table(result, options).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Replays logs from their beginning and tells how far off the remaining time was, mean (median) of\n"
      "the relative error in percent, at each checkpoint, a share of the run's time."};
  std::vector<std::string> files;
  std::string rules = ETAD_RULES;
  Options options;
  History history = History::none;
  const std::map<std::string, History> histories{
      {"none", History::none}, {"others", History::others}, {"earlier", History::earlier}};
  app.add_option("files", files, "logs, plain or .gz")->required();
  app.add_option("--rules", rules, "folder of rule files")->capture_default_str();
  app.add_option("--checkpoints", options.fractions, "shares of the run's time")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  app.add_option("--min-windows", options.min_windows, "fewer displayed iterations: left out")
      ->capture_default_str();
  app.add_option("--history", history,
                 "what else is known: the network's other runs among the files, or earlier ones")
      ->transform(CLI::CheckedTransformer(histories));
  app.add_flag("--details", options.details, "a line for each run");
  CLI11_PARSE(app, argc, argv);

  const auto formats = load_formats(rules);
  if (!formats) return report(formats.error());
  std::vector<ReplayRun> runs;
  for (const std::string& file : files) {
    auto read = read_runs(*formats, file);
    if (!read) report({read.error()});
    if (read) std::move(read->begin(), read->end(), std::back_inserter(runs));
  }
  show("No history", runs, options);
  Options without_breaks = options;
  without_breaks.breaks = false;
  show("No history, the log's long silences taken out", runs, without_breaks);
  if (history == History::none) return 0;
  options.history = history;
  show("With history", runs, options);
  without_breaks.history = history;
  show("With history, the log's long silences taken out", runs, without_breaks);
}
