#include "parsers/rules/scan_program.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "parsers/base/text.h"

namespace etad {

bool ScanProgram::first_of(std::size_t from, ByteSet& bytes) const {
  bool may_end = false;
  std::vector<bool> seen(code_.size());
  std::vector<std::size_t> open = {from};
  while (!open.empty()) {
    const std::size_t pc = open.back();
    open.pop_back();
    if (seen[pc]) continue;
    seen[pc] = true;
    const Instruction& i = code_[pc];
    switch (i.op) {
      case Op::literal:
        bytes.set(static_cast<unsigned char>(literals_[i.a]));
        break;
      case Op::repeat:
      case Op::capture:
        bytes |= sets_[i.set];
        if (i.a == 0) open.push_back(pc + 1);
        break;
      case Op::split:
        open.push_back(pc + 1);
        open.push_back(i.a);
        break;
      case Op::jump:
        open.push_back(i.a);
        break;
      case Op::open:
      case Op::close:
        open.push_back(pc + 1);
        break;
      case Op::end:
      case Op::match:
        may_end = true;
        break;
    }
  }
  return may_end;
}

void ScanProgram::find_first_bytes() {
  if (first_of(0, first_bytes_)) first_bytes_.set();  // a match may also be empty before any byte
}

void ScanProgram::mark_possessive() {
  for (std::size_t pc = 0; pc < code_.size(); ++pc) {
    if (code_[pc].op != Op::repeat) continue;
    ByteSet next;
    first_of(pc + 1, next);
    code_[pc].possessive = (next & sets_[code_[pc].set]).none();
  }
}

// Only `open` is replaced: nothing jumps to what is between it and its `close`, which stay and are stepped
// over.
void ScanProgram::join_captures() {
  for (std::size_t pc = 0; pc + 2 < code_.size(); ++pc) {
    const Instruction open = code_[pc], inner = code_[pc + 1], close = code_[pc + 2];
    if (open.op != Op::open || inner.op != Op::repeat || !inner.possessive || close.op != Op::close) continue;
    code_[pc] = inner;
    code_[pc].op = Op::capture;
    code_[pc].group = open.a;
  }
}

namespace {

// Who watches a match is told of each byte that was tested for being one of some digits.
struct NobodyWatches {
  static constexpr bool kWatches = false;
  void tested(const char* /*at*/, DigitSet /*digits*/) {}
};

DigitSet digits_of(const ScanProgram::ByteSet& set) {
  DigitSet digits = 0;
  for (char c = '0'; c <= '9'; ++c)
    if (set[static_cast<unsigned char>(c)]) digits |= digit_set(c);
  return digits;
}

struct NotesDigits {
  static constexpr bool kWatches = true;
  const char* line;
  DistinguishedDigits& distinguished;
  bool has_all = true;  // but for those it had no room for

  void tested(const char* at, DigitSet digits) {
    has_all = distinguished.note(static_cast<std::size_t>(at - line), *at, digits) && has_all;
  }
};

}  // namespace

// One attempt: the state of the machine.
template <class Watch>
class ScanProgram::Run {
 public:
  Run(const ScanProgram& program, std::string_view text, std::span<std::string_view> groups, Watch& watch)
      : p_(program), begin_(text.data()), end_(text.data() + text.size()), groups_(groups), watch_(watch) {}

  Outcome operator()() {
    std::fill_n(groups_.begin(), p_.group_count_ + 1, std::string_view{});
    std::fill_n(starts_.begin(), p_.group_count_ + 1, nullptr);
    const char* at = begin_;
    std::size_t pc = 0;
    for (int budget = kBudget; budget > 0; --budget) {
      const Step step = advance(pc, at);
      if (step == Step::matched) {
        groups_[0] = {begin_, static_cast<std::size_t>(at - begin_)};
        return Outcome::yes;
      }
      if (step == Step::overflow) return Outcome::undecided;
      if (step == Step::failed && !backtrack(pc, at)) return Outcome::no;
    }
    return Outcome::undecided;
  }

 private:
  static constexpr int kBudget = 256;
  static constexpr std::size_t kStack = 64;
  enum class Step : std::uint8_t { on, failed, matched, overflow };

  // What to do when the way taken fails: go on at pc and one of the places from `at` down to `floor`, or put
  // a group back.
  struct Choice {
    std::size_t pc;
    const char* at;
    const char* floor;
    std::uint32_t group;  // kNoGroup: a place to go on; else a group to put back, to what follows
    const char* start;
    const char* data;
    std::size_t size;
  };
  static constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();

  bool push(const Choice& choice) {
    if (depth_ == kStack) return false;
    stack_[depth_++] = choice;
    return true;
  }

  bool keep_group(std::uint32_t group) {
    return depth_ == 0 ||
           push({0, nullptr, nullptr, group, starts_[group], groups_[group].data(), groups_[group].size()});
  }

  Step advance(std::size_t& pc, const char*& at) {
    const Instruction& i = p_.code_[pc++];
    switch (i.op) {
      case Op::literal: {
        if (static_cast<std::size_t>(end_ - at) < i.b) return Step::failed;
        const char* const literal = p_.literals_.data() + i.a;
        if constexpr (Watch::kWatches) watch_literal(at, literal, i.b);
        if (!equal(at, literal, i.b)) return Step::failed;
        at += i.b;
        return Step::on;
      }
      case Op::capture: {
        if (!keep_group(i.group)) return Step::overflow;
        const char* const from = at;
        if (!run_of(i, at)) return Step::failed;
        groups_[i.group] = {from, static_cast<std::size_t>(at - from)};
        pc += 2;  // the repeat and the close
        return Step::on;
      }
      case Op::repeat:
        return repeat(i, pc, at);
      case Op::open:
        if (!keep_group(i.a)) return Step::overflow;
        starts_[i.a] = at;
        return Step::on;
      case Op::close:
        if (!keep_group(i.a)) return Step::overflow;
        groups_[i.a] = {starts_[i.a], static_cast<std::size_t>(at - starts_[i.a])};
        return Step::on;
      case Op::split:
        return push({i.a, at, at, kNoGroup, nullptr, nullptr, 0}) ? Step::on : Step::overflow;
      case Op::jump:
        pc = i.a;
        return Step::on;
      case Op::end:
        return at == end_ ? Step::on : Step::failed;
      case Op::match:
        return Step::matched;
    }
    return Step::failed;
  }

  // Literals are short: a call of memcmp costs more than it compares.
  static bool equal(const char* a, const char* b, std::size_t size) {
    for (; size >= 8; a += 8, b += 8, size -= 8)
      if (std::memcmp(a, b, 8) != 0) return false;
    for (; size > 0; ++a, ++b, --size)
      if (*a != *b) return false;
    return true;
  }

  // Up to the first byte that differs, as equal() looks at them in effect.
  void watch_literal(const char* at, const char* literal, std::size_t size) const {
    for (; size > 0; ++at, ++literal, --size) {
      if (is_digit(*literal)) watch_.tested(at, digit_set(*literal));
      if (*at != *literal) return;
    }
  }

  // As many bytes of the set as there are; false where they are too few.
  bool run_of(const Instruction& i, const char*& at) const {
    const ByteSet& set = p_.sets_[i.set];
    const char* const from = at;
    const char* const limit = static_cast<std::size_t>(end_ - at) > i.b ? at + i.b : end_;
    while (at < limit && set[static_cast<unsigned char>(*at)]) ++at;
    if constexpr (Watch::kWatches)
      for (const char* seen = from; seen < limit && seen <= at; ++seen) watch_.tested(seen, digits_of(set));
    return static_cast<std::size_t>(at - from) >= i.a;
  }

  Step repeat(const Instruction& i, std::size_t pc, const char*& at) {
    const char* const floor = at + i.a;
    if (!run_of(i, at)) return Step::failed;
    if (i.possessive || at == floor) return Step::on;
    return push({pc, at - 1, floor, kNoGroup, nullptr, nullptr, 0}) ? Step::on : Step::overflow;
  }

  bool backtrack(std::size_t& pc, const char*& at) {
    while (depth_ > 0) {
      Choice& top = stack_[depth_ - 1];
      if (top.group != kNoGroup) {
        groups_[top.group] = {top.data, top.size};
        starts_[top.group] = top.start;
        --depth_;
        continue;
      }
      skip_hopeless(top);
      if (top.at < top.floor) {
        --depth_;
        continue;
      }
      pc = top.pc;
      at = top.at;
      if (top.at == top.floor) {
        --depth_;
      } else {
        --top.at;
      }
      return true;
    }
    return false;
  }

  // Places where the literal that comes next does not begin need not be tried.
  void skip_hopeless(Choice& choice) const {
    std::size_t pc = choice.pc;
    while (p_.code_[pc].op == Op::open || p_.code_[pc].op == Op::close) ++pc;
    const Instruction& next = p_.code_[pc];
    if (next.op != Op::literal) return;
    const char first = p_.literals_[next.a];
    while (choice.at >= choice.floor && (choice.at == end_ || *choice.at != first)) {
      if constexpr (Watch::kWatches)
        if (choice.at != end_ && is_digit(first)) watch_.tested(choice.at, digit_set(first));
      --choice.at;
    }
    if constexpr (Watch::kWatches)
      if (choice.at >= choice.floor && is_digit(first)) watch_.tested(choice.at, digit_set(first));
  }

  const ScanProgram& p_;
  const char* begin_;
  const char* end_;
  std::span<std::string_view> groups_;
  Watch& watch_;
  std::array<const char*, kMaxGroups + 1>
      starts_;  // left raw, as stack_: filling them would cost more than most matches
  std::array<Choice, kStack> stack_;
  std::size_t depth_ = 0;
};

ScanProgram::Outcome ScanProgram::match(std::string_view text, std::span<std::string_view> groups) const {
  NobodyWatches watch;
  return Run<NobodyWatches>(*this, text, groups, watch)();
}

ScanProgram::Outcome ScanProgram::match(std::string_view text, std::span<std::string_view> groups,
                                        std::size_t place, DistinguishedDigits& distinguished) const {
  DistinguishedDigits noted = distinguished;
  NotesDigits watch{text.data() - place, noted};
  const Outcome outcome = Run<NotesDigits>(*this, text, groups, watch)();
  if (outcome == Outcome::undecided || !watch.has_all) return Outcome::undecided;
  distinguished = noted;
  return outcome;
}

}  // namespace etad
