// Container envelopes: what is one, what it holds, and what merely looks like one.
#include "parsers/lines/envelope.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace etad {
namespace {

struct Opened {
  std::string text;
  std::string time;
  bool partial = false;
  bool error_stream = false;
  bool operator==(const Opened&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Opened& o) {
  return out << '"' << o.text << "\" at " << o.time << (o.partial ? " partial" : "")
             << (o.error_stream ? " stderr" : "");
}

std::string micros(Instant at) {
  return std::to_string(at.time_since_epoch().count());
}

std::optional<Opened> open(std::string line) {
  const auto envelope = open_envelope(line);
  if (!envelope) return std::nullopt;
  return Opened{std::string(envelope->text.data(), envelope->text.size()), micros(envelope->time.value()),
                envelope->partial, envelope->error_stream};
}

// 2026-07-11T10:15:28Z
constexpr const char* kAt = "1783764928000000";

TEST(Envelope, DockerLine) {
  EXPECT_EQ(
      open(
          R"({"log":"Iteration 100, loss = 0.5\n","stream":"stderr","time":"2026-07-11T10:15:28.000000999Z"})"),
      (Opened{"Iteration 100, loss = 0.5", kAt, false, true}));
}

TEST(Envelope, DockerPartialLine) {
  EXPECT_EQ(open(R"({"log":"half a","stream":"stdout","time":"2026-07-11T10:15:28Z"})"),
            (Opened{"half a", kAt, true, false}));
}

TEST(Envelope, DockerKeysInAnyOrderAndMoreOfThem) {
  EXPECT_EQ(
      open(
          R"({"attrs":{"tag":"a,}\"b","list":[1,{"x":"]"}]},"time":"2026-07-11T10:15:28Z", "stream":"stdout","log":"x\n"})"),
      (Opened{"x", kAt, false, false}));
}

TEST(Envelope, DockerEscapes) {
  EXPECT_EQ(
      open(
          R"({"log":"a\tb\\n\"q\" \u001b[1m\u00e9\u20ac\ud83d\ude00 \u003c\/\r\n","stream":"stdout","time":"2026-07-11T10:15:28Z"})")
          ->text,
      "a\tb\\n\"q\" \x1b[1m\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 </\r");
  EXPECT_EQ(open(R"({"log":"\ud83d half a pair\n","time":"2026-07-11T10:15:28Z"})")->text,
            "\xEF\xBF\xBD half a pair");
  EXPECT_EQ(open(R"({"log":"\uzzzz\n","time":"2026-07-11T10:15:28Z"})")->text, "?zzzz");
}

TEST(Envelope, CriLine) {
  EXPECT_EQ(open("2026-07-11T10:15:28.000000999Z stdout F Iteration 100"),
            (Opened{"Iteration 100", kAt, false, false}));
  EXPECT_EQ(open("2026-07-11T12:15:28+02:00 stderr P Iterat"), (Opened{"Iterat", kAt, true, true}));
  EXPECT_EQ(open("2026-07-11T05:45:28-04:30 stderr F:x  two spaces"),
            (Opened{" two spaces", kAt, false, true}));
}

TEST(Envelope, CriEmptyLine) {
  EXPECT_EQ(open("2026-07-11T10:15:28.5Z stdout F ")->text, "");
  EXPECT_EQ(open("2026-07-11T10:15:28.5Z stdout F")->text, "");
}

TEST(Envelope, AStampInFront) {
  EXPECT_EQ(open("2026-07-11T10:15:28.000000999Z Iteration 100"),
            (Opened{"Iteration 100", kAt, false, false}));
  EXPECT_EQ(open("2026-07-11T10:15:28.0000009Z  two blanks"), (Opened{" two blanks", kAt, false, false}));
  EXPECT_EQ(open("2026-07-11T10:15:28.000000999Z ")->text, "");
}

TEST(Envelope, IsNotSeenWhereThereIsNone) {
  for (const char* line : {
           "",
           "I0711 10:15:28.123456  4711 solver.cpp:239] Iteration 100",
           "2026-07-11T10:15:28.123456Z INFO Iteration 100 and so on",
           "2026-07-11T10:15:28.123456Z stdout X Iteration 100",
           "2026-07-11T10:15:28.1234567+02:00 a zone of its own",
           "2026-07-11T10:15:28.123456789Z",
           "2026-07-11T10:15:28.123456Z stdout FF Iteration 100",
           "2026-13-11T10:15:28.123456Z stdout F no such month",
           "2026-07-11T25:15:28.123456Z stdout F no such hour",
           "2026-07-11T10:15:28.123456 stdout F no zone at all",
           R"({"log":"x\n","stream":"stdout","time":"yesterday, a long line"})",
           R"({"message":"another JSON log","time":"2026-07-11T10:15:28Z"})",
           R"({"log":"x\n","stream":"stdout","time":"2026-07-11T10:15:28Z"} and more)",
           R"({"log":"x\n","stream":"stdout","time":"2026-07-11T10:15:28Z")",
           R"({"log":{"nested":1},"stream":"stdout","time":"2026-07-11T10:15:28Z"})",
           R"({"log":"never ended, {\"stream\":)",
       })
    EXPECT_FALSE(open(line)) << line;
}

TEST(Envelope, LeavesAloneWhatItDoesNotOpen) {
  std::string line = R"({"log":"a\nb","stream":"stdout","time":"not a time at all"})";
  const std::string before = line;
  EXPECT_FALSE(open_envelope(line));
  EXPECT_EQ(line, before);
}

TEST(Envelope, SurvivesEveryDamageOfOneByte) {
  const std::string docker = R"({"log":"a\u00e9\n","stream":"stdout","time":"2026-07-11T10:15:28.5Z"})";
  const std::string cri = "2026-07-11T10:15:28.5+02:00 stdout P text";
  const std::string stamp = "2026-07-11T10:15:28.123456789Z text";
  for (const std::string& good : {docker, cri, stamp}) {
    for (std::size_t at = 0; at < good.size(); ++at) {
      for (int c = 0; c < 256; ++c) {
        std::string line = good;
        line[at] = static_cast<char>(c);
        const auto envelope = open_envelope(line);
        ASSERT_TRUE(!envelope || envelope->text.size() <= line.size());
      }
      std::string cut = good.substr(0, at);
      (void)open_envelope(cut);
    }
  }
}

}  // namespace
}  // namespace etad
