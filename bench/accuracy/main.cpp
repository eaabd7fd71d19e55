// etad-accuracy: how good the estimates would have been, on logs or segment tables of one's own.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "bench/accuracy/as_asked.h"
#include "bench/accuracy/report.h"
#include "bench/replay/log_runs.h"
#include "bench/rivals/hidden.h"

namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_in(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      out.push_back(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file() && !entry.is_symlink()) out.push_back(entry.path());
    }
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace etad;
  CLI::App app("How good the estimates would have been: each run and each batch size from the others.");
  std::vector<std::string> paths;
  std::string exclude, rules = ETAD_RULES, phase;
  std::size_t least_runs = 8;
  app.add_option("paths", paths, "logs, folders of logs, segments as .csv")->required();
  app.add_option("--exclude", exclude, "leave out runs whose file, note or solver type matches this");
  app.add_option("--phase", phase, "train or test only");
  app.add_option("--runs", least_runs, "unseen runs: networks with at least so many");
  app.add_option("--rules", rules, "folder of rule files");
  CLI11_PARSE(app, argc, argv);

  const auto formats = replay::load_formats(rules);
  if (!formats) {
    for (const Error& error : formats.error()) std::fprintf(stderr, "%s\n", error.text().c_str());
    return 2;
  }
  accuracy::History history;
  const accuracy::Exclusion exclusion(exclude);
  int unread = 0;
  for (const std::string& path : files_in(paths)) {
    const bool table = fs::path(path).extension() == ".csv";
    const bool taken = table ? accuracy::add_csv(path, exclusion, history)
                             : accuracy::add_log(path, *formats, exclusion, history);
    unread += !taken;
  }
  std::erase_if(history.series,
                [&](const auto& entry) { return !phase.empty() && entry.first.phase != phase; });
  std::erase_if(history.runs,
                [&](const auto& entry) { return !phase.empty() && name_of(entry.first.phase) != phase; });
  if (history.series.empty()) {
    std::fprintf(stderr, "no measurements in %d files\n", unread);
    return 1;
  }
  std::printf("%zu series, %ld segments (%ld left out), %d files not of a known format\n",
              history.series.size(), history.segments, history.left_out, unread);
  accuracy::Totals totals = accuracy::report_batch_sizes(history);
  accuracy::report_totals(totals += accuracy::report_runs(history, least_runs));
  accuracy::report_by_kind(history.runs);
  std::printf("\n### A network that never ran, one after the other hidden\n\n");
  estimators::History all;
  for (const auto& [key, of] : history.runs) all.insert(all.end(), of.begin(), of.end());
  bench::print_hidden(all, estimators::Target::seconds, "network", 0);
}
