// What a pattern keeps in memory, and that it matches as before when that was given back.
#include "parsers/rules/pattern.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "tests/parsers/shipped_rules.h"
#include "tests/sanitized.h"

namespace etad {
namespace {

// What may match nothing at all is asked of every line, whatever begins it.
TEST(Pattern, MayBeginWithAnyByteWhereItMayMatchNothing) {
  for (const char* text : {R"((?:INFO )?\b)", R"((?:\W+)?\B)", R"((?:INFO )?)"}) {
    const auto pattern = Pattern::compile(text).value();
    EXPECT_TRUE(pattern.can_begin_with('s')) << text;
  }
  const auto word = Pattern::compile(R"(INFO\b)").value();
  EXPECT_TRUE(word.can_begin_with('I'));
  EXPECT_FALSE(word.can_begin_with('s'));
}

TEST(Pattern, MatchesAsBeforeAfterItsRelease) {
  const auto pattern = Pattern::compile(R"((?i)loss (?:is )+(\d+))").value();
  const Pattern copy = pattern;
  for (int i = 0; i < 3; ++i) {
    Pattern::Groups groups;
    ASSERT_TRUE(copy.match("Loss is is 12", groups));
    EXPECT_EQ(groups[1], "12");
    EXPECT_FALSE(pattern.matches("Loss 12"));
    pattern.release();
    pattern.release();
  }
}

TEST(Pattern, ThreadsThatNeedItAtOnceFindTheSame) {
  const auto pattern = Pattern::compile(R"((?i)loss (?:is )+(\d+))").value();
  constexpr int kThreads = 4;
  for (int round = 0; round < 50; ++round) {
    pattern.release();
    std::latch all_there(kThreads);
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        all_there.arrive_and_wait();
        Pattern::Groups groups;
        EXPECT_TRUE(pattern.match("Loss is is 12", groups));
        EXPECT_EQ(groups[1], "12");
      });
    }
  }
}

// The samples show the rules more lines than most logs do.
TEST(Pattern, WhatSamplesHadRe2MakeIsGivenBack) {
  if (ETAD_SANITIZED) GTEST_SKIP() << "the heap is the sanitizer's";
  const auto texts = test::rule_file_texts();
  const std::size_t before = mallinfo2().uordblks;
  std::vector<std::shared_ptr<const Format>> formats;
  for (const std::string& text : texts) formats.push_back(Format::load("shipped.toml", text).value());
  const auto set = FormatSet::make(std::move(formats)).value();
  const double megabytes = static_cast<double>(mallinfo2().uordblks - before) / 1e6;
  EXPECT_LT(megabytes, 6) << "all of " << set.all().size() << " formats; 13 when nothing was given back";
}

}  // namespace
}  // namespace etad
