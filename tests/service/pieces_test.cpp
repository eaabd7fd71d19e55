// The small pieces that requests and replies are made of.
#include <gtest/gtest.h>

#include <limits>

#include "daemon/service/json_writer.h"
#include "daemon/service/labels.h"
#include "daemon/service/params.h"
#include "parsers/lines/inflater.h"
#include "tests/service/gzip.h"

namespace etad::service {
namespace {

using testing::gzip;

std::string written(double value) {
  JsonWriter json;
  json.value(value);
  return json.take();
}

TEST(JsonWriter, WritesNumbersAsPeopleDo) {
  EXPECT_EQ(written(512.3), "512.3");
  EXPECT_EQ(written(0.1 + 0.2), "0.3");
  EXPECT_EQ(written(10'000), "10000");
  EXPECT_EQ(written(std::numeric_limits<double>::quiet_NaN()), "null");
  EXPECT_EQ(written(-std::numeric_limits<double>::infinity()), "null");
}

TEST(JsonWriter, WritesDurationsExactly) {
  const auto text = [](std::int64_t nanoseconds) {
    JsonWriter json;
    json.value(Duration{nanoseconds});
    return json.take();
  };
  EXPECT_EQ(text(0), "0");
  EXPECT_EQ(text(1), "0.000000001");
  EXPECT_EQ(text(512'100'000'000), "512.1");
  EXPECT_EQ(text(-1'500'000'000), "-1.5");
  EXPECT_EQ(text(std::numeric_limits<std::int64_t>::min()), "-9223372036.854775808");
}

TEST(JsonWriter, PutsCommasWhereTheyBelong) {
  JsonWriter json;
  json.begin_object().field("a", 1).key("b").begin_array().value(true).value("x").begin_object().end_object();
  json.end_array().field("c", std::optional<int>{}).end_object();
  EXPECT_EQ(json.take(), R"({"a":1,"b":[true,"x",{}],"c":null})");
}

TEST(JsonWriter, EscapesAndMendsStrings) {
  JsonWriter json;
  json.value("\"\\\n\x01\x7f\xff caf\xc3\xa9 \xed\xa0\x80 \xf0\x9f\x98\x80");
  EXPECT_EQ(json.take(),
            "\"\\\"\\\\\\n\\u0001\\u007f\xEF\xBF\xBD caf\xc3\xa9 "
            "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD \xf0\x9f\x98\x80\"");
}

TEST(JsonWriter, FindsWhatIsToBeEscapedAtEachPlace) {
  for (int c = 0; c < 0x80; ++c) {
    const std::string alone = [&] {
      JsonWriter json;
      json.value(std::string(1, static_cast<char>(c)));
      return json.take();
    }();
    const bool escapes = c < ' ' || c == '"' || c == '\\' || c == 0x7F;
    EXPECT_EQ(alone.size() > 3, escapes) << c;
    for (std::size_t at = 0; at < 20; ++at) {
      const std::string before(at, ' '), behind(20 - at, '~');
      JsonWriter json;
      json.value(before + static_cast<char>(c) + behind);
      EXPECT_EQ(json.take(), '"' + before + alone.substr(1, alone.size() - 2) + behind + '"')
          << c << " at " << at;
    }
  }
}

TEST(JsonWriter, EscapesWhatWouldSteerATerminal) {
  JsonWriter json;
  json.value("\x1b]52;c;eA==\x07 \xc2\x9b \xe2\x80\xae \xf3\xa0\x81\x81");
  EXPECT_EQ(json.take(), R"("\u001b]52;c;eA==\u0007 \u009b \u202e \udb40\udc41")");
}

TEST(ValidUtf8, ReplacesWhatIsNone) {
  constexpr const char* kMark = "\xEF\xBF\xBD";
  const std::string mark = kMark;
  EXPECT_EQ(valid_utf8("\xc0\xaf"), mark + mark);                        // overlong
  EXPECT_EQ(valid_utf8("\xe2\x82"), mark + mark);                        // cut short
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), mark + mark + mark + mark);  // above U+10FFFF
  EXPECT_EQ(valid_utf8("\xe2\x82\xac"), "\xe2\x82\xac");
}

TEST(PercentDecoded, RefusesBrokenEscapes) {
  EXPECT_EQ(percent_decoded("a%20b+c", true), "a b c");
  EXPECT_EQ(percent_decoded("a+b", false), "a+b");
  EXPECT_EQ(percent_decoded("%00", true), std::string(1, '\0'));
  for (const char* broken : {"%", "%4", "%zz", "a%"}) EXPECT_FALSE(percent_decoded(broken, true)) << broken;
}

TEST(Params, TakesADateForItsMidnight) {
  Params params("since=2026-11-20&until=2h");
  const Instant midnight = std::chrono::sys_days{std::chrono::year{2026} / 11 / 20};
  EXPECT_EQ(params.instant("since"), midnight);
  EXPECT_EQ(params.instant("until", midnight), midnight - std::chrono::hours{2});
  EXPECT_FALSE(params.check());
}

TEST(LabelsFrom, BoundsWhatItTakes) {
  EXPECT_TRUE(labels_from(" \n")->empty());
  EXPECT_FALSE(labels_from("{\"a\":\"" + std::string(2000, 'x') + "\"}"));
  EXPECT_FALSE(labels_from(std::string(10'000, '[')));
  std::string many = "{";
  for (int i = 0; i < 100; ++i) many += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":1";
  EXPECT_FALSE(labels_from(many + "}"));
}

struct Inflated {
  std::string text;
  std::size_t largest = 0;
  bool good = true;
};

Inflated inflated(std::string_view bytes, std::size_t piece) {
  Inflated out;
  Inflater inflater([&](std::string_view some) -> Result<void> {
    out.text += some;
    out.largest = std::max(out.largest, some.size());
    return {};
  });
  for (std::size_t i = 0; i < bytes.size() && out.good; i += piece)
    out.good = inflater.feed(bytes.substr(i, piece)).has_value();
  out.good = out.good && inflater.finish().has_value();
  return out;
}

TEST(Inflater, GivesTheSameInPiecesOfAnySize) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string members = gzip(text.substr(0, 7)) + gzip("") + gzip(text.substr(7));
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{1000}, members.size()}) {
    EXPECT_EQ(inflated(members, piece).text, text) << piece;
    EXPECT_EQ(inflated(text, piece).text, text) << piece;
  }
  EXPECT_EQ(inflated(members + std::string(512, '\0'), 100).text, text);  // padded, as tapes are
  EXPECT_TRUE(inflated("", 1).good);
  EXPECT_EQ(inflated("\x1f", 1).text, "\x1f");  // half a magic is plain text
}

TEST(Inflater, HoldsLittleHoweverWellItWasCompressed) {
  const Inflated out = inflated(gzip(std::string(50'000'000, '\0')), 4096);
  EXPECT_EQ(out.text.size(), 50'000'000U);
  EXPECT_LE(out.largest, 256U * 1024);
}

TEST(Inflater, SaysWhatIsDamaged) {
  std::string damaged = gzip("some text that is long enough to be damaged in its middle");
  EXPECT_FALSE(inflated(damaged.substr(0, damaged.size() - 3), 8).good);
  damaged[damaged.size() / 2] = static_cast<char>(~damaged[damaged.size() / 2]);
  EXPECT_FALSE(inflated(damaged, 8).good);
}

}  // namespace
}  // namespace etad::service
