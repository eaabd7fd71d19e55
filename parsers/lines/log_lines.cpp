#include "parsers/lines/log_lines.h"

#include <algorithm>
#include <span>
#include <vector>

#include "parsers/lines/line_block.h"

namespace etad {
namespace {

constexpr std::size_t kMostHeld = 1024 * 1024;  // of lines in parts, and of a record

}  // namespace

void LogLines::feed(std::string_view bytes) {
  if (head_.size() < kRecordHead) {
    head_.append(bytes.substr(0, kRecordHead - head_.size()));
    record_file_ = record_file(head_);
  }
  if (record_file_ != RecordFile::none) {
    const auto passed = static_cast<std::size_t>(std::min<std::uint64_t>(long_record_, bytes.size()));
    long_record_ -= passed;
    held_.append(bytes.substr(passed));
    return take_records(false);
  }
  if (overlong_) {
    const auto newline = bytes.find('\n');
    if (newline == std::string_view::npos) return;
    bytes.remove_prefix(newline + 1);
    overlong_ = false;
  }
  held_.append(bytes);
  take_lines(false);
  // Of an over-long line the beginning counts; the rest, up to the next newline, is passed over.
  const std::size_t incomplete = held_.size() - (held_.rfind('\n') + 1);  // npos + 1 is 0
  if (incomplete <= line_limit_) return;
  // But of a bar that is drawn again and again each state stands for itself.
  if (const auto again = held_.rfind('\r'); again != std::string::npos && again + 1 < held_.size()) {
    held_[again] = '\n';
    return take_lines(false);
  }
  take_lines(true);
  overlong_ = true;
}

void LogLines::finish() {
  if (record_file_ != RecordFile::none) return take_records(true);
  if (!held_.empty()) take_lines(true);
}

// Those that are whole. One that is longer than may be held is passed over. Damage costs the rest of a block: it is judged
// when all of that has come, or nothing more does (`all`).
void LogLines::take_records(bool all) {
  std::vector<std::string> lines;
  const std::size_t begun = (static_cast<std::uint64_t>(records_passed_) + held_.size()) % kRecordBlock;
  const std::size_t settled = all ? held_.size() : held_.size() - std::min(begun, held_.size());
  const RecordPiece piece{held_, records_passed_, settled, held_.size() >= kMostHeld};
  const TakenRecords whole = etad::take_records(record_file_, piece, line_limit_, lines);
  held_.erase(0, whole.passed);
  records_passed_ += static_cast<std::int64_t>(whole.passed);
  losses_.skipped_bytes += static_cast<std::int64_t>(whole.skipped);
  losses_.truncated_lines += static_cast<std::int64_t>(whole.truncated);
  if (whole.next > kMostHeld) {
    long_record_ = whole.next - held_.size();
    held_.clear();
    ++losses_.truncated_lines;
  }
  for (const std::string& line : lines) sink_(line, std::nullopt);
}

// What belongs to a line that is not complete yet stays. `all`: nothing more comes of it.
void LogLines::take_lines(bool all) {
  std::string bytes = held_;  // what stays is needed as it came
  const std::size_t complete = bytes.rfind('\n') + 1;
  const std::span<char> whole(bytes);
  TakenLines taken;
  const LineBlock block{whole.first(complete), whole.subspan(complete), all, complete >= kMostHeld};
  held_.erase(0, etad::take_lines(block, line_limit_, taken));
  for (const Line& line : taken.lines) sink_(line.text, line.time);
  losses_ += {taken.truncated_lines, taken.skipped_bytes};
}

}  // namespace etad
