// Lines taken apart into fields, by the words of a rule file.
#include "parsers/rules/line_fields.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "parsers/rules/format.h"
#include "parsers/rules/rule_file.h"
#include "parsers/rules/vocabulary.h"

namespace etad {
namespace {

WordList list(std::string name, std::vector<std::string> phrases) {
  WordList out{std::move(name), 1, {}};
  for (std::string& phrase : phrases) out.phrases.push_back({std::move(phrase), 1});
  return out;
}

Vocabulary words() {
  std::vector<Error> errors;
  const auto out = Vocabulary::make(
      {list("word", {"step", "it"}), list("validation", {"val"}), list("steps", {"* step#", "it#"}),
       list("epochs", {"* epoch#"}), list("loss", {"* loss *"}),
       list("seconds", {"step", "* <word> time", "s per <word>", "* sec per <word>"}),
       list("rate", {"<word> per s"}), list("duration", {"time", "* elapsed", "s"})},
      "words", errors);
  EXPECT_TRUE(errors.empty());
  return out;
}

// "loss = 4.1; steps = 40 of 500".
std::string fields_of(std::string_view line) {
  const Vocabulary vocabulary = words();
  LineFields fields;
  fields.read(line, vocabulary);
  std::string out;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const LineField& field = fields[i];
    out +=
        (out.empty() ? "" : "; ") + vocabulary.name(field.role) + " = " + std::string(field.value.in(line));
    if (field.total) out += " of " + std::string(field.total.in(line));
    if (field.mean) out += " mean " + std::string(field.mean.in(line));
    if (field.scale != 1) out += " x " + std::to_string(field.scale);
  }
  return out;
}

TEST(LineFields, AreCountsWithTheirTotals) {
  EXPECT_EQ(fields_of("Step 40/500 | loss 4.1"), "steps = 40 of 500; loss = 4.1");
  EXPECT_EQ(fields_of("Train Step [ 40/ 500] loss: 4.1"), "steps = 40 of 500; loss = 4.1");
  EXPECT_EQ(fields_of("steps=40 of 500"), "steps = 40 of 500");
  EXPECT_EQ(fields_of("step40 out of 1,500"), "steps = 40 of 1,500");
  EXPECT_EQ(fields_of("[40/500] loss 4.1"), "unnamed = 40 of 500; loss = 4.1");
  EXPECT_EQ(fields_of("images 40/500"), "unknown = 40 of 500");
  EXPECT_EQ(fields_of("(30/40/50)"), "");
  EXPECT_EQ(fields_of("Steps 1-20, loss 4.1"), "loss = 4.1") << "a range";
}

TEST(LineFields, HaveTheUnitThatStandsBehindThemOrInTheName) {
  EXPECT_EQ(fields_of("epoch 3, 0.52s/it"), "epochs = 3; seconds = 0.52s");
  EXPECT_EQ(fields_of("epoch 3, 2.5 it/s"), "epochs = 3; rate = 2.5");
  EXPECT_EQ(fields_of("it/s: 2.5"), "rate = 2.5");
  EXPECT_EQ(fields_of("step_time_ms=512"), "seconds = 512 x 0.001000");
  EXPECT_EQ(fields_of("step_ms=512 it/s=2"), "seconds = 512 x 0.001000; rate = 2");
  EXPECT_EQ(fields_of("step_time(ms)=512"), "seconds = 512 x 0.001000");
  EXPECT_EQ(fields_of("data_loading(s)=0.25 elapsed(s)=62.5"), "duration = 62.5");
  EXPECT_EQ(fields_of("StepTime: 0.5"), "seconds = 0.5");
  EXPECT_EQ(fields_of("time 0.52s (0.50s)"), "duration = 0.52s mean 0.50");
  EXPECT_EQ(fields_of("elapsed 1m23s"), "duration = 1m23s");
  EXPECT_EQ(fields_of("[0:01:23 elapsed]"), "duration = 0:01:23");
  EXPECT_EQ(fields_of("loss 4.1 (62.5s)"), "loss = 4.1; duration = 62.5s");
  EXPECT_EQ(fields_of("loss 4.1 sec_of_epoch 62.5"), "loss = 4.1") << "the next number's name";
  EXPECT_EQ(fields_of("loss 4.1 time 62.5 sec"), "loss = 4.1; duration = 62.5 sec");
}

// What stands behind a number with a name, and before another number, is that one's name.
TEST(LineFields, LeaveARateToTheNumberBehindIt) {
  EXPECT_EQ(fields_of("step 40 loss 2.5 it/s 4.0"), "steps = 40; loss = 2.5; rate = 4.0");
  EXPECT_EQ(fields_of("step 40 loss 2.5 s/it 0.25 lr 1e-4"), "steps = 40; loss = 2.5; seconds = 0.25");
  EXPECT_EQ(fields_of("step 40 loss 2.5 0.25 s/it 12.5 GB"), "steps = 40; loss = 2.5; seconds = 0.25 s");
}

TEST(LineFields, AreTimesSince1970WhereTheyAreCalledStamps) {
  EXPECT_EQ(fields_of(R"({"step": 40, "loss": 2.5, "timestamp": 1741064400.25})"),
            "steps = 40; loss = 2.5; time = 1741064400.25");
  EXPECT_EQ(fields_of(R"({"ts": 1741064400250, "step": 40})"), "time = 1741064400250; steps = 40");
  EXPECT_EQ(fields_of("step 40 time 12.5"), "steps = 40; duration = 12.5");
}

TEST(LineFields, AreOfTheValidationWhereTheirNameSaysSo) {
  EXPECT_EQ(fields_of("step 40 val_loss 4.1, loss 4.2"), "steps = 40; validation = 4.1; loss = 4.2");
  EXPECT_EQ(fields_of("epoch 3: loss=4.2 val/loss=4.1"), "epochs = 3; loss = 4.2; validation = 4.1");
}

// One word of it behind what the line counts says it of all that the line measures.
TEST(LineFields, AreOfTheValidationThatTheLineIsOf) {
  EXPECT_EQ(fields_of("epoch 3 [val] bleu 61.5 loss 4.1 (2.5s)"),
            "epochs = 3; validation = 61.5; validation = 4.1; validation = 2.5s");
  EXPECT_EQ(fields_of("epoch 3 val loss 4.1, time 2.5s"), "epochs = 3; validation = 4.1; validation = 2.5s");
  EXPECT_EQ(fields_of("epoch 3 val_loss 4.1, time 2.5s"), "epochs = 3; validation = 4.1; duration = 2.5s");
  EXPECT_EQ(fields_of("epoch 3 loss 4.2, val loss 4.1, time 2.5s"),
            "epochs = 3; loss = 4.2; validation = 4.1; duration = 2.5s");
  EXPECT_EQ(fields_of("epoch 3: val 12 things"), "epochs = 3");
}

// A whole line of it says so in front, and what it counts is told by its name.
TEST(LineFields, AreCountedInAValidationToo) {
  EXPECT_EQ(fields_of("val step 40/500 loss 4.1"), "steps = 40 of 500; loss = 4.1");
  EXPECT_EQ(fields_of("[val] step 40 val loss 4.1"), "steps = 40; validation = 4.1");
  EXPECT_EQ(fields_of("epoch 3 val step 40"), "epochs = 3; validation = 40");
}

TEST(LineFields, OfAPluralAreNotCounted) {
  EXPECT_EQ(fields_of("epoch=3 loss=4.1"), "epochs = 3; loss = 4.1");
  EXPECT_EQ(fields_of("epochs=40 loss=4.1"), "loss = 4.1");
  EXPECT_EQ(fields_of("epochs 3/40"), "epochs = 3 of 40");
}

TEST(LineFields, LastWhereTheirUnitSaysSo) {
  EXPECT_EQ(fields_of("epoch 3 1h 2m 5s"), "epochs = 3; duration = 1h 2m 5s");
  EXPECT_EQ(fields_of("epoch 3 done at 10:07 PM"), "epochs = 3") << "a time of day";
  EXPECT_EQ(fields_of("Fri Mar 6 00:34:25 2026 epoch 3"), "epochs = 3") << "a clock may be any time";
  EXPECT_EQ(fields_of("elapsed 00:34:25"), "duration = 00:34:25");
  EXPECT_EQ(fields_of("time 4m, drift of step 4.5m"), "duration = 4m") << "metres or millions";
  EXPECT_EQ(fields_of("852386d786c57f73 20d74695a08952db"), "") << "digits of a name";
  EXPECT_EQ(fields_of("elapsed_s=9"), "duration = 9");
  EXPECT_EQ(fields_of("words/sec=9 step.h: 202"), "");
}

TEST(LineFields, AreTheKeysOfAnObject) {
  EXPECT_EQ(fields_of(R"({"epoch": 3, "step": 40, "train/loss": 4.1, "step_time": 0.5})"),
            "epochs = 3; steps = 40; loss = 4.1; seconds = 0.5");
}

TEST(LineFields, AreNoPartsOfDates) {
  EXPECT_EQ(fields_of("loss: 0.5 Time: 02/05/2018--11:41 step: 178"), "loss = 0.5; steps = 178");
  EXPECT_EQ(fields_of("time 28/08/2022 12:13 loss: 0.5"), "loss = 0.5");
  EXPECT_EQ(fields_of("step 3/40 time: 7"), "steps = 3 of 40; duration = 7");
}

TEST(LineFields, AreNoPartsOfNames) {
  EXPECT_EQ(fields_of("v1.2.3 10.0.0.1 step4x loss_0.cpp"), "");
  EXPECT_EQ(fields_of("epoch 0.5"), "");              // a count is a whole number
  EXPECT_EQ(fields_of("step 0.5"), "seconds = 0.5");  // and what is none may be of another list
}

// Lines that differ in nothing but their digits have the same fields, but for digits of words that a list may hold.
TEST(LineFields, AreNoNumbersOfCode) {
  EXPECT_EQ(fields_of("    time += 1000 * (time.perf_counter() - t0)"), "");
  EXPECT_EQ(fields_of("time = 60 * minutes"), "");
  EXPECT_EQ(fields_of("time = 60 *** step 40"), "duration = 60; steps = 40");
}

TEST(LineFields, AreNoValuesOfOptions) {
  EXPECT_EQ(fields_of("+ python3 train.py --log-steps 20 --loss=0.5 --amp --it 40"), "");
  EXPECT_EQ(fields_of("--log_steps 20 --amp step 40 --loss: 0.5"), "steps = 40; loss = 0.5");
  EXPECT_EQ(fields_of("----Epoch 3--step 40 - loss 0.5"), "epochs = 3; steps = 40; loss = 0.5");
}

TEST(LineFields, TellDigitsOfWordsApart) {
  std::vector<Error> errors;
  const Vocabulary vocabulary = Vocabulary::make({list("figure", {"f1", "* p2 score"})}, "words", errors);
  ASSERT_TRUE(errors.empty());
  LineFields fields;
  const std::string_view line = "step10 resnet50 f1 0.5 fp16 mean P2Score 0.25";
  fields.read(line, vocabulary);
  ASSERT_TRUE(fields.distinguished());
  EXPECT_TRUE(fields.distinguished()->hold("step99 resnet18 f1 9.9 fp32 mean P2Score 0.99"));
  EXPECT_FALSE(fields.distinguished()->hold("step10 resnet50 f2 0.5 fp16 mean P2Score 0.25"));
  std::string many;
  for (int i = 0; i < 20; ++i) many += "f1 0.5 ";
  fields.read(many, vocabulary);
  EXPECT_FALSE(fields.distinguished());
}

// A data set of problems, and what a model wrote, speak of epochs, steps and seconds as well.
TEST(LineFields, AreNotThoseOfLongTextsInJson) {
  const std::string prose =
      "\"Let step 40 of 500 have a loss of 4.1, and \\\"more\\\": " + std::string(160, 'x');
  EXPECT_EQ(fields_of("{\"problem\": " + prose + "\", \"loss\": 4.1}"), "");
  EXPECT_EQ(fields_of("{\"step\": 40, \"loss\": 4.1, \"text\": " + prose + "\"}"), "steps = 40; loss = 4.1");
  EXPECT_EQ(fields_of("{\"message\": \"step 40/500, loss 4.1\"}"), "steps = 40 of 500; loss = 4.1");
}

// Whatever a line is: so many fields and no more, each within the line.
TEST(LineFields, AreBounded) {
  std::string line;
  for (int i = 0; i < 5000; ++i) line += "step 4/5 ";
  const Vocabulary vocabulary = words();
  LineFields fields;
  fields.read(line, vocabulary);
  EXPECT_EQ(fields.size(), LineFields::kMost);
  EXPECT_GT(fields.numbers(), LineFields::kMost);
  EXPECT_LE(fields.numbers(), LineFields::kLongestLine / 8);
  for (const std::string_view each :
       {"", "/", "[/", "1/", "0:", "step ", "step \xe2", "1e", "-", "1,", "(", "1 ("})
    fields.read(each, vocabulary);
  EXPECT_EQ(fields.find(0), nullptr);
}

// Were the units of each of its numbers looked for in all of the word, such lines would cost a hundred times what others
// do.
TEST(LineFields, AreNoPartsOfALongWord) {
  std::string word;
  while (word.size() < 1000) word += "1h";
  EXPECT_EQ(fields_of("time 1h1s step 4"), "duration = 1h1s; steps = 4");
  EXPECT_EQ(fields_of("time " + word + " step 4"), "steps = 4");
}

constexpr std::string_view kRules = R"(
format = "own"
timestamp = "iso8601"

[words]
round = ["* round#"]
loss = ["* loss"]
seconds = ["dt", "dt time"]
validation = ["val"]

[take]
measures = ["loss", "seconds", "time"]

[[rule]]
name = "round"
event = "progress"
fields = { "iteration/max_iter?" = "round" }
with = ["loss"]
lacks = ["validation"]
take = "measures"
recognise = true

[[sample]]
line = 'round 4 of 9: loss 0.5, dt 2s'
event = "progress"
values = { iteration = 4, max_iter = 9, loss = 0.5, seconds = 2 }

[[sample]]
line = 'val round 4: loss 0.5'
event = ""
)";

TEST(FieldRules, FillInTheEventAndRecogniseTheirLines) {
  const auto format = Format::load("own.toml", kRules);
  ASSERT_TRUE(format) << format.error().front().text();
  EXPECT_TRUE((*format)->recognises("loss 0.5 after round 4"));
  EXPECT_FALSE((*format)->recognises("round 4"));
  EXPECT_FALSE((*format)->recognises("val round 4: loss 0.5"));
  TimeContext context;
  const Event event =
      (*format)->match("2026-03-01 10:00:12 {'round': 12, 'train_loss': 0.25, 'dt': 1.5}", context);
  EXPECT_EQ(event.kind, EventKind::progress);
  EXPECT_EQ(event.integer(Field::iteration), 12);
  EXPECT_EQ(event.number(Field::loss), 0.25);
  EXPECT_EQ(event.number(Field::seconds), 1.5);
  EXPECT_TRUE(event.time.has_value());
}

// "loss" says more of itself than "aux loss" does, wherever it stands.
TEST(FieldRules, TakeWhatHasAPlainName) {
  const auto format = Format::load("own.toml", kRules);
  ASSERT_TRUE(format) << format.error().front().text();
  TimeContext context;
  const Event event = (*format)->match("round 12 aux loss 9.5, loss 0.25, last loss 0.5", context);
  EXPECT_EQ(event.number(Field::loss), 0.25);
}

TEST(FieldRules, AskForOneOfEachOfSeveralLists) {
  const auto format = Format::load("own.toml", R"(
format = "own"
[words]
epochs = ["epoch#"]
loss = ["loss"]
figure = ["acc"]
seconds = ["dt"]
[[rule]]
name = "epoch"
event = "progress"
fields = { iteration = "epochs" }
with = [["loss", "figure"], "seconds"]
samples = ['epoch 3 acc 0.5 dt 2', 'epoch 3 loss 0.5 dt 2']
[[sample]]
line = 'epoch 3 acc 0.5 loss 0.5'
event = ""
)");
  EXPECT_TRUE(format) << format.error().front().text();
}

// "epoch 3, step 40" is a step of the epoch, and "step 40, …, epoch 3" one of all.
TEST(FieldRules, AskForNumbersInTheirOrder) {
  const auto format = Format::load("own.toml", R"(
format = "own"
[words]
epochs = ["epoch#"]
steps = ["step#"]
[[rule]]
name = "of an epoch"
event = "progress"
fields = { epoch = "epochs", batch = "steps" }
samples = [{ line = 'epoch 3 step 40', values = { epoch = 3, batch = 40 } }]
[[rule]]
name = "of all"
event = "progress"
fields = { iteration = "steps" }
samples = [{ line = 'step 40 epoch 3', values = { iteration = 40 } }, 'step 40']
[[sample]]
line = 'epoch 3'
event = ""
)");
  EXPECT_TRUE(format) << format.error().front().text();
}

TEST(FieldRules, SayWhatASampleLacks) {
  std::string text(kRules);
  text += "\n[[sample]]\nline = 'round 4 dt 2s'\nevent = \"progress\"\n";
  const auto format = Format::load("own.toml", text);
  ASSERT_FALSE(format);
  ASSERT_EQ(format.error().size(), 1U);
  EXPECT_EQ(format.error().front().message,
            "sample 'round 4 dt 2s': no rule matches; of rule 'round' it has none of 'loss'");
  EXPECT_EQ(format.error().front().hint, "the line's fields are: round = 4, seconds = 2s");
}

}  // namespace
}  // namespace etad
