#include "parsers/rules/digits_alike.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "parsers/rules/distinguished_digits.h"
#include "parsers/rules/format.h"
#include "parsers/rules/rule.h"
#include "tests/parsers/log_reader.h"
#include "tests/parsers/other_digits.h"

namespace etad::test {
namespace {

TEST(DigitsAlike, WhereNoStepTellsOneDigitFromAnother) {
  for (const char* pattern :
       {R"(Iteration (?P<iteration>\d+), loss = (?P<loss>\S+))", R"((?P<x2>[\w.]+)s?$)", R"([^%|]*\|)",
        R"(a{2})", R"(\d{1,3}x{4,})", R"([0-9a-f]+)", R"([^0-9])", R"((?i)\bep(?:och)?\b)", R"([1-9\d])",
        R"([]0-9])", R"(\xe2\x94\x81)", R"([\x20-\x7e]+)", R"([ -~])", R"(\[\*\.\])", R"([-+]?\d)", R"()",
        R"({)", R"(a{x})"})
    EXPECT_TRUE(treats_digits_alike(pattern)) << pattern;
}

TEST(DigitsAlike, NotWhereOneMay) {
  for (const char* pattern :
       {R"(epoch 1)",  R"([1-9]\d*)", R"([0-8])",       R"([^5])",  R"([!-4])",  R"([4-z])",
        R"(\x31)",     R"([\x30])",   R"([[:digit:]])", R"(\pN)",   R"(\Q7\E)",  R"({,5})",
        R"(a{1,2,3})", R"(\1)",       R"(\x{31})",      R"(\)",     R"([a)",     R"([)",
        R"(a[]1])",    R"(#0: )",     R"((?P<x)",       R"([+-5])", R"(a{04,})", R"(a{1,03})"})
    EXPECT_FALSE(treats_digits_alike(pattern)) << pattern;
}

std::string places(const Pattern& pattern, std::string_view text) {
  Pattern::Groups groups;
  if (!pattern.match(text, groups)) return "no";
  std::string out;
  for (std::size_t i = 0; i <= pattern.group_names().size(); ++i)
    out += groups[i].data()
               ? std::to_string(groups[i].data() - text.data()) + "+" + std::to_string(groups[i].size()) + " "
               : "- ";
  return out;
}

// Each pattern of the shipped rules on each sample of its format: with whatever digits, the groups stand where they
// stood.
TEST(DigitsAlike, IsTrueOfTheShippedPatterns) {
  std::mt19937 random(18);
  std::size_t alike = 0, matches = 0;
  for (const auto& format : shipped_formats().all()) {
    for (const Rule& rule : format->rules()) {
      if (!rule.pattern() || !treats_digits_alike(rule.pattern()->text())) continue;
      ++alike;
      for (const SampleSpec& sample : format->file().samples) {
        TimeContext context;
        const std::string_view message = format->match(sample.text, context).message;
        const std::string before = places(*rule.pattern(), message);
        if (before != "no") ++matches;
        for (int i = 0; i < 3; ++i) {
          const std::string other = with_other_digits(message, random);
          EXPECT_EQ(places(*rule.pattern(), other), before) << rule.pattern()->text() << "\n" << other;
        }
      }
    }
  }
  EXPECT_GT(alike, 300U);
  EXPECT_GT(matches, 300U);
}

TEST(DigitsAlike, AnyDigitTakesTheParticularOnesPlace) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {R"(epoch 0\b)", R"(epoch \d\b)"},
      {R"((?P<x2>[1-9]\d{2}))", R"((?P<x2>[\d1-9]\d{2}))"},
      {R"(\x31|[+-5])", R"(\d|[\d+-5])"},
      {R"(\d+ of [0-9]{1,3})", R"(\d+ of [0-9]{1,3})"},
      {R"([^5])", ""},
      {R"([]5])", ""},
      {R"(\pN)", ""}};
  for (const auto& [pattern, any] : cases) EXPECT_EQ(with_any_digits(pattern), any);
}

// Pieces of patterns put together at random, on texts put together at random. One with any digits matches with whatever
// digits a text has that the pattern itself matches.
TEST(DigitsAlike, IsTrueOfRandomPatterns) {
  const std::vector<std::string> pieces = {
      "a",      "1",      "x7",     R"(\d)", R"(\w)", R"(\S)", R"(\D)", "[0-9]", "[1-9]",
      "[^0]",   "[^0-9]", ".",      "*",     "+",     "?",     "*?",    "(?:",   "(?P<g1>",
      ")",      ")",      "|",      "{2}",   "{1,3}", "{",     "$",     R"(\b)", R"(\x31)",
      "[a-z5]", "[!-9]",  "[0-9:]", "[]1]",  "(?i)",  R"(\.)", " ",     "[0-5]", "[+--]"};
  std::mt19937 random(1811);
  const auto any = [&random](const auto& from) { return from[random() % from.size()]; };
  std::size_t alike = 0, matches = 0, particular = 0, other_matches = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t n = 1 + random() % 7; n > 0; --n) text += any(pieces);
    const auto pattern = Pattern::compile(text);
    if (!pattern) continue;
    const auto with_any = Pattern::compile(with_any_digits(text));
    ASSERT_TRUE(with_any) << text;
    EXPECT_TRUE(treats_digits_alike(with_any->text())) << text;
    const bool is_alike = treats_digits_alike(text);
    ++(is_alike ? alike : particular);
    for (int j = 0; j < 10; ++j) {
      std::string message;
      for (std::size_t n = random() % 9; n > 0; --n) message += any(std::string_view("a1x70 :.59+-/"));
      const std::string before = places(*pattern, message);
      if (before != "no") ++(is_alike ? matches : other_matches);
      for (int k = 0; k < 3; ++k) {
        const std::string other = with_other_digits(message, random);
        if (is_alike) {
          EXPECT_EQ(places(*pattern, other), before) << text << " on " << message;
        }
        if (before != "no") {
          EXPECT_TRUE(with_any->matches(other)) << text << " on " << message;
        }
      }
    }
  }
  EXPECT_GT(alike, 1000U);
  EXPECT_GT(matches, 1000U);
  EXPECT_GT(particular, 1000U);
  EXPECT_GT(other_matches, 1000U);
}

// A rule that reads an object behind its pattern's match can be none of a bar's on which none follows, whatever its
// digits are.
TEST(DigitsAlike, WhereNoObjectFollowsNoneIsAskedFor) {
  const auto format = format_named("huggingface");
  const auto named = [&](std::string_view name) -> const Rule& {
    return *std::ranges::find(format->rules(), name, &Rule::name);
  };
  const std::string bar = " 50%|#  | 2/4 [07:20<07:20, 220.00s/it]", summary = "{'train_runtime': 880.5}";
  for (const char* rule : {"summary_behind_bar", "evaluation_behind_bar"}) {
    EXPECT_FALSE(named(rule).may_match_alike(bar.substr(1))) << rule;
    EXPECT_TRUE(named(rule).may_match_alike(bar.substr(1) + summary)) << rule;
    EXPECT_TRUE(named(rule).may_match_alike(bar.substr(1) + "  " + summary)) << rule;
  }
  EXPECT_FALSE(named("summary").may_match_alike(bar));
  EXPECT_TRUE(named("summary").may_match_alike(summary));
  EXPECT_TRUE(named("bar").may_match_alike("00" + bar.substr(3)));
}

// The bar's step must not begin with 0, and its plan must be 2 or have two digits.
TEST(DistinguishedDigits, AreThoseThatAMatchTested) {
  const auto bar = Pattern::compile(R"((?P<iteration>[1-9]\d*)/(?P<max_iter>[2-9]|\d\d+) at 7:)");
  ASSERT_TRUE(bar);
  Pattern::Groups groups;
  DistinguishedDigits distinguished;
  EXPECT_EQ(bar->match("17/30 at 7:", groups, 0, distinguished), true);
  EXPECT_TRUE(distinguished.hold("90/25 at 7:"));
  EXPECT_FALSE(distinguished.hold("07/30 at 7:"));
  EXPECT_FALSE(distinguished.hold("17/10 at 7:")) << "by the other alternative";
  EXPECT_FALSE(distinguished.hold("17/30 at 8:"));
  DistinguishedDigits none;
  EXPECT_EQ(bar->match("07/30 at 7:", groups, 0, none), false);
  EXPECT_TRUE(none.hold("09/10 at 8:")) << "no more was looked at";
  EXPECT_FALSE(none.hold("19/10 at 8:"));
}

TEST(DistinguishedDigits, AreNotKnownOfRe2AndOfTooMany) {
  Pattern::Groups groups;
  DistinguishedDigits distinguished;
  const auto nested = Pattern::compile(R"((?:[1-9]+,)+)");
  EXPECT_EQ(nested->match("12,34,", groups, 0, distinguished), std::nullopt);
  const auto binary = Pattern::compile(R"([01]+)");
  EXPECT_EQ(binary->match("0110110110110110", groups, 0, distinguished), std::nullopt);
  EXPECT_TRUE(distinguished.hold("9999999999999999")) << "what came to nothing";
  EXPECT_EQ(binary->match("0110", groups, 0, distinguished), true);
}

// Whatever a pattern tells apart, with digits that pass what was noted its groups stand where they stood.
TEST(DistinguishedDigits, AreAllThatAMatchRestsOn) {
  const std::vector<std::string> pieces = {
      "a",   "1",       "x7", R"(\d)", R"(\w)", R"(\D)", "[1-9]", "[^0]",    ".",      "*", "+",     "?",
      "(?:", "(?P<g1>", ")",  "|",     "{2}",   "{1,3}", "$",     R"(\x31)", "[a-z5]", " ", "[0-5]", "[+--]"};
  std::mt19937 random(1812);
  const auto any = [&random](const auto& from) { return from[random() % from.size()]; };
  std::size_t same = 0, differ = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t n = 1 + random() % 7; n > 0; --n) text += any(pieces);
    const auto pattern = Pattern::compile(text);
    if (!pattern) continue;
    for (int j = 0; j < 10; ++j) {
      std::string line;
      for (std::size_t n = random() % 9; n > 0; --n) line += any(std::string_view("a1x70 :.59+-/"));
      const std::size_t place = random() % (line.size() + 1);
      const auto message = [place](const std::string& of) { return std::string_view(of).substr(place); };
      Pattern::Groups groups;
      DistinguishedDigits distinguished;
      const auto found = pattern->match(message(line), groups, place, distinguished);
      if (!found) continue;
      const std::string before = places(*pattern, message(line));
      EXPECT_EQ(*found, before != "no") << text << " on " << line;
      EXPECT_TRUE(distinguished.hold(line)) << text << " on " << line;
      for (int k = 0; k < 4; ++k) {
        const std::string other = with_other_digits(line, random);
        const bool holds = distinguished.hold(other);
        ++(holds ? same : differ);
        if (holds) {
          EXPECT_EQ(places(*pattern, message(other)), before) << text << " on " << line << " and " << other;
        }
      }
    }
  }
  EXPECT_GT(same, 10'000U);
  EXPECT_GT(differ, 1000U);
}

}  // namespace
}  // namespace etad::test
