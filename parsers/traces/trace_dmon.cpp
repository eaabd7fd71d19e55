// `nvidia-smi dmon` and `pmon`: columns of blanks under a header that comes again every few lines.
#include <algorithm>
#include <utility>

#include "parsers/base/cells.h"
#include "parsers/traces/trace_reader.h"
#include "parsers/traces/trace_series.h"

namespace etad {
namespace {

// The words of "# gpu   pwr …", "#Date       Time        gpu …".
bool dmon_header(std::string_view line, std::vector<std::string_view>& words) {
  if (line.empty() || line.front() != '#') return false;
  split_words(line.substr(1), kMostColumns + 1, words);
  return words.size() >= 2 && words.size() <= kMostColumns;
}

bool names_columns(const std::vector<std::string_view>& words) {
  static constexpr std::string_view kValues[] = {"pwr",  "sm",    "mem",   "mclk", "pclk",  "fb",
                                                 "temp", "gtemp", "pviol", "enc",  "rxpci", "sbecc"};
  const bool gpu = std::find(words.begin(), words.end(), "gpu") != words.end();
  return gpu && std::any_of(words.begin(), words.end(), [](std::string_view word) {
           return std::find(std::begin(kValues), std::end(kValues), word) != std::end(kValues);
         });
}

// What pmon says is of one program, not of the device.
void of_process(TraceColumn& column) {
  if (column.role != ColumnRole::value) return;
  static constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"gpu.utilization", "process.sm_utilization"},
      {"gpu.memory_utilization", "process.memory_utilization"},
      {"gpu.encoder_utilization", "process.encoder_utilization"},
      {"gpu.decoder_utilization", "process.decoder_utilization"},
      {"gpu.memory_used", "process.memory_used"},
  };
  const auto* const found = std::find_if(std::begin(kNames), std::end(kNames),
                                         [&](const auto& name) { return name.first == column.series; });
  if (found == std::end(kNames)) {
    column.role = ColumnRole::ignored;
    return;
  }
  column.series = found->second;
}

class DmonReader final : public HeadedReader {
 public:
  using HeadedReader::HeadedReader;

 private:
  TraceLine read_line(std::string_view line, std::optional<Instant> arrival, TimeContext& time,
                      Records& out) override {
    if (line.front() == '#') {
      if (dmon_header(line, cells_) && names_columns(cells_)) take_header(line, out);
      return TraceLine::structure;  // also "# Idx W C", and what pmon says where nothing runs
    }
    split_words(line, columns_.empty() ? kMostColumns : columns_.size(), cells_);
    if (cells_.empty()) return TraceLine::other;  // nothing but commas
    const bool data = cells_.front().front() >= '0' && cells_.front().front() <= '9';
    if (!data) return TraceLine::other;
    if (columns_.empty()) {
      sink_.reject("no header says what its columns are", out);
      return TraceLine::samples;
    }
    if (cells_.size() != columns_.size()) return reject_width(cells_.size(), "columns", "", out);
    if (pid_ < cells_.size() && cells_[pid_] == "-") return TraceLine::samples;  // no process there
    take_row(arrival, time, out);
    return TraceLine::samples;
  }

  void take_header(std::string_view line, Records& out) {
    if (!begin_header(line, out)) return;
    add_columns(ColumnNames::dmon);
    pid_ = static_cast<std::size_t>(std::find(cells_.begin(), cells_.end(), "pid") - cells_.begin());
    if (pid_ < columns_.size()) {
      for (TraceColumn& column : columns_) of_process(column);
    }
    settle_columns(columns_);
  }

  void take_row(std::optional<Instant> arrival, TimeContext& time, Records& out) {
    TraceLabels labels;
    SampleSink::RowTime row;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].role == ColumnRole::label) labels[columns_[i].label] = cells_[i];
      if (columns_[i].role == ColumnRole::date) row.date = cells_[i];
      if (columns_[i].role == ColumnRole::clock) row.clock = cells_[i];
    }
    if (sink_.begin(row, labels, arrival, time, out, pid_ < cells_.size() ? cells_[pid_] : ""))
      add_values(out);
  }

  std::size_t pid_ = kMostColumns;  // pmon's column of that name; else behind the last
};

}  // namespace

std::unique_ptr<TraceReader> make_dmon_reader(const TraceOptions& options) {
  return std::make_unique<DmonReader>(options);
}

bool is_dmon_header(std::string_view line) {
  std::vector<std::string_view> words;
  return dmon_header(line, words) && names_columns(words);
}

bool is_pmon_header(std::string_view line) {
  std::vector<std::string_view> words;
  return dmon_header(line, words) && names_columns(words) &&
         std::find(words.begin(), words.end(), "pid") != words.end();
}

}  // namespace etad
