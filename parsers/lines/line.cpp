#include "parsers/lines/line.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "parsers/base/sixteen.h"
#include "parsers/base/text.h"
#include "parsers/lines/utf16.h"

namespace etad {
namespace {

constexpr char kNul = '\0';
constexpr char kBell = '\a';
constexpr char kBackspace = '\b';
constexpr char kReturn = '\r';
constexpr char kEscape = '\x1b';

constexpr bool is_special(char c) {
  return c == kNul || c == kBackspace || c == kReturn || c == kEscape;
}

// Looks through so many bytes at `from`. Nearly all hold no control character but newlines, which is told by the least of
// them.
template <std::size_t kStride>
bool stride_needs_cleaning(const char* from) {
  static_assert(kStride % sizeof(Sixteen) == 0);
  Sixteen least = Sixteen{} + 0xff;
  for (std::size_t at = 0; at < kStride; at += sizeof(Sixteen)) {
    const Sixteen v = sixteen_at(from + at);
    const Sixteen other = v | static_cast<Sixteen>(v == '\n');
    least = other < least ? other : least;
  }
  if (!any_of(static_cast<Sixteen>(least < ' '))) return false;
  Sixteen found{};
  for (std::size_t at = 0; at < kStride; at += sizeof(Sixteen)) {
    const Sixteen v = sixteen_at(from + at);
    found |= static_cast<Sixteen>((v == kNul) | (v == kBackspace) | (v == kReturn) | (v == kEscape));
  }
  return any_of(found);
}

constexpr unsigned byte(char c) {
  return static_cast<unsigned char>(c);
}

}  // namespace

LineLosses& LineLosses::operator+=(const LineLosses& other) {
  truncated_lines += other.truncated_lines;
  skipped_bytes += other.skipped_bytes;
  return *this;
}

bool needs_cleaning(std::string_view bytes) {
  constexpr std::size_t kSmall = sizeof(Sixteen), kLarge = 256;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  if (bytes.size() < kSmall) return std::any_of(at, end, is_special);
  for (; static_cast<std::size_t>(end - at) >= kLarge; at += kLarge)
    if (stride_needs_cleaning<kLarge>(at)) return true;
  for (; static_cast<std::size_t>(end - at) >= kSmall; at += kSmall)
    if (stride_needs_cleaning<kSmall>(at)) return true;
  return stride_needs_cleaning<kSmall>(end - kSmall);  // what is left, and some of what was seen
}

void LineCleaner::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (mode_ == Mode::text || mode_ == Mode::osc) {
      const auto plain =
          std::find_if(bytes.begin(), bytes.end(), [](char c) { return is_special(c) || c == kBell; });
      const auto length = static_cast<std::size_t>(plain - bytes.begin());
      if (length > 0) {
        run(bytes.substr(0, length));
        bytes.remove_prefix(length);
        continue;
      }
    }
    const char c = bytes.front();
    bytes.remove_prefix(1);
    switch (mode_) {
      case Mode::text:
        control(c);
        break;
      case Mode::osc:
        control(c);
        break;
      case Mode::escape:
        escape(c);
        break;
      case Mode::csi:
        csi(c);
        break;
      case Mode::osc_escape:  // ESC \ ends the command; anything else begins another sequence
        if (c == '\\') {
          end_ = osc_start_;
          mode_ = Mode::text;
        } else {
          escape(c);
        }
        break;
      case Mode::charset:
        mode_ = Mode::text;
        if (is_special(c)) control(c);
        break;
    }
  }
}

std::size_t LineCleaner::finish(LineLosses& losses) {
  losses.skipped_bytes += nuls_;
  if (end_.over > 0) ++losses.truncated_lines;
  const std::size_t length = end_.length;
  *this = LineCleaner(out_, capacity_);
  return length;
}

// The cursor was moved and now something is written: what stood right of it is gone.
void LineCleaner::settle() {
  if (!moved_) return;
  end_ = cursor_;
  moved_ = false;
}

void LineCleaner::run(std::string_view plain) {
  settle();
  const std::size_t fits = end_.over > 0 ? 0 : std::min(plain.size(), capacity_ - end_.length);
  if (fits > 0 && out_ + end_.length != plain.data()) std::memmove(out_ + end_.length, plain.data(), fits);
  end_.length += fits;
  end_.over += plain.size() - fits;
}

void LineCleaner::text(char c) {
  run(std::string_view(&c, 1));
}

void LineCleaner::control(char c) {
  if (mode_ == Mode::osc) {  // the text of a command that was never ended is text after all
    mode_ = Mode::text;
    if (c == kBell) {
      end_ = osc_start_;
      return;
    }
    if (c == kEscape) {
      mode_ = Mode::osc_escape;
      return;
    }
  }
  switch (c) {
    case kNul:
      ++nuls_;
      [[fallthrough]];
    case kReturn:
      moved_ = true;
      cursor_ = Place{};
      break;
    case kBackspace:
      step_back();
      break;
    case kEscape:
      mode_ = Mode::escape;
      break;
    default:
      text(c);
      break;
  }
}

// One character back, not one byte: the continuation bytes of UTF-8 belong to the byte that leads them.
void LineCleaner::step_back() {
  if (!moved_) {
    moved_ = true;
    cursor_ = end_;
  }
  if (cursor_.over > 0) {
    --cursor_.over;
    return;
  }
  for (int i = 0; i < 3 && cursor_.length > 1 && (byte(out_[cursor_.length - 1]) & 0xC0U) == 0x80U; ++i)
    --cursor_.length;
  if (cursor_.length > 0) --cursor_.length;
}

// The byte after ESC.
void LineCleaner::escape(char c) {
  mode_ = Mode::text;
  if (c == '[') {
    mode_ = Mode::csi;
    parameter_ = 0;
  } else if (c == ']') {
    settle();
    osc_start_ = end_;
    mode_ = Mode::osc;
  } else if (byte(c) >= 0x20 && byte(c) <= 0x2F) {
    mode_ = Mode::charset;  // ESC ( B and its like: one more byte
  } else if (is_special(c)) {
    control(c);
  } else if (byte(c) < 0x20 || byte(c) > 0x7E) {
    text(c);  // no sequence begins so
  }
}

// A control sequence: parameter bytes, intermediate bytes, one final byte (ECMA-48, 5.4).
void LineCleaner::csi(char c) {
  if (c >= '0' && c <= '9') {
    if (parameter_ >= 0) parameter_ = parameter_ > 99 ? -1 : parameter_ * 10 + (c - '0');
  } else if (byte(c) >= 0x20 && byte(c) <= 0x3F) {
    parameter_ = -1;
  } else {
    mode_ = Mode::text;
    if (c == 'K') {
      erase(parameter_);
    } else if (is_special(c)) {
      control(c);
    } else if (byte(c) < 0x40 || byte(c) > 0x7E) {
      text(c);  // a broken sequence ends before a byte that can't belong to it
    }
  }
}

// Erase in line: 0 from the cursor to the end, 2 all of it. (1, the part left of the cursor, leaves what
// counts.)
void LineCleaner::erase(int parameter) {
  if (parameter == 0) settle();
  if (parameter == 2) {
    end_ = Place{};
    moved_ = false;
  }
}

std::string_view clean_line(std::span<char> line, std::size_t limit, LineLosses& losses) {
  const std::string_view raw(line.data(), line.size());
  std::string_view body = raw;
  if (!body.empty() && body.back() == kReturn) body.remove_suffix(1);
  if (!needs_cleaning(body)) {
    if (body.size() > limit) ++losses.truncated_lines;
    return body.substr(0, limit);
  }
  LineCleaner cleaner(line.data(), limit);
  cleaner.feed(raw);
  return raw.substr(0, cleaner.finish(losses));
}

namespace {

// "[00:43<00:00, 1944.42img/s]": what is left, and behind it the pace in a unit of the program's own. Bytes are none of a
// training.
bool shows_own_pace(std::string_view state) {
  constexpr std::size_t kLongest =
      96;  // so that a long line of nothing but such beginnings costs no more than its length
  for (std::size_t at = state.find('<'); at != std::string_view::npos; at = state.find('<', at + 1)) {
    if (at == 0 || !is_digit(state[at - 1])) continue;
    const std::string_view near = state.substr(at, kLongest), behind = near.substr(0, near.find(']'));
    const std::size_t comma = behind.find(", ");
    if (comma == std::string_view::npos) continue;
    const std::size_t per = behind.find('/', comma);
    if (per == std::string_view::npos || behind[per - 1] == 'B') continue;
    if (behind.substr(per, 2) == "/s" || (behind[per - 1] == 's' && behind.substr(per, 2) != "/B"))
      return true;
  }
  return false;
}

// "step 00250 (31.25%) | … | tok/sec: 44,250": a line that a program without a bar draws anew at each step.
bool shows_units_a_second(std::string_view state) {
  for (std::size_t at = state.find("/sec"); at != std::string_view::npos; at = state.find("/sec", at + 1)) {
    if (at > 0 && state[at - 1] != 'B') return true;
  }
  return false;
}

}  // namespace

bool shows_pace(std::string_view state) {
  return state.find("it/s") != std::string_view::npos || state.find("s/it") != std::string_view::npos ||
         shows_own_pace(state) || shows_units_a_second(state);
}

namespace {

// A bar up to where it says how long it has taken (" ["). A bar has many blanks and few brackets.
std::string_view count_of(std::string_view bar) {
  std::size_t at = bar.find('[');
  while (at != std::string_view::npos && (at == 0 || bar[at - 1] != ' ')) at = bar.find('[', at + 1);
  return at == std::string_view::npos ? bar : bar.substr(0, at - 1);
}

// How long it has taken, in seconds: "1:02:05" behind `count`, before what is left or, of a bar of unknown length, the
// rate. Nothing: it says days, or no time.
std::optional<int> clock_of(std::string_view bar, std::string_view count) {
  constexpr int kMost = 1'000'000;
  int seconds = 0, part = 0;
  for (const char c : bar.substr(std::min(bar.size(), count.size() + 2))) {
    if (is_digit(c)) {
      part = part * 10 + (c - '0');
    } else if (c == ':') {
      seconds = (seconds + std::exchange(part, 0)) * 60;
    } else {
      return c == '<' || c == ',' ? std::optional(seconds + part) : std::nullopt;
    }
    if (part > kMost || seconds > kMost) return {};
  }
  return {};
}

// What a program shows behind the bar's rate: ", loss=0.51]".
std::string_view shown_behind_rate(std::string_view bar) {
  const std::size_t at = std::min(bar.find("it/s"), bar.find("s/it"));
  return at == std::string_view::npos ? std::string_view() : bar.substr(at);
}

// How much later the bar was drawn again at the same count; nothing: no clock tells.
std::optional<int> later(std::string_view first, std::string_view now, std::string_view count) {
  const auto since = clock_of(first, count), at = clock_of(now, count);
  return since && at ? std::optional(*at - *since) : std::nullopt;
}

// What it shows is the next step's, whose new loss is shown before that step is counted: the time is not that of the count.
bool is_of_next_step(std::string_view first, std::string_view now, std::string_view count) {
  return later(first, now, count) > 0 && shown_behind_rate(first) != shown_behind_rate(now);
}

// With nothing new to show: something else was done before.
bool waited(std::string_view first, std::string_view now, std::string_view count) {
  constexpr int kLong = 5;
  return later(first, now, count) >= kLong && shown_behind_rate(first) == shown_behind_rate(now);
}

// "2026-03-01 …", "03/01/2026 …", "INFO …", "[WARNING|…", "***** …", "Saving …": as a logger begins a line.
bool begins_as_line(std::string_view text) {
  if (!text.empty() && text.front() == '[') text.remove_prefix(1);
  for (const std::string_view word : {"INFO", "WARNING", "ERROR", "DEBUG", "*****", "Saving "})
    if (text.starts_with(word)) return true;
  constexpr std::string_view kDates[] = {"0000-00-00", "00/00/0000"};
  return std::any_of(std::begin(kDates), std::end(kDates), [text](std::string_view form) {
    const auto alike = [](char c, char of) { return of == '0' ? is_digit(c) : c == of; };
    return text.size() > form.size() &&
           std::equal(form.begin(), form.end(), text.begin(), [&](char of, char c) { return alike(c, of); });
  });
}

// "… [02:00<04:00, 1.20s/it": where a bar's times begin, which is no sooner than its count ends.
std::size_t find_clock(std::string_view bar, std::string_view count) {
  std::size_t at = bar.find(" [", count.size());
  while (at != std::string_view::npos && !(at + 2 < bar.size() && is_digit(bar[at + 2])))
    at = bar.find(" [", at + 1);
  return at;
}

// Where a logger's line stands behind a bar that has no newline, since both are written to one stream:
// "… 100/300 [02:00<04:00, 1.20s/it]INFO saved". The state's size: nothing stands there.
std::size_t end_of_bar(std::string_view state, std::string_view count) {
  const std::size_t clock = find_clock(state, count);
  if (clock == std::string_view::npos) return state.size();
  for (std::size_t at = state.find(']', clock); at != std::string_view::npos; at = state.find(']', at + 1))
    if (begins_as_line(state.substr(at + 1))) return at + 1;
  return state.size();
}

// The lines that the states of a bar leave: of those that show the same count the last one, or the first one where the bar
// waited before it was drawn once more, or where what it shows then is the next count's.
class StatesOfLine {
 public:
  explicit StatesOfLine(std::vector<std::string_view>& lines) : lines_(lines), before_(lines.size()) {}

  void push(std::string_view state) {
    const std::string_view count = count_of(state);
    // What a program prints behind a bar is no later state of it.
    const bool behind_bar = state.find('{') != std::string_view::npos;
    const bool again = !empty() && count == last_count_;
    if (!again) first_ = state;
    const bool keeps_first = again && waited(first_, state, count);
    const bool of_next = again && !behind_bar && is_of_next_step(first_, state, count);
    if (again && !behind_bar && !of_next && (kept_first_ || !keeps_first)) lines_.pop_back();
    kept_first_ = keeps_first;
    last_count_ = count;
    const std::size_t bar = end_of_bar(state, count);
    if (!of_next) lines_.push_back(state.substr(0, bar));
    if (bar == state.size()) return;
    lines_.push_back(state.substr(bar));
    last_count_ = {};
  }

  bool empty() const { return lines_.size() == before_; }

 private:
  std::vector<std::string_view>& lines_;
  std::size_t before_;  // lines that are not of these states
  std::string_view last_count_;
  std::string_view first_;   // of the states that show this count
  bool kept_first_ = false;  // and of them that one stays
};

}  // namespace

void clean_states(std::span<char> line, std::size_t limit, std::vector<std::string_view>& lines,
                  LineLosses& losses) {
  if (needs_cleaning({line.data(), line.size()})) line = narrow_utf16(line);
  const bool returns = !line.empty() && line.back() == kReturn;
  if (returns) line = line.first(line.size() - 1);  // of "\r\n", or where a state was drawn over
  const std::string_view raw(line.data(), line.size());
  const bool is_of_states = (returns || raw.rfind(kReturn) != std::string_view::npos) && shows_pace(raw);
  if (!is_of_states && !needs_cleaning(raw)) {  // nearly all
    if (raw.size() > limit) ++losses.truncated_lines;
    lines.push_back(raw.substr(0, limit));
    return;
  }
  if (!is_of_states) {
    lines.push_back(clean_line(line, limit, losses));
    return;
  }
  StatesOfLine states(lines);
  for (std::size_t from = 0; from < raw.size();) {
    const std::size_t end = std::min(raw.find(kReturn, from), raw.size());
    const std::span<char> piece = line.subspan(from, end - from);
    from = end + 1;
    if (from < raw.size() && !shows_pace({piece.data(), piece.size()})) continue;
    if (const std::string_view state = clean_line(piece, limit, losses); !state.empty()) states.push(state);
  }
  if (states.empty()) lines.emplace_back();
}

std::size_t overdrawn_states(std::string_view begun) {
  if (!shows_pace(begun)) return 0;
  std::string_view next;  // the state behind `end`, which shows another count
  for (std::size_t end = begun.rfind(kReturn); end != std::string_view::npos && end > 0;) {
    const std::size_t before = begun.rfind(kReturn, end - 1);
    const std::string_view state = begun.substr(before + 1, end - before - 1);  // npos + 1 is 0
    if (!shows_pace(state)) {
      next = {};
    } else {
      if (!next.empty() && count_of(state) != count_of(next)) return end + 1;
      next = state;
    }
    end = before;
  }
  return 0;
}

std::size_t clean_lines(std::span<char> block, std::size_t limit, std::vector<std::string_view>& lines,
                        LineLosses& losses) {
  if (needs_cleaning({block.data(), block.size()}))
    return split_lines(block,
                       [&](std::span<char> line) { lines.push_back(clean_line(line, limit, losses)); });
  return split_lines(block, [&](std::span<char> line) {
    if (line.size() > limit) ++losses.truncated_lines;
    lines.emplace_back(line.data(), std::min(line.size(), limit));
  });
}

}  // namespace etad
