// The machine's own figures: `dstat --output` and `sadf -d`.
#include <algorithm>

#include "parsers/base/cells.h"
#include "parsers/base/text.h"
#include "parsers/traces/trace_reader.h"

namespace etad {
namespace {

// "dsk/sda", "net/eth0", "cpu3 usage": a column of one of several, filed with the name of all of them.
struct DstatGroup {
  std::string name;
  std::optional<std::pair<TraceLabel, std::string>> one;
};
DstatGroup group_of(std::string_view text) {
  if (text.starts_with("dsk/") && text != "dsk/total")
    return {"dsk/total", std::pair(TraceLabel::disk, std::string(text.substr(4)))};
  if (text.starts_with("net/") && text != "net/total")
    return {"net/total", std::pair(TraceLabel::net, std::string(text.substr(4)))};
  if (text.starts_with("cpu") && text.ends_with(" usage") && text.size() > 9)
    return {"total cpu usage", std::pair(TraceLabel::cpu, std::string(text.substr(3, text.size() - 9)))};
  return {std::string(text), std::nullopt};
}

class DstatReader final : public HeadedReader {
 public:
  using HeadedReader::HeadedReader;

 private:
  TraceLine read_line(std::string_view line, std::optional<Instant> arrival, TimeContext& time,
                      Records& out) override {
    split_cells(line, ',', kMostColumns + 1, cells_);
    if (trim(line).front() == '"') {
      take_header(line, time, out);
      return TraceLine::structure;
    }
    if (columns_.empty()) return TraceLine::other;
    if (cells_.size() == columns_.size() + 1 && cells_.back().empty()) cells_.pop_back();  // 0.7.3 does so
    if (cells_.size() != columns_.size()) return reject_width(cells_.size(), "cells", "columns", out);
    SampleSink::RowTime row;
    row.since = since_;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].role == ColumnRole::time) set_time(cells_[i], row);
    }
    TraceLabels labels;
    labels[TraceLabel::host] = host_;
    if (sink_.begin(row, labels, arrival, time, out)) add_values(out);
    return TraceLine::samples;
  }

  // "23-04 20:57:24" or "Apr-23 20:57:24": no year.
  static void set_time(std::string_view cell, SampleSink::RowTime& row) {
    const std::size_t blank = cell.find(' ');
    if (blank == 5 || blank == 6) {
      row.date = cell.substr(0, blank);
      row.clock = cell.substr(blank + 1);
    } else {
      row.stamp = cell;
    }
  }

  // "Dstat …", "Author:", "Host:", "Cmdline:", then the groups and then the columns' names.
  void take_header(std::string_view line, TimeContext& time, Records& out) {
    const std::string_view first = cells_.front();
    if (is_dstat_header(line)) {
      drop_header();
      groups_.clear();
      host_.clear();
    } else if (first == "Host:" && cells_.size() > 1) {
      if (keep_header(line, out)) host_ = cells_[1];
    } else if (first == "Cmdline:") {
      if (keep_header(line, out)) since_ = begun(time);
    } else if (!first.ends_with(':') && cells_.size() <= kMostColumns) {
      take_names(line, out);
    }
  }

  // "Date:","16 Jun 2015 11:06:42 CDT": the rows have no year. The zone's name is no zone; a day is near
  // enough.
  std::optional<Instant> begun(TimeContext& time) const {
    const auto label = std::find(cells_.begin(), cells_.end(), "Date:");
    if (label == cells_.end() || label + 1 == cells_.end()) return std::nullopt;
    std::vector<std::string_view> words;
    split_words(*(label + 1), 5, words);
    if (words.size() < 4) return std::nullopt;
    return read_worded_time(words[0], words[1], words[2], words[3], time);
  }

  void take_names(std::string_view line, Records& out) {
    if (groups_.empty()) {
      if (!columns_.empty()) drop_names();
      columns_.clear();
      groups_.assign(cells_.begin(), cells_.end());
      if (!keep_header(line, out)) groups_.clear();
    } else if (keep_header(line, out)) {
      name_columns();
    }
  }

  // Names that come again without a new beginning: host and date hold.
  void drop_names() { keep_first(kept_lines() < 2 ? 0 : kept_lines() - 2); }

  void name_columns() {
    std::string_view group;
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (i < groups_.size() && !groups_[i].empty()) group = groups_[i];
      std::string_view name = cells_[i];  // 0.7.3 says the group again: "total cpu usage:usr"
      if (name.starts_with(group) && name.substr(group.size()).starts_with(':'))
        name.remove_prefix(group.size() + 1);
      const DstatGroup known = group_of(group);
      columns_.push_back(column_named(ColumnNames::host, known.name + "/" + std::string(name)));
      if (known.one) columns_.back().labels.push_back(*known.one);
    }
    groups_.clear();
    settle_columns(columns_);
  }

  std::string host_;
  std::optional<Instant> since_;  // about when it was started
  std::vector<std::string> groups_;
};

// "# hostname;interval;timestamp;CPU;%user;…", "host;600;2019-10-01 00:10:01 UTC;-1;0.25;…"
class SadfReader final : public HeadedReader {
 public:
  using HeadedReader::HeadedReader;

 private:
  TraceLine read_line(std::string_view line, std::optional<Instant> arrival, TimeContext& time,
                      Records& out) override {
    if (line.front() == '#') {
      take_header(line, out);
      return TraceLine::structure;
    }
    split_cells(line, ';', kMostColumns + 1, cells_);
    if (cells_.size() < 4) return TraceLine::other;
    if (cells_[3] == "LINUX-RESTART" || cells_[3].starts_with("COM")) return TraceLine::structure;
    if (cells_.size() != columns_.size()) return reject_width(cells_.size(), "cells", "columns", out);
    take_row(arrival, time, out);
    return TraceLine::samples;
  }

  void take_header(std::string_view line, Records& out) {
    split_cells(line.substr(1), ';', kMostColumns + 1, cells_);
    if (cells_.size() > kMostColumns) return drop_header();
    if (!begin_header(line, out)) return;
    add_columns(ColumnNames::host);
    settle_columns(columns_);
  }

  void take_row(std::optional<Instant> arrival, TimeContext& time, Records& out) {
    SampleSink::RowTime row;
    TraceLabels labels;
    std::string stamp;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].role == ColumnRole::time) stamp = cells_[i];
      if (columns_[i].role == ColumnRole::label) labels[columns_[i].label] = cells_[i];
    }
    if (labels[TraceLabel::cpu] == "-1" || labels[TraceLabel::cpu] == "all") labels[TraceLabel::cpu] = {};
    if (stamp.ends_with(" UTC")) stamp.replace(stamp.size() - 4, 4, "Z");
    row.stamp = stamp;
    if (sink_.begin(row, labels, arrival, time, out)) add_values(out);
  }
};

}  // namespace

std::unique_ptr<TraceReader> make_dstat_reader(const TraceOptions& options) {
  return std::make_unique<DstatReader>(options);
}

std::unique_ptr<TraceReader> make_sadf_reader(const TraceOptions& options) {
  return std::make_unique<SadfReader>(options);
}

bool is_dstat_header(std::string_view line) {
  return line.size() > 8 && line.front() == '"' &&
         (line.substr(1).starts_with("Dstat ") || line.substr(1).starts_with("pcp-dstat ") ||
          line.substr(1).starts_with("dool ")) &&
         line.find("CSV") != std::string_view::npos;
}

bool is_sadf_header(std::string_view line) {
  return line.starts_with("# hostname;interval;timestamp");
}

}  // namespace etad
