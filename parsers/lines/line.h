// Bytes to lines: splitting and cleaning.
//
// A log line is what a terminal would have shown at its end. A lone carriage return and a backspace move the
// cursor, and what is written next replaces what stood right of it; so of a progress bar only the last state
// counts. Colours and other terminal sequences are taken out. A run of NUL bytes (left by a crash, or by a
// truncation under a writer) is no text: what follows it replaces what came before. Bytes that are no UTF-8
// stay as they are, since an invalid byte must not hide a match.
//
// Clean lines are not copied: a block is searched once for the four bytes that need work, and split in place.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace etad {

// What cleaning took away.
struct LineLosses {
  std::int64_t truncated_lines = 0;  // cut at the limit
  std::int64_t skipped_bytes = 0;    // NUL bytes
  LineLosses& operator+=(const LineLosses& other);
};

// Whether any byte needs work: NUL, backspace, carriage return, escape.
bool needs_cleaning(std::string_view bytes);

// The cleaning itself, a byte at a time: a small model of a terminal's line. Writes at most `capacity` bytes
// to `out`, never more than it has read; so it may write over its own input.
class LineCleaner {
 public:
  LineCleaner(char* out, std::size_t capacity) : out_(out), capacity_(capacity) {}

  // Bytes of one line, in any pieces; the newline is not among them.
  void feed(std::string_view bytes);

  // The line's end: how many bytes of `out` it has. The cleaner is ready for the next line, at the same
  // place.
  std::size_t finish(LineLosses& losses);

 private:
  enum class Mode : std::uint8_t { text, escape, csi, osc, osc_escape, charset };

  void text(char c);
  void run(std::string_view plain);
  void control(char c);
  void escape(char c);
  void csi(char c);
  void erase(int parameter);
  void step_back();
  void settle();

  char* out_;
  std::size_t capacity_;
  // `length` bytes stand in `out`, and `over` more would, if the limit allowed.
  struct Place {
    std::size_t length = 0;
    std::size_t over = 0;
  };
  Place end_;        // of the text
  Place cursor_;     // where the next byte goes, if the cursor has been moved
  Place osc_start_;  // the text that is cut off again when an operating-system command proves complete
  bool moved_ = false;
  Mode mode_ = Mode::text;
  int parameter_ = 0;  // of a control sequence; -1: not one that matters
  std::int64_t nuls_ = 0;
};

// Cleans one line (without its newline) in place.
std::string_view clean_line(std::span<char> line, std::size_t limit, LineLosses& losses);

// The lines of a block as they stand in it, uncleaned, without their newlines. Returns the number of bytes
// up to and with the last newline; what is behind it is the beginning of a line.
template <class TakeLine>
std::size_t split_lines(std::span<char> block, TakeLine&& take);
// The same, as long as `goes_on`.
template <class TakeLine, class GoesOn>
std::size_t split_lines(std::span<char> block, TakeLine&& take, GoesOn&& goes_on);

// Cleans a line in which a progress bar may have been drawn again and again: each of its states that
// shows a rate ("12/440 [03:58<2:20:40, 19.67s/it]") is a line, so that a log that is imported says as much
// as one that was watched. Of states that show the same count only the last is, and the first where it was drawn five
// seconds before or more and showed the same: the training waited. One that shows something else at a later time is none:
// that is the next step's, which is not counted yet. What a logger wrote behind a state, which has no newline, is a line of
// its own.
void clean_states(std::span<char> line, std::size_t limit, std::vector<std::string_view>& lines,
                  LineLosses& losses);

// Whether it says how fast it goes, as tqdm's bars do ("19.67s/it", "2.00it/s", "[00:43<00:00, 1944.42img/s]").
bool shows_pace(std::string_view state);

// How many bytes of a line's beginning, which has no newline yet, are such states that were drawn over since, so that
// they are lines already: a bar may be drawn for hours before its line ends. The last two states wait for what comes.
std::size_t overdrawn_states(std::string_view begun);

// Splits and cleans in place.
std::size_t clean_lines(std::span<char> block, std::size_t limit, std::vector<std::string_view>& lines,
                        LineLosses& losses);

}  // namespace etad

#include <cstring>

namespace etad {

template <class TakeLine>
std::size_t split_lines(std::span<char> block, TakeLine&& take) {
  return split_lines(block, take, [] { return true; });
}

template <class TakeLine, class GoesOn>
std::size_t split_lines(std::span<char> block, TakeLine&& take, GoesOn&& goes_on) {
  char* begin = block.data();
  char* const end = begin + block.size();
  while (begin != end && goes_on()) {
    auto* newline = static_cast<char*>(std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)));
    if (newline == nullptr) break;
    take(std::span<char>(begin, newline));
    begin = newline + 1;
  }
  return static_cast<std::size_t>(begin - block.data());
}

}  // namespace etad
