// The compiler of the fast matcher's patterns.
#include "parsers/rules/scan_program.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "parsers/base/text.h"

namespace etad {
namespace {

using ByteSet = ScanProgram::ByteSet;

constexpr std::uint32_t kUnbounded = std::numeric_limits<std::uint32_t>::max();

void add_range(ByteSet& set, int from, int to) {
  for (int c = from; c <= to; ++c) set.set(static_cast<std::size_t>(c));
}

// \d \w \s and their complements, as RE2 defines them without Unicode.
std::optional<ByteSet> perl_class(char name) {
  ByteSet set;
  switch (name | 0x20) {
    case 'd':
      add_range(set, '0', '9');
      break;
    case 's':
      for (const char c : {'\t', '\n', '\f', '\r', ' '}) set.set(static_cast<unsigned char>(c));
      break;
    case 'w':
      add_range(set, '0', '9');
      add_range(set, 'A', 'Z');
      add_range(set, 'a', 'z');
      set.set('_');
      break;
    default:
      return {};
  }
  return name >= 'a' ? set : ~set;
}

// An escaped character that stands for one byte.
std::optional<unsigned char> escaped(char c) {
  switch (c) {
    case 't':
      return '\t';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 'f':
      return '\f';
    case 'v':
      return '\v';
    case 'a':
      return '\a';
    default:
      break;
  }
  const auto byte = static_cast<unsigned char>(c);
  if (is_letter(c) || is_digit(c) || byte >= 0x80 || c == '_') return {};
  return byte;
}

}  // namespace

// Recursive descent over the pattern. Whatever it does not know makes it give up.
class ScanProgram::Compiler {
 public:
  explicit Compiler(std::string_view pattern) : rest_(pattern) {}

  std::optional<ScanProgram> run() {
    if (!alternatives(0) || !rest_.empty()) return {};
    emit({Op::match});
    if (p_.code_.size() > kMaxInstructions || p_.group_count_ > ScanProgram::kMaxGroups) return {};
    p_.find_first_bytes();
    p_.mark_possessive();
    p_.join_captures();
    return std::move(p_);
  }

 private:
  static constexpr std::size_t kMaxInstructions = 500;
  static constexpr int kMaxDepth = 16;

  bool at(char c) const { return !rest_.empty() && rest_.front() == c; }

  bool take(std::string_view word) {
    if (rest_.substr(0, word.size()) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  std::size_t emit(Instruction i) {
    p_.code_.push_back(i);
    return p_.code_.size() - 1;
  }

  std::uint32_t here() const { return static_cast<std::uint32_t>(p_.code_.size()); }

  // x|y|z becomes: split(y) x jump(end); y: split(z) y jump(end); z: z; end. The split before x is only known
  // to be needed behind it, so it is put in there and what was emitted since moves on by one.
  bool alternatives(int depth) {
    if (depth > kMaxDepth) return false;
    std::vector<std::size_t> jumps;
    for (;;) {
      const std::size_t begin = p_.code_.size();
      if (!sequence(depth)) return false;
      if (!at('|')) break;
      rest_.remove_prefix(1);
      insert_split(begin);
      jumps.push_back(emit({Op::jump}));
      p_.code_[begin].a = here();
    }
    for (const std::size_t jump : jumps) p_.code_[jump].a = here();
    return true;
  }

  void insert_split(std::size_t begin) {
    p_.code_.insert(p_.code_.begin() + static_cast<std::ptrdiff_t>(begin), Instruction{Op::split});
    for (std::size_t i = begin + 1; i < p_.code_.size(); ++i)
      if (p_.code_[i].op == Op::split || p_.code_[i].op == Op::jump) ++p_.code_[i].a;
  }

  bool sequence(int depth) {
    while (!rest_.empty() && !at('|') && !at(')'))
      if (!item(depth)) return false;
    return true;
  }

  bool item(int depth) {
    if (at('(')) return group(depth);
    if (take("$")) {
      emit({Op::end});
      return true;
    }
    const auto set = atom();
    if (!set) return false;
    std::uint32_t least = 1, most = 1;
    if (!repetition(least, most)) return false;
    if (least == 1 && most == 1 && set->count() == 1) {
      literal(*set);
    } else {
      emit({Op::repeat, false, place_of(*set), least, most});
    }
    return true;
  }

  std::uint16_t place_of(const ByteSet& set) {
    const auto place = std::find(p_.sets_.begin(), p_.sets_.end(), set) - p_.sets_.begin();
    if (place == std::ssize(p_.sets_)) p_.sets_.push_back(set);
    return static_cast<std::uint16_t>(place);
  }

  void literal(const ByteSet& set) {
    std::size_t byte = 0;
    while (!set[byte]) ++byte;
    const auto offset = static_cast<std::uint32_t>(p_.literals_.size());
    p_.literals_ += static_cast<char>(byte);
    // Literals grow together as long as nothing can jump in between: targets are marked by `fence_`.
    if (!p_.code_.empty() && p_.code_.back().op == Op::literal && p_.code_.size() > fence_ &&
        p_.code_.back().a + p_.code_.back().b == offset) {
      ++p_.code_.back().b;
    } else {
      emit({Op::literal, false, 0, offset, 1});
    }
  }

  // "(?P<name>…)" or "(?:…)", perhaps optional.
  bool group(int depth) {
    rest_.remove_prefix(1);
    std::uint32_t number = 0;
    if (take("?P<")) {
      const auto close = rest_.find('>');
      if (close == std::string_view::npos) return false;
      rest_.remove_prefix(close + 1);
      number = static_cast<std::uint32_t>(++p_.group_count_);
    } else if (!take("?:")) {
      return false;
    }
    const std::size_t begin = p_.code_.size();
    fence_ = begin;
    if (number) emit({Op::open, false, 0, number, 0});
    if (!alternatives(depth + 1) || !take(")")) return false;
    if (number) emit({Op::close, false, 0, number, 0});
    if (at('*') || at('+') || at('{')) return false;
    if (take("?")) {
      if (at('?') || p_.code_.size() == begin) return false;
      insert_split(begin);
      p_.code_[begin].a = here();
    }
    fence_ = p_.code_.size();
    return !at('*') && !at('+') && !at('?') && !at('{');
  }

  // One character or class.
  std::optional<ByteSet> atom() {
    const char c = rest_.front();
    ByteSet set;
    if (c == '[') return char_class();
    if (std::string_view("^*+?{}]").find(c) != std::string_view::npos ||
        static_cast<unsigned char>(c) >= 0x80)
      return {};
    rest_.remove_prefix(1);
    if (c == '.') {
      set.set();
      set.reset('\n');
      return set;
    }
    if (c != '\\') {
      set.set(static_cast<unsigned char>(c));
      return set;
    }
    return escape();
  }

  std::optional<ByteSet> escape() {
    if (rest_.empty()) return {};
    const char name = rest_.front();
    rest_.remove_prefix(1);
    if (const auto named = perl_class(name)) return named;
    const auto byte = escaped(name);
    if (!byte) return {};
    return ByteSet{}.set(*byte);
  }

  std::optional<ByteSet> char_class() {
    rest_.remove_prefix(1);
    const bool negated = take("^");
    ByteSet set;
    bool first = true;
    while (!rest_.empty() && !at(']')) {
      if (rest_.substr(0, 2) == "[:" || static_cast<unsigned char>(rest_.front()) >= 0x80) return {};
      if (at('-') && !first && rest_.substr(0, 2) != "-]") return {};
      first = false;
      const auto low = class_member();
      if (!low) return {};
      if (at('-') && rest_.size() > 1 && rest_[1] != ']') {
        rest_.remove_prefix(1);
        const auto high = class_member();
        if (!high || low->count() != 1 || high->count() != 1) return {};
        const int from = lowest(*low), to = lowest(*high);
        if (from > to) return {};
        add_range(set, from, to);
      } else {
        set |= *low;
      }
    }
    if (first || !take("]")) return {};
    return negated ? ~set : set;
  }

  std::optional<ByteSet> class_member() {
    const char c = rest_.front();
    if (c == ']' || c == '[') return {};
    rest_.remove_prefix(1);
    if (c == '\\') return escape();
    return ByteSet{}.set(static_cast<unsigned char>(c));
  }

  static int lowest(const ByteSet& set) {
    int byte = 0;
    while (!set[static_cast<std::size_t>(byte)]) ++byte;
    return byte;
  }

  bool number(std::uint32_t& value) {
    if (rest_.size() > 1 && rest_[0] == '0' && rest_[1] != ',' && rest_[1] != '}')
      return false;  // RE2: no number
    std::size_t digits = 0;
    value = 0;
    while (!rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9' && digits < 4) {
      value = value * 10 + static_cast<std::uint32_t>(rest_.front() - '0');
      rest_.remove_prefix(1);
      ++digits;
    }
    return digits > 0 && digits < 4;
  }

  bool repetition(std::uint32_t& least, std::uint32_t& most) {
    if (take("*")) {
      least = 0;
      most = kUnbounded;
    } else if (take("+")) {
      most = kUnbounded;
    } else if (take("?")) {
      least = 0;
    } else if (take("{")) {
      if (!number(least)) return false;
      most = least;
      if (take(",")) {
        most = kUnbounded;
        if (!at('}') && !number(most)) return false;
      }
      if (!take("}") || most < least || most == 0) return false;
    }
    return !at('*') && !at('+') && !at('?') && !at('{');  // lazy and stacked repetition
  }

  std::string_view rest_;
  ScanProgram p_;
  std::size_t fence_ = 0;  // code before this may be jumped behind: no literal grows across it
};

std::optional<ScanProgram> ScanProgram::compile(std::string_view pattern) {
  return Compiler(pattern).run();
}

}  // namespace etad
