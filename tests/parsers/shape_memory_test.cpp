#include "parsers/rules/shape_memory.h"
#include "parsers/base/end_words.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "parsers/rules/format.h"
#include "parsers/rules/rule_file.h"
#include "tests/parsers/log_reader.h"
#include "tests/parsers/other_digits.h"

namespace etad::test {
namespace {

constexpr const char* kDisplay = "Iteration 120 (30.1 iter/s, 1.0s/30 iters), loss = 0.713";

TEST(ShapeMemory, KnowsAMessageByAllButItsDigits) {
  ShapeMemory shapes;
  const std::string message = kDisplay;
  Pattern::Groups groups;
  groups[0] = message;
  groups[1] = std::string_view(message).substr(10, 3);
  groups[2] = {};
  EXPECT_EQ(shapes.find(7, message), nullptr);
  RememberedShape said;
  said.rule = 3;
  said.keep_groups(message, groups, 3);
  shapes.remember(said);

  const std::string like = "Iteration 999 (00.0 iter/s, 2.5s/77 iters), loss = 9.871";
  const auto* const shape = shapes.find(7, like);
  ASSERT_NE(shape, nullptr);
  EXPECT_EQ(shape->rule, 3);
  Pattern::Groups found;
  shape->groups_of(like, found);
  EXPECT_EQ(found[0], like);
  EXPECT_EQ(found[1], "999");
  EXPECT_EQ(found[2].data(), nullptr);

  EXPECT_EQ(shapes.find(8, like), nullptr) << "other rules";
  for (const char* other : {"Iteration 1200 (30.1 iter/s, 1.0s/30 iters), loss = 0.713",
                            "Iteration 120 (30.1 iter/s, 1.0s/30 iters), loss = 0.71",
                            "Iteration 120 (30.1 iter/s, 1.0s/30 iters), loss = 0x713",
                            "iteration 120 (30.1 iter/s, 1.0s/30 iters), loss = 0.713"})
    EXPECT_EQ(shapes.find(7, other), nullptr) << other;
}

// Lines alike but for a digit that somebody told apart are remembered side by side.
TEST(ShapeMemory, KnowsTheDigitsThatWereToldApart) {
  ShapeMemory shapes;
  const auto remember = [&](std::string_view line, std::uint16_t rule) {
    EXPECT_EQ(shapes.find(7, line), nullptr) << line;
    RememberedShape said;
    said.rule = rule;
    said.distinguished.note(6, line[6], digit_set('0'));
    shapes.remember(said);
  };
  remember("epoch 0: loss 1.25", 3);
  remember("epoch 4: loss 1.25", 5);
  for (int again = 0; again < 3; ++again) {
    EXPECT_EQ(shapes.find(7, "epoch 0: loss 7.31")->rule, 3);
    EXPECT_EQ(shapes.find(7, "epoch 9: loss 7.31")->rule, 5);
    EXPECT_EQ(shapes.find(7, "epoch 1: loss 0.00")->rule, 5);
  }
}

// What several make of one line stands side by side.
TEST(ShapeMemory, KeepsALineForAllWhoLookAtIt) {
  ShapeMemory shapes;
  for (std::uint16_t list = 1; list <= 4; ++list) {
    EXPECT_EQ(shapes.find(list, kDisplay), nullptr);
    RememberedShape said;
    said.rule = list;
    shapes.remember(said);
  }
  for (std::uint16_t list = 1; list <= 4; ++list) {
    const auto* const shape = shapes.find(list, kDisplay);
    ASSERT_NE(shape, nullptr) << list;
    EXPECT_EQ(shape->rule, list);
  }
}

TEST(ShapeMemory, RemembersNothingOfVeryLongMessages) {
  ShapeMemory shapes;
  for (const std::size_t size : {0U, 1U, 15U, 16U, 17U, 31U, 32U, 191U, 192U, 193U, 70000U}) {
    const std::string message(size, 'x');
    EXPECT_EQ(shapes.find(1, message), nullptr);
    shapes.remember({});
    const bool known = shapes.find(1, message) != nullptr;
    EXPECT_EQ(known, size <= ShapeMemory::kLongest) << size;
  }
}

// Every byte counts, wherever it stands.
TEST(ShapeMemory, TellsMessagesApartThatDifferInOneByte) {
  for (const std::size_t size : {16U, 17U, 47U, 48U, 192U}) {
    ShapeMemory shapes;
    std::string message(size, 'a');
    static_cast<void>(shapes.find(1, message));
    shapes.remember({});
    for (char& c : message) {
      for (const char other : {'b', '0', '/', ':', '\xff', '\0'}) {
        c = other;
        EXPECT_EQ(shapes.find(1, message), nullptr) << size;
      }
      c = 'a';
    }
    EXPECT_NE(shapes.find(1, message), nullptr);
  }
}

std::string text_of(const Event& event, const TimeContext& context) {
  const auto micros = [](const std::optional<Instant>& at) {
    return at ? std::to_string(at->time_since_epoch().count()) : "-";
  };
  std::string out = std::string(name_of(event.kind)) + " rule " + std::to_string(event.rule) + " headed " +
                    std::to_string(event.headed) + " at " + micros(event.time) + " last " +
                    micros(context.last) + " of " + std::to_string(event.speaker) + ": " +
                    std::string(event.message);
  for (const FieldValue& v : event.values())
    out += "\n  " + std::string(name_of(v.field)) + " x " + std::to_string(v.scale) + " = " +
           std::string(v.text);
  return out;
}

// A line with something else in it that a log might bring.
std::string mutated(std::string line, std::mt19937& random) {
  if (line.empty()) return line;
  const std::size_t at = random() % line.size();
  switch (random() % 4) {
    case 0:
      line[at] = static_cast<char>(random() % 256);
      break;
    case 1:
      line.erase(at, 1 + random() % 3);
      break;
    case 2:
      line.insert(at, 1, static_cast<char>('0' + random() % 10));
      break;
    default:
      line[at] = " .,:#%-e1"[random() % 9];
      break;
  }
  return line;
}

// The same of each line, whatever lines came before it: its event by a memory of them, and by matching it against all
// rules.
void expect_same_events(const Format& format, const std::vector<std::string>& lines, std::mt19937& random) {
  ShapeMemory shapes;
  TimeContext context;
  const auto expect_same = [&](const std::string& line) {
    TimeContext same = context;
    const Event remembered = format.match(line, context, &shapes);
    const Event matched = format.match(line, same);
    EXPECT_EQ(text_of(remembered, context), text_of(matched, same)) << format.name() << ": " << line;
    EXPECT_FALSE(remembered.quiet && may_tell_end(line)) << line;
  };
  for (const std::string& line : lines) {
    expect_same(line);
    for (int i = 0; i < 4; ++i) expect_same(with_other_digits(line, random));
    for (int i = 0; i < 8; ++i) {
      const std::string other = mutated(line, random);
      expect_same(other);
      expect_same(with_other_digits(other, random));
    }
    expect_same(line);
  }
}

TEST(ShapeMemory, ChangesNoEventOfTheShippedSamples) {
  std::mt19937 random(18);
  for (const auto& format : shipped_formats().all()) {
    std::vector<std::string> lines;
    for (const SampleSpec& sample : format->file().samples) lines.push_back(sample.text);
    expect_same_events(*format, lines, random);
  }
}

TEST(ShapeMemory, ChangesNoEventOfALog) {
  std::mt19937 random(181);
  for (const char* log : {"odd_unaligned_lenet.log", "time_lenet_b256_n80.log", "googlenet_mini_snap.log"})
    expect_same_events(*format_named("caffe"), caffe_log(log), random);
}

// A line of the same shape as a rule's own is its own without being read again, unless a digit of a known word is
// another one.
TEST(ShapeMemory, KnowsTheFieldsOfALine) {
  const auto format = Format::load("fields.toml", R"(
format = "fields"

[words]
step = ["step#"]
figure = ["f1"]
loss = ["loss"]

[[rule]]
name = "figure"
event = "progress"
fields = { iteration = "step" }
with = ["figure"]
take = ["loss"]
recognise = true
samples = ["step 12 f1 0.5 loss 1.25"]

[[sample]]
line = "step 12 f2 0.5 loss 1.25"
event = ""
)");
  ASSERT_TRUE(format) << format.error().front().text();
  ShapeMemory shapes;
  TimeContext context;
  for (int again = 0; again < 2; ++again) {
    const Event own = (*format)->match("step 12 f1 0.5 loss 1.25", context, &shapes);
    EXPECT_EQ(own.number(Field::loss), 1.25);
    const Event like = (*format)->match("step 99 f1 0.7 loss 8.50", context, &shapes);
    EXPECT_EQ(like.integer(Field::iteration), 99);
    EXPECT_EQ(like.number(Field::loss), 8.5);
    EXPECT_EQ((*format)->match("step 12 f2 0.5 loss 1.25", context, &shapes).rule, Event::kNoRule);
  }
}

// "top1" and "top5" are other words, also of a rule that finds its lines by a pattern or in JSON.
TEST(ShapeMemory, TakesNoFieldOfALineWhoseWordsHaveOtherDigits) {
  for (const char* finds : {R"(pattern = '.{0,9}eval')", R"(json = { iteration = "eval" })"}) {
    const auto format = Format::load("words.toml", std::string(R"(
format = "words"
recognise = 'eval'

[words]
loss = ["top1"]
samples_per_second = ["top5"]

[[rule]]
name = "eval"
event = "progress"
take = ["loss", "samples_per_second"]
samples = ['{"eval": 3, "top1": 0.5}']
)") + finds + R"(

[[sample]]
line = 'foo'
event = ""
)");
    ASSERT_TRUE(format) << format.error().front().text();
    ShapeMemory shapes;
    TimeContext context;
    for (int again = 0; again < 2; ++again)
      for (const char* word : {"top1", "top5", "top3"}) {
        const std::string line = std::string("{\"eval\": 3, \"") + word + "\": 0.5}";
        const Event event = (*format)->match(line, context, &shapes);
        EXPECT_EQ(event.has(Field::loss), std::string_view(word) == "top1") << finds << word;
        EXPECT_EQ(event.has(Field::samples_per_second), std::string_view(word) == "top5") << finds << word;
      }
  }
}

// A rule that tells digits apart stands before one that does not, and each is asked in its turn.
TEST(ShapeMemory, AsksRulesThatTellDigitsApart) {
  const auto format = Format::load("ranks.toml", R"(
format = "ranks"
framework = "ranks"
description = "Two rules for lines that differ in a digit only"
recognise = ['rank \d of']

[[rule]]
name = "first_rank"
event = "progress"
pattern = 'rank 0 of \d+: step (?P<iteration>\d+)'

[[rule]]
name = "any_rank"
event = "setting"
pattern = 'rank \d of (?P<devices>\d+): step \d+'

[[sample]]
line = "rank 0 of 8: step 17"
event = "progress"
rule = "first_rank"
values = { iteration = 17 }

[[sample]]
line = "rank 3 of 8: step 17"
event = "setting"
rule = "any_rank"
values = { devices = 8 }

[[sample]]
line = "rank 3 on 8: step 17"
event = ""
)");
  ASSERT_TRUE(format) << format.error().front().text();
  ShapeMemory shapes;
  TimeContext context;
  const auto rule_of = [&](std::string_view line) { return (*format)->match(line, context, &shapes).rule; };
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(rule_of("rank 3 of 8: step 17"), 1);
    EXPECT_EQ(rule_of("rank 0 of 8: step 18"), 0);
    EXPECT_EQ(rule_of("rank 7 of 8: step 19"), 1);
    EXPECT_EQ(rule_of("rank 0 on 8: step 18"), Event::kNoRule);
    EXPECT_EQ(rule_of("rank 5 on 8: step 18"), Event::kNoRule);
  }
}

}  // namespace
}  // namespace etad::test
