// etad-rivals: Madougou's table on a CSV of runs: every estimator's error in every kind of question, asked of
// parts of the table that were hidden from it.
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

#include "bench/rivals/choices.h"
#include "bench/rivals/design.h"
#include "bench/rivals/hidden.h"
#include "bench/rivals/table.h"
#include "parsers/base/cells.h"
#include "regression/estimators/performance.h"

namespace {

using namespace etad::estimators;
using Row = std::map<std::string, std::string>;

double number(const Row& row, const std::string& name, double otherwise = 0) {
  const auto found = row.find(name);
  return found == row.end() || found->second.empty() ? otherwise
                                                     : std::strtod(found->second.c_str(), nullptr);
}

std::string text(const Row& row, const std::string& name) {
  const auto found = row.find(name);
  return found == row.end() ? "" : found->second;
}

Case case_of(const Row& row) {
  Case out;
  out.network = text(row, "network");
  out.phase = text(row, "phase");
  out.samples = number(row, "batch_size");
  out.devices = number(row, "devices", 1);
  out.nodes = number(row, "nodes", 1);
  out.device = text(row, "device");
  out.host = text(row, "host");
  out.framework = text(row, "framework");
  out.iterations = number(row, "iterations");
  for (const auto& [name, value] : row) {
    if (name.starts_with("setting.")) out.settings.push_back(name.substr(8) + "=" + value);
  }
  return out;
}

History read(const std::string& path, Target target) {
  std::ifstream file(path);
  std::string line;
  etad::bench::next_line(file, line);
  std::vector<std::string_view> cells;
  etad::split_cells(line, ',', std::string::npos, cells);
  const std::vector<std::string> names(cells.begin(), cells.end());
  History out;
  while (etad::bench::next_line(file, line)) {
    etad::split_cells(line, ',', std::string::npos, cells);
    Row row;
    for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i) row[names[i]] = cells[i];
    Datum datum{case_of(row), 0, static_cast<std::int64_t>(out.size()), 0, 0};
    const double n = datum.what.iterations;
    datum.value = target == Target::seconds  ? number(row, "seconds") / n
                  : target == Target::joules ? number(row, "energy_joules") / n / datum.what.devices
                                             : number(row, "peak_memory_bytes");
    if (datum.value > 0 && std::isfinite(datum.value)) out.push_back(std::move(datum));
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Every estimator's mean error in % by kind of question (coverage of 90 %; answered/asked).");
  std::vector<std::string> paths;
  std::string quantity = "time";
  app.add_option("paths", paths, "runs as .csv, as etad imports them")->required();
  app.add_option("--quantity", quantity, "time, energy or memory")
      ->check(CLI::IsMember({"time", "energy", "memory"}));
  bool design = false;
  app.add_flag("--design", design, "what few runs chosen by variance leave, and as many at random");
  std::string hide;
  double share = 0;
  app.add_option("--hide", hide, "what is hidden, instead of five folds of each kind of question")
      ->check(CLI::IsMember(
          {"size", "larger-half", "all-but-one", "devices", "few-devices", "device", "host", "network"}));
  app.add_option("--share", share, "how much of it is hidden at once (0: one part after the other)")
      ->check(CLI::Range(0.0, 1.0));
  bool choices = false;
  app.add_flag("--choices", choices,
               "how often the batch size and the device are right that the estimates choose");
  CLI11_PARSE(app, argc, argv);
  const Target target = quantity == "time"     ? Target::seconds
                        : quantity == "energy" ? Target::joules
                                               : Target::peak_bytes;
  for (const std::string& path : paths) {
    const History history = read(path, target);
    std::printf("\n%s: %zu runs\n\n", path.c_str(), history.size());
    if (design) {
      etad::bench::print_design(history);
    } else if (!hide.empty()) {
      etad::bench::print_hidden(history, target, hide, share);
    } else if (choices) {
      etad::bench::print_choices(history);
    } else {
      etad::bench::print_table(compare(history, target));
    }
  }
}
