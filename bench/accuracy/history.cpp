#include "bench/accuracy/history.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "bench/replay/log_runs.h"
#include "bench/rivals/table.h"
#include "parsers/base/cells.h"
#include "prediction/datasets.h"
#include "prediction/description.h"
#include "regression/covariates.h"
#include "regression/noise.h"
#include "storage/row_values.h"

namespace etad::accuracy {
namespace {

constexpr double kLongest = 1e9;  // seconds: 30 years; more is an overflow, not a measurement

using Cells = std::vector<std::string_view>;

class Columns {
 public:
  explicit Columns(const std::string& header) {
    Cells names;
    split_cells(header, ',', std::string::npos, names);
    for (std::size_t i = 0; i < names.size(); ++i) index_[std::string(names[i])] = i;
  }
  std::string text(const Cells& row, const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() || found->second >= row.size() ? "" : std::string(row[found->second]);
  }
  double number(const Cells& row, const std::string& name) const {
    return std::strtod(text(row, name).c_str(), nullptr);
  }

  // The columns `setting.NAME` that say something.
  std::vector<std::string> named_settings(const Cells& row) const {
    constexpr std::string_view kPrefix = "setting.";
    std::vector<std::string> out;
    for (const auto& [name, index] : index_) {
      if (!name.starts_with(kPrefix) || text(row, name).empty()) continue;
      out.push_back(name.substr(kPrefix.size()) + "=" + text(row, name));
    }
    return out;
  }

  // Those that may change a run's step time; the solver type has a column of that name.
  std::map<std::string, std::string> settings(const Cells& row) const {
    std::map<std::string, std::string> out;
    for (const std::string& name : regression::covariate_names()) {
      out[name] = text(row, name == "type" ? "solver" : name);
    }
    return out;
  }

 private:
  std::map<std::string, std::size_t> index_;
};

ModelKey model_of(const Columns& columns, const Cells& row) {
  ModelKey out;
  out.network = columns.text(row, "network");
  out.framework = columns.text(row, "framework");
  out.host = columns.text(row, "host");
  out.device = columns.text(row, "device");
  out.devices = std::max(1L, std::lround(columns.number(row, "devices")));
  out.phase = columns.text(row, "phase") == name_of(Phase::test) ? Phase::test : Phase::train;
  return out;
}

// A run of a table as the daemon's estimators take it.
estimators::Datum datum_of(const ModelKey& key, const regression::RunObservation& run,
                           const std::vector<std::string>& settings) {
  estimators::Datum out = prediction::datum_of(key, run);
  out.what.settings.insert(out.what.settings.end(), settings.begin(), settings.end());
  std::ranges::sort(out.what.settings);
  auto& all = out.what.settings;
  all.erase(std::unique(all.begin(), all.end()), all.end());
  if (run.started_at > 0) out.ended_at = run.started_at + run.seconds;
  return out;
}

// Each run has a number of its own in all of the history.
void add_run(const ModelKey& key, estimators::Datum datum, History& history) {
  std::size_t runs = 0;
  for (const auto& [other, of] : history.runs) runs += of.size();
  datum.run = static_cast<std::int64_t>(runs) + 1;
  history.runs[key].push_back(std::move(datum));
}

}  // namespace

bool add_csv(const std::string& path, const Exclusion& exclude, History& history) {
  std::ifstream file(path);
  std::string line;
  if (!bench::next_line(file, line)) return false;
  const Columns columns(line);
  struct TableRun {
    ModelKey model;
    std::vector<std::string> settings;
    regression::RunObservation observation;
    std::vector<regression::Window> windows;
  };
  std::map<std::pair<SeriesKey, std::string>, TableRun> runs;
  Cells row;
  while (bench::next_line(file, line)) {
    split_cells(line, ',', std::string::npos, row);
    const double n = columns.number(row, "iterations"), t = columns.number(row, "seconds");
    const std::string run = columns.text(row, "run");
    ++history.segments;
    const bool unbelievable = !(n > 0) || !(t > 0) || t > kLongest;
    const bool excluded = exclude.matches(run) || exclude.matches(columns.text(row, "note")) ||
                          exclude.matches(columns.text(row, "solver"));
    if (unbelievable || excluded) {
      ++history.left_out;
      continue;
    }
    const SeriesKey key{columns.text(row, "device"), columns.text(row, "network"),
                        columns.text(row, "phase")};
    auto& [model, settings, observation, windows] = runs[{key, run + "/" + columns.text(row, "batch_size")}];
    model = model_of(columns, row);
    settings = columns.named_settings(row);
    observation.samples = columns.number(row, "batch_size");
    observation.iterations += n;
    observation.seconds += t;
    const double started_at = columns.number(row, "started_at");
    if (windows.empty() || started_at < observation.started_at) observation.started_at = started_at;
    const bool training = key.phase == name_of(Phase::train);
    observation.covariates = regression::covariates_of(columns.settings(row), training);
    windows.push_back({n, t});
  }
  for (auto& [key, run] : runs) {
    auto& [model, settings, observation, windows] = run;
    observation.within = regression::within_run(windows);
    add_run(model, datum_of(model, observation, settings), history);
    auto& series = history.series[key.first];
    observation.run = static_cast<std::int64_t>(series.size());
    series.push_back(std::move(observation));
  }
  return true;
}

bool add_log(const std::string& path, const FormatSet& formats, const Exclusion& exclude, History& history) {
  const auto runs = replay::read_runs(formats, path);
  if (!runs) return false;
  for (const replay::ReplayRun& replayed : *runs) {
    const Run& run = replayed.run;
    const auto type = run.settings.find("type");
    const std::string solver = type == run.settings.end() ? "" : type->second;
    history.segments += static_cast<long>(replayed.segments.size());
    if (run.loss_is_nan || exclude.matches(path) || exclude.matches(solver)) {
      history.left_out += static_cast<long>(replayed.segments.size());
      continue;
    }
    // A run whose batch size changes is one run of each: a model has one batch size a run.
    std::map<std::pair<Phase, std::int64_t>, std::vector<Segment>> phases;
    for (const Segment& segment : replayed.segments)
      phases[{segment.phase, segment.samples_per_iteration}].push_back(segment);
    const auto costs = prediction::costs_of(replayed.layers).value_or(nullptr);
    const std::string network = run.network.empty() ? "(no name)" : run.network;
    for (const auto& [what, segments] : phases) {
      const auto& [phase, samples] = what;
      RunData data = prediction::run_data_of(run, segments, phase);
      data.samples_per_iteration = samples;
      const ModelKey model = key_of(run, phase);
      for (estimators::Datum& datum : prediction::data_of(model, {data}, prediction::kMostOfKey, costs))
        add_run(model, std::move(datum), history);
      history.series[{run.device, network + " " + run.architecture, std::string(name_of(phase))}].push_back(
          prediction::observation_of(data, phase));
    }
  }
  return true;
}

}  // namespace etad::accuracy
