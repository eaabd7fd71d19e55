#include "parsers/rules/scan_program.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <array>
#include <random>
#include <string>
#include <vector>

namespace etad {
namespace {

using Answer = ScanProgram::Outcome;

re2::RE2::Options quiet() {
  re2::RE2::Options o(re2::RE2::Latin1);
  o.set_log_errors(false);
  return o;
}

// The program's groups, or RE2's, as one comparable text.
std::string groups_text(bool matched, const std::vector<std::string_view>& groups, std::string_view text) {
  if (!matched) return "no";
  std::string out;
  for (const auto g : groups)
    out += g.data() ? "[" + std::to_string(g.data() - text.data()) + "," + std::to_string(g.size()) + "]"
                    : "[-]";
  return out;
}

std::string by_program(const ScanProgram& program, std::string_view text) {
  std::vector<std::string_view> groups(program.group_count() + 1);
  const auto outcome = program.match(text, groups);
  return outcome == Answer::undecided ? "undecided" : groups_text(outcome == Answer::yes, groups, text);
}

std::string by_re2(const std::string& pattern, std::string_view text) {
  const re2::RE2 re(pattern, quiet());
  std::vector<re2::StringPiece> found(static_cast<std::size_t>(re.NumberOfCapturingGroups()) + 1);
  const bool matched = re.Match({text.data(), text.size()}, 0, text.size(), re2::RE2::ANCHOR_START,
                                found.data(), static_cast<int>(found.size()));
  std::vector<std::string_view> groups;
  for (const auto& g : found) groups.emplace_back(g.data(), g.size());
  return groups_text(matched, groups, text);
}

TEST(ScanProgram, MatchesAsRe2Does) {
  const std::vector<std::string> patterns = {
      R"(Iteration (?P<a>\d+)(?: \((?P<b>[-\d.e+]+) iter/s, (?P<c>[-\d.e+]+)s/(?P<d>\d+) iters?\))?, loss = (?P<e>\S+))",
      R"( {4}(?:Train|Test) net output #(?P<n>\d+): (?P<k>\S+) = (?P<v>\S+))",
      R"((?P<a>a+)(?P<b>a*)b?$)",
      R"((?P<x>.*), (?P<y>.*))",
      R"((?P<x>[^,]*),(?P<y>[^,]{2,3}))",
      R"((?P<x>ab|a)(?P<y>bc|c)?$)",
      R"((?:(?P<x>\d+)ms|(?P<y>\d+)s)/step)",
      R"(\s*\w+\W)",
      R"()",
  };
  const std::vector<std::string> texts = {
      "Iteration 100 (3.2 iter/s, 0.3s/1 iter), loss = 6.9",
      "Iteration 100, loss = nan (x)",
      "Iteration 100 (3.2 iter/s, 0.3s/1 iter, loss = 6.9",
      "    Test net output #1: top/acc = 0.5 (* 1 = 0.5 loss)",
      "aaab",
      "aaac",
      "a, b, c, d",
      "ab,cdef",
      "abc",
      "ac",
      "26ms/step",
      "2s/step",
      "  word!",
      "",
      "\xff\xfe",
  };
  for (const auto& pattern : patterns) {
    const auto program = ScanProgram::compile(pattern);
    ASSERT_TRUE(program) << pattern;
    for (const auto& text : texts)
      EXPECT_EQ(by_program(*program, text), by_re2(pattern, text)) << pattern << " on " << text;
  }
}

TEST(ScanProgram, LeavesToRe2WhatItDoesNotKnow) {
  for (const char* pattern : {R"(a+?)", R"((?i)a)", R"(\bword)", R"((?:ab)+)", R"((ab))", R"([[:alpha:]])",
                              R"(^a)", R"(a{0})", R"(a{04})", R"(a{1,03})", R"(\x41)", R"(a**)", "\xe9"})
    EXPECT_FALSE(ScanProgram::compile(pattern)) << pattern;
}

TEST(ScanProgram, GivesUpRatherThanTryForEver) {
  const auto program = ScanProgram::compile(R"(.*a.*a.*a.*a.*a.*b)");
  ASSERT_TRUE(program);
  EXPECT_EQ(by_program(*program, std::string(200, 'a')), "undecided");
}

TEST(ScanProgram, KnowsHowAMatchCanBegin) {
  const auto optional = ScanProgram::compile(R"((?:\[\d+\] )?Iteration)");
  ASSERT_TRUE(optional);
  EXPECT_EQ(optional->first_bytes().count(), 2U);
  EXPECT_TRUE(optional->first_bytes()['[']);
  EXPECT_TRUE(optional->first_bytes()['I']);
  EXPECT_TRUE(ScanProgram::compile("a*")->first_bytes().all()) << "it may be empty";
}

// Random patterns of the subset on random texts of a small alphabet: where it decides, it decides as RE2
// does.
TEST(ScanProgram, AgreesWithRe2OnRandomPatterns) {
  std::mt19937 random(20261121);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  const std::array<std::string, 9> atoms = {"a", "b", "ab", ".", "[ab]", "[^a]", R"(\d)", "1", R"(\S)"};
  const std::array<std::string, 7> repeats = {"", "", "", "*", "+", "?", "{1,2}"};
  int group = 0;
  const auto sequence = [&](auto&& self, int depth) -> std::string {
    std::string out;
    for (std::size_t n = pick(3) + 1; n > 0; --n) {
      if (depth < 3 && pick(3) == 0) {
        const bool named = pick(2) == 0;
        out += named ? "(?P<g" + std::to_string(++group) + ">" : "(?:";
        out += self(self, depth + 1);
        if (pick(3) == 0) out += "|" + self(self, depth + 1);
        out += pick(2) == 0 ? ")?" : ")";
      } else {
        out += atoms[pick(atoms.size())] + repeats[pick(repeats.size())];
      }
    }
    return out;
  };
  int compared = 0;
  for (int i = 0; i < 4000; ++i) {
    group = 0;
    const std::string pattern = sequence(sequence, 0) + (pick(4) == 0 ? "$" : "");
    const auto program = ScanProgram::compile(pattern);
    if (!program || group > 16) continue;
    for (int j = 0; j < 8; ++j) {
      std::string text;
      for (std::size_t n = pick(9); n > 0; --n) text += "ab1 "[pick(4)];
      const std::string mine = by_program(*program, text);
      if (mine == "undecided") continue;
      ASSERT_EQ(mine, by_re2(pattern, text)) << pattern << " on '" << text << "'";
      ++compared;
    }
  }
  EXPECT_GT(compared, 10'000);
}

}  // namespace
}  // namespace etad
