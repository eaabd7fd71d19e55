// A whole log's bytes to lines: the same lines and losses in any pieces, nothing held at the end, and no line longer than
// the limit.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/lines/log_lines.h"

namespace {

struct Read {
  std::vector<std::pair<std::string, std::optional<etad::Instant>>> lines;
  std::int64_t truncated = 0, skipped = 0;
  bool operator==(const Read&) const = default;
};

Read read(std::string_view log, std::size_t limit, std::size_t piece) {
  Read out;
  etad::LogLines lines(limit, [&](std::string_view line, std::optional<etad::Instant> time) {
    if (line.size() > limit) std::abort();
    out.lines.emplace_back(line, time);
  });
  for (; !log.empty(); log.remove_prefix(std::min(piece, log.size()))) lines.feed(log.substr(0, piece));
  lines.finish();
  const etad::LineLosses losses = lines.take_losses();
  out.truncated = losses.truncated_lines;
  out.skipped = losses.skipped_bytes;
  return out;
}

}  // namespace

// The first byte is the size of the pieces; the rest is the log.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t piece = 1U + data[0];
  const std::string log(reinterpret_cast<const char*>(data + 1), size - 1);
  constexpr std::size_t kShort = 40;  // where a line is cut depends on the pieces
  read(log, kShort, piece);
  if (read(log, log.size(), log.size()) != read(log, log.size(), piece)) std::abort();
  return 0;
}
