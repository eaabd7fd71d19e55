// `nvidia-smi dmon` and `pmon`: columns of blanks under a header that comes again every few lines.
#include <algorithm>
#include <utility>

#include "parsers/trace_reader.h"
#include "parsers/trace_series.h"
#include "parsers/trace_text.h"

namespace etad {
namespace {

using trace_text::split_words;

// The words of "# gpu   pwr …", "#Date       Time        gpu …".
bool header_words(std::string_view line, std::vector<std::string_view>& words) {
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

  TraceLine read(std::string_view line, std::optional<Instant> arrival, TimeContext& time,
                 Records& out) override {
    if (trace_text::trim(line).empty()) return TraceLine::structure;
    if (line.front() == '#') {
      if (header_words(line, words_) && names_columns(words_)) take_header(line, out);
      return TraceLine::structure;  // also "# Idx W C", and what pmon says where nothing runs
    }
    split_words(line, columns_.empty() ? kMostColumns : columns_.size(), words_);
    if (words_.empty()) return TraceLine::other;  // nothing but commas
    const bool data = words_.front().front() >= '0' && words_.front().front() <= '9';
    if (!data) return TraceLine::other;
    if (columns_.empty() || words_.size() != columns_.size()) {
      sink_.reject(columns_.empty() ? "no header says what its columns are"
                                    : "a line of " + std::to_string(words_.size()) + " columns under " +
                                          std::to_string(columns_.size()),
                   out);
      return TraceLine::samples;
    }
    if (pid_ < words_.size() && words_[pid_] == "-") return TraceLine::samples;  // no process there
    take_row(arrival, time, out);
    return TraceLine::samples;
  }

 private:
  void take_header(std::string_view line, Records& out) {
    drop_header();
    columns_.clear();
    if (!keep_header(line, out)) return;
    pid_ = kMostColumns;
    for (const std::string_view word : words_) {
      if (word == "pid") pid_ = columns_.size();
      columns_.push_back(column_named(ColumnNames::dmon, word));
    }
    if (pid_ < columns_.size()) {
      for (TraceColumn& column : columns_) of_process(column);
    }
    settle_columns(columns_);
  }

  void take_row(std::optional<Instant> arrival, TimeContext& time, Records& out) {
    TraceLabels labels;
    SampleSink::RowTime row;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].role == ColumnRole::label) labels[columns_[i].label] = words_[i];
      if (columns_[i].role == ColumnRole::date) row.date = words_[i];
      if (columns_[i].role == ColumnRole::clock) row.clock = words_[i];
    }
    if (!sink_.begin(row, labels, arrival, time, out, pid_ < words_.size() ? words_[pid_] : "")) return;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].role == ColumnRole::value) sink_.add(columns_[i], words_[i], out);
    }
  }

  std::vector<TraceColumn> columns_;
  std::size_t pid_ = kMostColumns;  // pmon's column of that name
  std::vector<std::string_view> words_;
};

}  // namespace

std::unique_ptr<TraceReader> make_dmon_reader(const TraceOptions& options) {
  return std::make_unique<DmonReader>(options);
}

bool is_dmon_header(std::string_view line) {
  std::vector<std::string_view> words;
  return header_words(line, words) && names_columns(words);
}

bool is_pmon_header(std::string_view line) {
  std::vector<std::string_view> words;
  return header_words(line, words) && names_columns(words) &&
         std::find(words.begin(), words.end(), "pid") != words.end();
}

}  // namespace etad
