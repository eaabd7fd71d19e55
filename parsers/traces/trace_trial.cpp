#include "parsers/traces/trace_trial.h"

namespace etad {

void TraceTrial::give_up() {
  over_ = true;
  format_.clear();
  reader_.reset();
  samples_ = 0;
}

void TraceTrial::begin(std::string_view line) {
  format_ = recognise_trace(line);
  if (format_.empty() && !options_.columns.empty()) format_ = "csv";
  if (format_.empty()) return give_up();
  if (auto reader = make_trace_reader(format_, options_)) reader_ = std::move(*reader);
}

std::string_view TraceTrial::consider(std::string_view line, TimeContext time) {
  if (over_) return {};
  if (!reader_) {
    const bool before =
        line.find_first_not_of(" \t") == std::string_view::npos || line == "nohup: ignoring input";
    if (before) return {};
    begin(line);
    if (!reader_) return {};
  }
  Records records;
  const TraceLine read = reader_->read(line, time.reference, time, records);
  // Columns that are only configured prove themselves by their values.
  const bool wrong = read == TraceLine::other || (format_ == "csv" && records.rejected > 0);
  if (wrong) give_up();
  if (read == TraceLine::samples && !wrong && ++samples_ >= kSure) return format_;
  return {};
}

}  // namespace etad
