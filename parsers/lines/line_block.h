// From a block of complete lines to a batch's lines: taken out of container envelopes, partial lines joined, cleaned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/time.h"

namespace etad {

// One cleaned line. `time` is the container envelope's (Docker, CRI): it counts where the line has none.
struct Line {
  explicit Line(std::string_view of, std::optional<Instant> at = std::nullopt) : text(of), time(at) {}
  std::string_view text;
  std::optional<Instant> time;
};

// The lines point into the block they were taken from, or into `joined`.
struct TakenLines {
  std::vector<Line> lines;
  std::deque<std::string> joined;    // lines that were put together from pieces
  std::int64_t truncated_lines = 0;  // cut at the limit
  std::int64_t skipped_bytes = 0;    // NUL bytes
  bool left_some = false;            // of the block, since it has more lines than may be taken at once
};

struct LineBlock {
  // Complete lines, cleaned in place, and perhaps behind them the overdrawn states of a bar (line.h).
  std::span<char> bytes;
  std::span<char> rest;    // the beginning of a line: taken too where `take_rest`
  bool take_rest = false;  // nothing more will come
  bool is_full = false;    // no room for more: partial lines still open are given out as they are
  // With `take_rest`: partial lines that are still open at the end are kept for the next file, unless they are longer than
  // the line limit.
  bool carry = false;
  std::size_t most_lines = std::numeric_limits<std::size_t>::max();  // what is behind these is left
};

// Appends the block's lines to `taken` and returns how many of its bytes they stand for. Fewer than all where the block
// ends within a line of several parts: the next block begins with that line's first part. A line without an
// envelope ends what is open.
std::size_t take_lines(const LineBlock& block, std::size_t line_limit, TakenLines& taken);

}  // namespace etad
