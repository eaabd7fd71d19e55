// The lines of one whole log, whose bytes come piece by piece: what an import takes, and what `check-rules --try` shows.
// Pure; any bytes may come, and no more than about a megabyte of them is held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "parsers/base/time.h"
#include "parsers/lines/line.h"
#include "parsers/lines/record_file.h"

namespace etad {

class LogLines {
 public:
  // `time` is that of the line's envelope (Docker, CRI), where it has one.
  using Sink = std::function<void(std::string_view line, std::optional<Instant> time)>;

  // Of a longer line its first `line_limit` bytes count.
  LogLines(std::size_t line_limit, Sink sink) : line_limit_(line_limit), sink_(std::move(sink)) {}

  void feed(std::string_view bytes);
  void finish();  // nothing more comes: what is held is a line, or what is left of a record
  void clear() { held_.clear(); }

  std::size_t held() const { return held_.size(); }  // bytes fed of which no line has been made yet
  LineLosses take_losses() { return std::exchange(losses_, {}); }

 private:
  void take_records(bool all);
  void take_lines(bool all);

  std::size_t line_limit_;
  Sink sink_;
  std::string held_;
  bool overlong_ = false;  // in the rest of a line that was cut
  std::string head_;       // of the log, as long as nobody knows whether it holds records
  RecordFile record_file_ = RecordFile::none;
  std::int64_t records_passed_ = 0;  // bytes of the log
  std::uint64_t long_record_ = 0;    // bytes still to come of one that is passed over
  LineLosses losses_;
};

}  // namespace etad
