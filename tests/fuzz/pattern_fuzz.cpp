// A pattern, a newline and a text: where the fast matcher decides, it decides as RE2 does; and a pattern that treats
// all digits alike finds in the text with other digits what it finds in the text, at the same places.
#include <re2/re2.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/rules/digits_alike.h"
#include "parsers/rules/scan_program.h"

namespace {

std::vector<std::ptrdiff_t> places(const re2::RE2& re, std::string_view text) {
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(re.NumberOfCapturingGroups()) + 1);
  if (!re.Match({text.data(), text.size()}, 0, text.size(), re2::RE2::ANCHOR_START, groups.data(),
                static_cast<int>(groups.size())))
    return {};
  std::vector<std::ptrdiff_t> out;
  for (const auto& group : groups) {
    out.push_back(group.data() ? group.data() - text.data() : -1);
    out.push_back(static_cast<std::ptrdiff_t>(group.size()));
  }
  return out;
}

void check_other_digits(const re2::RE2& re, std::string_view text) {
  std::string other(text);
  for (std::size_t i = 0; i < other.size(); ++i)
    if (other[i] >= '0' && other[i] <= '9')
      other[i] = static_cast<char>('0' + (static_cast<std::size_t>(other[i] - '0') + i % 9 + 1) % 10);
  if (places(re, text) != places(re, other)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto newline = input.find('\n');
  if (newline == std::string_view::npos || newline > 200) return 0;
  const std::string pattern(input.substr(0, newline));
  const std::string_view text = input.substr(newline + 1);
  const auto program = etad::ScanProgram::compile(pattern);
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_log_errors(false);
  const re2::RE2 re(pattern, options);
  if (re.ok() && etad::treats_digits_alike(pattern)) check_other_digits(re, text);
  if (!program || !re.ok()) return 0;

  const auto count = static_cast<std::size_t>(re.NumberOfCapturingGroups()) + 1;
  if (count != program->group_count() + 1) std::abort();
  std::vector<std::string_view> mine(count);
  const auto outcome = program->match(text, mine);
  if (outcome == etad::ScanProgram::Outcome::undecided) return 0;
  std::vector<re2::StringPiece> theirs(count);
  const bool matched = re.Match({text.data(), text.size()}, 0, text.size(), re2::RE2::ANCHOR_START,
                                theirs.data(), static_cast<int>(count));
  if (matched != (outcome == etad::ScanProgram::Outcome::yes)) std::abort();
  if (!matched) return 0;
  for (std::size_t i = 0; i < count; ++i)
    if (mine[i].data() != theirs[i].data() || mine[i].size() != theirs[i].size()) std::abort();
  if (!text.empty() && !mine[0].empty() && !program->first_bytes()[static_cast<unsigned char>(text[0])])
    std::abort();
  return 0;
}
