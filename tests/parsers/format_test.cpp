#include "parsers/rules/format.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>
#include <sstream>

#include "parsers/rules/rule_check.h"
#include "tests/places.h"
#include "tests/sanitized.h"

// Counts what is taken from the heap, to hold match() to its promise.
namespace {
std::atomic<std::size_t> allocations{0};
}
// Under a sanitizer the heap is the sanitizer's, and nothing is counted.
#if !ETAD_SANITIZED
// NOLINTBEGIN
// Not inlined: GCC would see malloc on one side and delete on the other.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size ? size : 1)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
// NOLINTEND
#endif

namespace etad {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::shared_ptr<const Format> load(std::string_view toml) {
  auto format = Format::load("test.toml", toml);
  if (format) return *format;
  for (const Error& e : format.error()) ADD_FAILURE() << e.text();
  return nullptr;
}

std::shared_ptr<const Format> small() {
  return load(read_file(ETAD_TEST_DATA "/rules/small.toml"));
}

constexpr std::string_view kTwo = R"(
format = ["steps", "epochs"]
generic = true
strip = ['> ']
[words]
step = ["step#"]
epoch = ["epoch#"]
loss = ["loss"]
[[rule]]
name = "step"
of = "steps"
event = "progress"
fields = { iteration = "step" }
with = ["loss"]
recognise = true
samples = [{ line = '> step 40 loss 0.5', values = { iteration = 40 } }]
[[rule]]
name = "epoch"
of = "epochs"
event = "progress"
fields = { iteration = "epoch" }
recognise = ['^> begin']
samples = [{ line = 'epoch 3', values = { iteration = 3 } }]
[[rule]]
name = "end"
event = "run_end"
pattern = 'end$'
set = { outcome = "finished" }
samples = ['> end']
[[sample]]
line = 'begin'
event = ""
[[sample]]
of = "epochs"
line = '> begin'
event = ""
[[sample]]
of = "steps"
line = 'epoch 3'
event = ""
)";

TimeContext context() {
  TimeContext c;
  c.reference = Instant{std::chrono::seconds{1'800'000'000}};
  return c;
}

// Formats that have all of a file in common but what says which of them it is of.
TEST(Format, OfAFileOfSeveralHasItsOwnRules) {
  const auto steps = load(kTwo);
  ASSERT_NE(steps, nullptr);
  ASSERT_EQ(steps->siblings().size(), 1U);
  const auto epochs = steps->siblings().front();
  EXPECT_EQ(steps->name() + ", " + epochs->name(), "steps, epochs");
  EXPECT_EQ(steps->rule_names(), (std::vector<std::string>{"step", "end"}));
  EXPECT_EQ(epochs->rule_names(), (std::vector<std::string>{"epoch", "end"}));
  EXPECT_EQ(epochs->framework(), "steps");
  EXPECT_TRUE(steps->recognises("> step 40 loss 0.5"));
  EXPECT_FALSE(epochs->recognises("> step 40 loss 0.5"));
  EXPECT_TRUE(epochs->recognises("> begin"));
  EXPECT_FALSE(steps->recognises("> begin"));
  const auto set = FormatSet::make({steps});
  ASSERT_TRUE(set);
  EXPECT_NE(set->find("epochs"), nullptr);
}

TEST(Format, OfAFileOfSeveralIsNamedByWhatIsItsOwn) {
  std::string text(kTwo);
  text.replace(text.find("of = \"epochs\""), 13, "of = \"epoch\"");
  const auto format = Format::load("two.toml", text);
  ASSERT_FALSE(format);
  EXPECT_EQ(format.error().front().text(),
            "two.toml:19: rule 'epoch': 'of': the file has no format 'epoch' (did you mean 'epochs'?)");
}

TEST(Format, SmallFileLoads) {
  const RuleReport report = check_rules("small.toml", read_file(ETAD_TEST_DATA "/rules/small.toml"));
  EXPECT_EQ(report.text(), "small.toml: small, 3 rules, 5 samples: ok\n");
  const auto format = small();
  EXPECT_EQ(format->name(), "small");
  EXPECT_EQ(format->framework(), "small");
  EXPECT_EQ(format->section_body(), "prototext");
  EXPECT_EQ(format->rule_names(), (std::vector<std::string>{"progress", "finished", "created"}));
}

TEST(Format, ALineBecomesAnEvent) {
  const auto format = small();
  TimeContext c = context();
  const std::string line = "I1121 00:40:06.838394 30270 solver.cpp:239] Iteration 30, loss = 3.9";
  const Event event = format->match(line, c);
  EXPECT_EQ(event.kind, EventKind::progress);
  EXPECT_EQ(event.rule, 0);
  EXPECT_TRUE(event.headed);
  EXPECT_EQ(event.message, "Iteration 30, loss = 3.9");
  EXPECT_EQ(event.integer(Field::iteration), 30);
  EXPECT_EQ(event.number(Field::loss), 3.9);
  EXPECT_FALSE(event.has(Field::rate));
  EXPECT_EQ(event.time, c.last);
}

TEST(Format, OtherLinesGiveNothing) {
  const auto format = small();
  TimeContext c = context();
  for (const char* line : {"", "  name: \"conv1\"", "Iteration",
                           "I1121 00:40:06.838394 30270 other.cpp:2] Iteration 3, loss = 1"}) {
    const Event event = format->match(line, c);
    EXPECT_EQ(event.kind, EventKind::none) << line;
    EXPECT_EQ(event.rule, Event::kNoRule) << line;
  }
}

TEST(Format, ADateLineFixesTheYear) {
  const auto format = small();
  TimeContext c = context();
  format->match("Log file created at: 2016/11/21 00:28:10", c);
  const Event event =
      format->match("I1121 00:40:06.000000 30270 solver.cpp:239] Iteration 30, loss = 3.9", c);
  ASSERT_TRUE(event.time);
  EXPECT_EQ(to_rfc3339(*event.time), "2016-11-21T00:40:06Z");
}

TEST(Format, MatchTakesNothingFromTheHeap) {
  const auto format = small();
  TimeContext c = context();
  const std::string lines[] = {
      "I1121 00:40:06.838394 30270 solver.cpp:239] Iteration 30 (8.5 iter/s, 1.1s/10 iters), loss = 3.9",
      "I1121 00:41:07.838394 30270 solver.cpp:258]     Train net output #0: loss = 3.9",
      "I1121 00:41:07.838394 30270 caffe.cpp:1] Optimization Done.",
      "layer {",
  };
  const std::size_t before = allocations;
  for (int i = 0; i < 100; ++i)
    for (const auto& line : lines) format->match(line, c);
  EXPECT_EQ(allocations, before);
}

TEST(Format, StripsWhatLaunchersWrite) {
  const auto format = load(R"(
format = "launched"
timestamp = ["tensorflow", "glog"]
strip = ['\[\d+,\d+\]<std(?:out|err)>:', 'INFO:tensorflow:', '(?:\d+: )']
recognise = 'step \d+'
[[rule]]
name = "step"
event = "progress"
pattern = 'step (?P<iteration>\d+)$'
[[sample]]
line = '[1,0]<stdout>:2020-08-13 05:49:18.641766: INFO:tensorflow:step 7'
event = "progress"
time = "2020-08-13T05:49:18.641766Z"
values = { iteration = 7 }
[[sample]]
line = 'I0813 05:49:20.565640 140192384231232 hooks.py:262] step 8'
event = "progress"
time = "2020-08-13T05:49:20.565640Z"
values = { iteration = 8 }
[[sample]]
line = '3: 3: INFO:tensorflow:step 9'
event = "progress"
[[sample]]
line = 'WARN:tensorflow:step 9'
event = ""
)");
  ASSERT_TRUE(format);
}

TEST(Format, JsonAndPythonDictionaries) {
  const auto format = load(R"(
format = "json"
recognise = '^\{"mode"'
[[rule]]
name = "train"
event = "progress"
json = { iteration = "iter", seconds = "time", loss = "losses.0.value?", time = "at?" }
when = { mode = ["train", "fit"] }
unit = { seconds = "ms" }
[[rule]]
name = "val"
event = "test_result"
json = { phase = "mode" }
when = { mode = "val", done = true }
map = { phase = { val = "test" } }
[[rule]]
name = "tagged"
event = "setting"
pattern = ':::(?P<key>\w+):'
json = { value = "value" }
[[sample]]
line = '{"mode": "train", "epoch": 1, "iter": 50, "time": 614.7, "losses": [{"value": 0.5}], "at": "2026-01-02T03:04:05Z"}'
event = "progress"
values = { iteration = 50, seconds = 0.6147, loss = 0.5 }
time = "2026-01-02T03:04:05Z"
[[sample]]
line = "{'mode': 'fit', 'iter': 51, 'time': 0.1, 'note': 'it\\'s', 'x': tensor(0.5, device='cuda:0'), 'y': None}"
event = "progress"
values = { iteration = 51 }
[[sample]]
line = '{"mode": "val", "done": true}'
event = "test_result"
values = { phase = "test" }
[[sample]]
line = ':::batch: {"value": 64, "metadata": {"value": 1}}'
event = "setting"
values = { key = "batch", value = 64 }
[[sample]]
line = '{"mode": "val", "done": false}'
event = ""
[[sample]]
line = '{"mode": "train", "iter": 50'
event = ""
)");
  ASSERT_TRUE(format);
}

// What a rule with a pattern asks of a line's words is asked, even if that is only what it must not have.
TEST(Format, APatternMayGoWithWordsThatTheLineLacks) {
  for (const char* asked : {"lacks", "without"}) {
    const auto format = load(std::string(R"(
format = "lacking"
recognise = 'step \d+'
[words]
validation = ["val", "val loss"]
[[rule]]
name = "step"
event = "progress"
pattern = '(?:val )?step (?P<iteration>\d+)'
)") + asked + R"( = ["validation"]
[[sample]]
line = 'step 7 loss 0.5'
event = "progress"
[[sample]]
line = 'val step 7 val loss 0.5'
event = ""
)");
    EXPECT_TRUE(format) << asked;
  }
}

// Rules that begin at other places of a line read other objects.
TEST(Format, OfSeveralObjectsInALineEachRuleReadsItsOwn) {
  const auto format = load(R"(
format = "json"
recognise = '^A '
[[rule]]
name = "first"
event = "progress"
pattern = 'A '
json = { iteration = "step" }
when = { kind = "train" }
[[rule]]
name = "second"
event = "test_result"
pattern = 'A \{[^}]*\} B '
json = { iteration = "step" }
when = { kind = "test" }
[[rule]]
name = "first_again"
event = "epoch"
pattern = 'A '
json = { iteration = "step" }
[[sample]]
line = 'A {"kind": "train", "step": 1} B {"kind": "test", "step": 2}'
event = "progress"
rule = "first"
values = { iteration = 1 }
[[sample]]
line = 'A {"kind": "else", "step": 3} B {"kind": "test", "step": 4}'
event = "test_result"
values = { iteration = 4 }
[[sample]]
line = 'A {"kind": "else", "step": 5, "step": 6} B {"kind": "train", "step": 7}'
event = "epoch"
values = { iteration = 6 }
[[sample]]
line = 'A {"kind": "else"} B {"kind": "train", "step": 7}'
event = ""
)");
  ASSERT_TRUE(format);
}

std::string tiny(std::string_view name, std::string_view recognise, std::string_view over = "") {
  return "format = '" + std::string(name) + "'\nrecognise = '" + std::string(recognise) + "'\n" +
         std::string(over) +
         "\n[[rule]]\nname = 'a'\nevent = 'progress'\npattern = 'a (?P<iteration>\\d+)'\n"
         "[[sample]]\nline = 'a 1 " +
         std::string(name) + "'\nevent = 'progress'\n[[sample]]\nline = 'b'\nevent = ''\n";
}

TEST(FormatSet, TheMoreSpecificFormatWins) {
  const auto set =
      FormatSet::make({load(tiny("one", "^a \\d")), load(tiny("two", "^a \\d+ two", "over = ['one']"))});
  ASSERT_TRUE(set);
  EXPECT_EQ(set->recognise("a 1 two")->name(), "two");
  EXPECT_EQ(set->recognise("a 1 one")->name(), "one");
  EXPECT_EQ(set->recognise("b"), nullptr);
  EXPECT_EQ(set->find("two")->name(), "two");
  EXPECT_EQ(set->find("three"), nullptr);
}

TEST(FormatSet, WhatALauncherWritesBeforeALineDoesNotHideIt) {
  const auto set = FormatSet::make(
      {load("strip = ['\\d+: ']\n" + tiny("one", "^a \\d one")), load(tiny("two", "^a \\d two"))});
  ASSERT_TRUE(set);
  ASSERT_NE(set->recognise("3: a 1 one"), nullptr);
  EXPECT_EQ(set->recognise("3: a 1 one")->name(), "one");
  EXPECT_EQ(set->recognise("3: a 1 two")->name(), "two")
      << "a launcher's label hides nothing from any format";
  EXPECT_EQ(set->recognise("x: a 1 one"), nullptr);
}

TEST(FormatSet, ALineThatTwoClaimIsAMistake) {
  const auto set = FormatSet::make({load(tiny("one", "^a \\d")), load(tiny("two", "^a \\d+ two"))});
  ASSERT_FALSE(set);
  ASSERT_EQ(set.error().size(), 1U);
  EXPECT_EQ(set.error().front().text(),
            "test.toml:8: sample 'a 1 two' is also recognised by the format 'one' (test.toml) (narrow one's "
            "'recognise', or "
            "write over = [\"one\"] if this format is the more specific)");
}

TEST(FormatSet, NamesAreTakenOnce) {
  const auto set = FormatSet::make({load(tiny("one", "^a \\d")), load(tiny("one", "^a \\d"))});
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().front().message, "the format 'one' is also described in test.toml");
}

// The worked example of docs/rules.md, read from there.
TEST(Documentation, TheWorkedExampleWorks) {
  const std::string doc = read_file(ETAD_RULES "/../../docs/rules.md");
  const auto begin = doc.find("```toml\n"), end = doc.find("```", begin + 8);
  ASSERT_NE(begin, std::string::npos);
  const auto format = load(std::string_view(doc).substr(begin + 8, end - begin - 8));
  ASSERT_TRUE(format);

  std::vector<std::string> kinds;
  TimeContext c = context();
  std::istringstream lines(doc);
  for (std::string line; std::getline(lines, line) && line != "```toml";)
    if (line.rfind("    2026", 0) == 0) kinds.emplace_back(name_of(format->match(line.substr(4), c).kind));
  EXPECT_EQ(kinds, (std::vector<std::string>{"run_start", "progress", "progress", "test_start", "test_result",
                                             "run_end"}));
}

// The rule file to which its ten minutes lead; each line of the block stands behind three blanks.
TEST(Documentation, TheTenMinutesLeadToAFileThatWorks) {
  const std::string doc = read_file(ETAD_RULES "/../../docs/rules.md");
  const auto begin = doc.find("   ```toml\n");
  ASSERT_NE(begin, std::string::npos);
  std::istringstream lines(doc.substr(begin + 11, doc.find("   ```", begin + 11) - begin - 11));
  std::string toml;
  for (std::string line; std::getline(lines, line);) toml += line.substr(line.empty() ? 0 : 3) + "\n";
  const auto format = load(toml);
  ASSERT_TRUE(format);
  EXPECT_TRUE(format->recognises("@10:01:00 round<20> q=1.500 clk=3.0s/round"));
}

}  // namespace
}  // namespace etad
