// Line splitting and cleaning: never out of bounds, the same in any pieces, and clean afterwards. And the states of a
// progress bar are those of its whole line, in whatever pieces that comes.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/lines/line.h"
#include "tests/fuzz/require.h"

namespace {

void take_states(std::string line, std::vector<std::string>& states) {
  std::vector<std::string_view> found;
  etad::LineLosses losses;
  etad::clean_states(line, line.size() + 1, found, losses);
  states.insert(states.end(), found.begin(), found.end());
}

// Of a line that ends where a state is overdrawn a terminal shows the last one, and so it is with other control bytes.
void check_states(const std::string& line, std::size_t piece) {
  if (line.ends_with('\r') || line.find_first_of(std::string_view("\0\b\x1b", 3)) != std::string::npos)
    return;
  std::vector<std::string> whole, pieces;
  take_states(line, whole);
  std::string held;
  for (std::size_t at = 0; at < line.size(); at += piece) {
    held += line.substr(at, piece);
    const std::size_t over = etad::overdrawn_states(held);
    if (over == 0) continue;
    take_states(held.substr(0, over), pieces);
    held.erase(0, over);
  }
  take_states(held, pieces);
  etad::require(pieces == whole);
}

}  // namespace

// The first two bytes are the limit and the size of the pieces; the rest is the log.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::size_t limit = 1U + data[0];
  const std::size_t piece = 1U + data[1] % 16U;
  const std::string log(reinterpret_cast<const char*>(data + 2), size - 2);

  check_states(log.substr(0, log.find('\n')), piece);

  std::string block = log;
  std::vector<std::string_view> lines;
  etad::LineLosses losses;
  const std::size_t taken = etad::clean_lines(block, limit, lines, losses);
  etad::require(taken <= log.size() && (taken == 0 || log[taken - 1] == '\n'));
  etad::require(std::string_view(log).substr(taken).find('\n') == std::string_view::npos);
  etad::require(lines.size() == static_cast<std::size_t>(std::count(log.begin(), log.end(), '\n')));

  std::size_t at = 0;
  etad::LineLosses again;
  for (const std::string_view line : lines) {
    etad::require(line.size() <= limit && !etad::needs_cleaning(line));
    const std::size_t end = log.find('\n', at);
    std::string out(limit, '\0');
    etad::LineCleaner cleaner(out.data(), limit);
    for (; at < end; at += std::min(piece, end - at))
      cleaner.feed(std::string_view(log).substr(at, std::min(piece, end - at)));
    etad::require(std::string_view(out).substr(0, cleaner.finish(again)) == line);
    at = end + 1;
  }
  etad::require(again.truncated_lines == losses.truncated_lines &&
                again.skipped_bytes == losses.skipped_bytes);
  return 0;
}
