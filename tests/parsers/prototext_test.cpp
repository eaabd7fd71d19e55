#include "parsers/network/prototext.h"

#include <gtest/gtest.h>

#include <random>

namespace etad {
namespace {

// Writes down what it hears, one word an entry.
class Recorder : public PrototextReader::Sink {
 public:
  void open(const PrototextReader::Path& around, std::string_view key) override {
    text += where(around) + std::string(key) + "{ ";
  }
  void value(const PrototextReader::Path& around, std::string_view key, std::string_view value) override {
    text += where(around) + std::string(key) + "=" + std::string(value) + " ";
  }
  void close(const PrototextReader::Path& around, std::string_view key) override {
    text += where(around) + std::string(key) + "} ";
  }
  std::string text;

 private:
  static std::string where(const PrototextReader::Path& around) {
    std::string out;
    for (const std::string& key : around) out += key + "/";
    return out;
  }
};

std::string read(std::initializer_list<std::string_view> lines) {
  PrototextReader reader;
  Recorder recorder;
  for (const auto line : lines) reader.feed(line, recorder);
  return recorder.text;
}

TEST(Prototext, WhatCaffePrints) {
  EXPECT_EQ(
      read({"name: \"LeNet\"", "layer {", "  pooling_param {", "    pool: MAX", "    stride: 2", "  }", "}"}),
      "name=LeNet layer{ layer/pooling_param{ layer/pooling_param/pool=MAX layer/pooling_param/stride=2 "
      "layer/pooling_param} layer} ");
}

TEST(Prototext, IndentationMeansNothing) {
  EXPECT_EQ(read({"layer {", "pooling_param {", "stride: 2", "}", "}"}),
            read({"layer { pooling_param { stride: 2 } }"}));
}

TEST(Prototext, OtherWaysOfWritingTheSame) {
  EXPECT_EQ(read({"shape: <dim: 3, dim: 4;>"}), "shape{ shape/dim=3 shape/dim=4 shape} ");
  EXPECT_EQ(read({"dim: [3, 4] name: 'x'"}), "dim=3 dim=4 name=x ");
  EXPECT_EQ(read({"a: 1 # b: 2", "c:", "-1e-05"}), "a=1 c=-1e-05 ");
  EXPECT_EQ(read({"layer", "{", "}"}), "layer{ layer} ");
}

TEST(Prototext, Strings) {
  EXPECT_EQ(read({R"(stage: "" path: "a \"b\" {" end: 1)"}), "stage= path=a \"b\" { end=1 ");
  EXPECT_EQ(read({"name: \"cut in the mid", "top: \"data\""}), "top=data ");
}

TEST(Prototext, NonsenseIsPassedOver) {
  EXPECT_EQ(read({"}}} > ]", "{ anonymous: 1 }", ": : \x80\xff", "x: 1"}), "x=1 ");
}

TEST(Prototext, BalancedSaysWhetherTheTextMayEndHere) {
  PrototextReader reader;
  Recorder recorder;
  EXPECT_TRUE(reader.balanced());
  reader.feed("layer {", recorder);
  EXPECT_FALSE(reader.balanced());
  reader.feed("}", recorder);
  EXPECT_TRUE(reader.balanced());
  reader.feed("kernel_size:", recorder);
  EXPECT_FALSE(reader.balanced());
}

TEST(Prototext, WhatIsTooDeepIsCountedNotRead) {
  PrototextReader reader;
  Recorder recorder;
  for (int i = 0; i < 100'000; ++i) reader.feed("m {", recorder);
  EXPECT_EQ(reader.state().path.size(), PrototextReader::kMaxDepth);
  reader.feed("x: 1", recorder);
  EXPECT_EQ(recorder.text.find("x=1"), std::string::npos);
  for (int i = 0; i < 100'000; ++i) reader.feed("}", recorder);
  EXPECT_TRUE(reader.balanced());
  reader.feed("x: 1", recorder);
  EXPECT_TRUE(recorder.text.ends_with(" x=1 "));
}

TEST(Prototext, ASavedStateGoesOn) {
  const std::vector<std::string> lines = {"layer {", "a:", "1", "b: [2,", "3]", "m", "{ c: 4 }", "}"};
  PrototextReader whole;
  Recorder expected;
  for (const auto& line : lines) whole.feed(line, expected);
  Recorder recorder;
  PrototextReader::State state;
  for (const auto& line : lines) {
    PrototextReader reader;
    reader.state() = state;
    reader.feed(line, recorder);
    state = reader.state();
  }
  EXPECT_EQ(recorder.text, expected.text);
}

TEST(Prototext, RandomBytesDoNoHarm) {
  std::mt19937 random(1);
  const std::string_view alphabet = "{}<>[]:\"'\\#,; ab0.-\t\x80";
  PrototextReader reader;
  Recorder recorder;
  for (int i = 0; i < 20'000; ++i) {
    std::string line;
    for (auto n = random() % 12; n > 0; --n) line += alphabet[random() % alphabet.size()];
    reader.feed(line, recorder);
    ASSERT_LE(reader.state().path.size(), PrototextReader::kMaxDepth);
    ASSERT_LE(reader.state().key.size(), PrototextReader::kMaxKey);
    recorder.text.clear();
  }
}

}  // namespace
}  // namespace etad
