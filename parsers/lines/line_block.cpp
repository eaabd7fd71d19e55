#include "parsers/lines/line_block.h"

#include <algorithm>
#include <array>
#include <string>

#include "parsers/base/text.h"
#include "parsers/lines/envelope.h"
#include "parsers/lines/launcher_label.h"
#include "parsers/lines/line.h"

namespace etad {
namespace {

// A line of which not all parts have come.
struct OpenLine {
  std::string text;
  std::optional<Instant> time;
  bool open = false;
};

class Assembler {
 public:
  // `begin`: of the block. `clean`: no line of it needs cleaning as it stands, which is told sooner of all of them at
  // once.
  Assembler(const char* begin, std::size_t limit, bool clean, TakenLines& taken)
      : begin_(begin), limit_(limit), clean_(clean), taken_(taken) {}

  void take(std::span<char> line) {
    if (maybe_enveloped(line)) {
      if (const auto envelope = open_envelope(line)) return take(*envelope, line.data());
    }
    if (is_open()) close();
    if (!clean_ || line.size() > limit_) return give_out(line, std::nullopt);
    add({line.data(), line.size()}, std::nullopt);
  }

  // What remains open is given out as it is.
  void close() {
    for (OpenLine& line : open_)
      if (line.open) give_out(line);
  }

  bool is_open() const { return open_[0].open || open_[1].open; }

  // How many of the block's bytes stand before what is open.
  std::size_t settled() const { return settled_.bytes; }

  // Without what came since a line was opened that is still open; the losses of all else into the batch.
  void finish() {
    if (!is_open()) settle(begin_);
    taken_.lines.erase(taken_.lines.begin() + static_cast<std::ptrdiff_t>(settled_.lines),
                       taken_.lines.end());
    taken_.joined.resize(settled_.joined);
    taken_.truncated_lines += settled_.losses.truncated_lines;
    taken_.skipped_bytes += settled_.losses.skipped_bytes;
  }

 private:
  // All before `line` stands, whatever comes next.
  void settle(const char* line) {
    settled_ = {static_cast<std::size_t>(line - begin_), taken_.lines.size(), taken_.joined.size(), losses_};
  }

  void take(const Enveloped& envelope, const char* line) {
    OpenLine& open = open_[envelope.error_stream ? 1 : 0];
    if (!open.open && !envelope.partial) {
      return give_out(envelope.text, envelope.time);
    }
    if (!is_open()) settle(line);
    if (!open.open) open = {std::string(), envelope.time, true};
    open.text.append(envelope.text.data(), envelope.text.size());
    if (!envelope.partial) give_out(open);
  }

  void give_out(OpenLine& line) {
    std::string& text = taken_.joined.emplace_back(std::move(line.text));
    give_out(text, line.time);
    line = OpenLine{};
  }

  // Who labels lines labels but the first of the states that one line holds: all are of the same process. (Of a state
  // that is shorter than the label nobody knows, so that a line takes no more room than twice its own.)
  void give_out(std::span<char> text, std::optional<Instant> time) {
    const auto found = launcher_label({text.data(), text.size()});
    const std::string label(text.data(), found ? found->length : 0);
    states_.clear();
    clean_states(text, limit_, states_, losses_);
    for (const std::string_view state : states_) {
      const bool is_labelled = label.size() >= state.size() || label.empty() || launcher_label(state);
      add(is_labelled ? state : labelled(label, state), time);
    }
  }

  std::string_view labelled(const std::string& label, std::string_view state) {
    return taken_.joined.emplace_back(label).append(state.substr(0, limit_ - label.size()));
  }

  // Files that begin with a mark may have been joined. Blanks at the end fill up a terminal's line; a tab there may stand
  // before a table's last cell, which is empty.
  void add(std::string_view text, std::optional<Instant> time) {
    text = without_mark(text);
    while (text.ends_with(' ')) text.remove_suffix(1);
    taken_.lines.emplace_back(text, time);
  }

  const char* begin_;
  std::size_t limit_;
  bool clean_;
  TakenLines& taken_;
  std::vector<std::string_view> states_;
  std::array<OpenLine, 2> open_;  // of standard output and of standard error
  LineLosses losses_;
  struct {
    std::size_t bytes = 0, lines = 0, joined = 0;
    LineLosses losses;
  } settled_;
};

}  // namespace

std::size_t take_lines(const LineBlock& block, std::size_t line_limit, TakenLines& taken) {
  const auto is_clean = [](std::span<const char> bytes) {
    return !needs_cleaning({bytes.data(), bytes.size()});
  };
  const bool clean = is_clean(block.bytes) && is_clean(block.rest);
  Assembler assembler(block.bytes.data(), line_limit, clean, taken);
  const std::size_t complete = split_lines(
      block.bytes, [&](std::span<char> line) { assembler.take(line); },
      [&] { return taken.lines.size() < block.most_lines; });
  taken.left_some = taken.lines.size() >= block.most_lines && complete < block.bytes.size();
  const std::size_t bytes = taken.left_some ? complete : block.bytes.size();
  const bool take_rest = block.take_rest && !taken.left_some;
  std::size_t settled = assembler.is_open() ? assembler.settled() : bytes;
  if (complete < bytes && !assembler.is_open()) assembler.take(block.bytes.subspan(complete));
  if (take_rest || ((block.is_full || taken.left_some) && settled == 0)) {
    if (take_rest && !block.rest.empty()) assembler.take(block.rest);
    const std::size_t all = bytes + (take_rest ? block.rest.size() : 0);
    const bool carries = block.carry && assembler.is_open() && all - settled <= line_limit;
    if (!carries) {
      assembler.close();
      settled = all;
    }
  }
  assembler.finish();
  return settled;
}

}  // namespace etad
