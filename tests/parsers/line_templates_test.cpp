#include "parsers/rules/line_templates.h"

#include <gtest/gtest.h>

#include "parsers/rules/pattern.h"

namespace etad {
namespace {

TEST(LineTemplates, LinesThatDifferInNumbersOnlyAreOne) {
  LineTemplates templates;
  for (int i = 0; i < 5; ++i) templates.add("epoch " + std::to_string(i) + " loss 0." + std::to_string(i));
  templates.add("saving model7 to disk");
  const auto found = templates.most_frequent(10);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].lines, 5);
  EXPECT_EQ(found[0].example, "epoch 0 loss 0.0");
  EXPECT_EQ(with_numbers_marked(found[0]), "epoch <0> loss <0.0>");
  EXPECT_EQ(with_numbers_marked(found[1]), "saving model7 to disk") << "a word's digits are the word's";
}

TEST(LineTemplates, DigitsWithinWordsAreANumberWhereLinesDiffer) {
  LineTemplates templates;
  for (int epoch = 1; epoch < 4; ++epoch)
    templates.add("[e0" + std::to_string(epoch) + "|ResNet50] top1 71.5");
  const auto found = templates.most_frequent(10);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].lines, 3);
  EXPECT_EQ(with_numbers_marked(found[0]), "[e<01>|ResNet50] top1 <71.5>");
  EXPECT_EQ(pattern_for(found[0]), "\\[e[\\d.e+-]+\\|ResNet50\\] top1 [\\d.e+-]+");
}

TEST(LineTemplates, WordsThatDifferInDigitsAloneTellSomething) {
  LineTemplates templates;
  for (const char* line : {"a font is missing", "a font is missing", "saved model7", "saved model8"})
    templates.add(line);
  const auto found = templates.most_frequent(10);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(with_numbers_marked(found[0]), "saved model<7>");
}

TEST(LineTemplates, WithNumbersComeFirst) {
  LineTemplates templates;
  for (int i = 0; i < 9; ++i) templates.add("a font is missing");
  templates.add("step 1 took 3 s");
  const auto found = templates.most_frequent(10);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].example, "step 1 took 3 s");
}

TEST(LineTemplates, AreBounded) {
  LineTemplates templates;
  std::string word = "aaaaa";
  for (int i = 0; i < 30'000; ++i) {
    for (std::size_t at = 0; ++word[at] > 'z'; ++at) word[at] = 'a';
    templates.add(word);
  }
  EXPECT_EQ(templates.lines(), 30'000);
  EXPECT_EQ(templates.uncounted(), 10'000);
}

TEST(LineTemplates, APatternMatchesItsLineAndNamesWhatIsPlain) {
  const std::string line = "[train] Epoch 3/40 step 100/5000 | loss: 1.5e-05 (118 ms) x2";
  const std::string text = pattern_for({1, true, line, {false}});
  EXPECT_EQ(
      text,
      "\\[train\\] Epoch (?P<epoch>\\d+)/(?P<epochs>\\d+) step (?P<iteration>\\d+)/(?P<max_iter>\\d+) \\| "
      "loss: (?P<loss>[\\d.e+-]+) \\([\\d.e+-]+ ms\\) x2");
  const auto pattern = Pattern::compile(text);
  ASSERT_TRUE(pattern);
  EXPECT_TRUE(pattern->matches(line));
}

TEST(LineTemplates, ControlBytesOfALineStandForNoNumber) {
  LineTemplates templates;
  templates.add("top1 x");
  templates.add("top\x02 x");
  templates.add("top \x01");
  templates.add("top 2");
  EXPECT_EQ(templates.most_frequent(9).size(), 4U);
}

}  // namespace
}  // namespace etad
