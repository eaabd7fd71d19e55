#include "parsers/base/event.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cmath>
#include <random>
#include <string>

namespace etad {
namespace {

std::optional<double> number(Field f, std::string_view text, double scale = 1) {
  Event event;
  event.add(f, scale, text);
  return event.number(f);
}

TEST(Event, EveryNameLeadsBack) {
  for (int i = 0; i <= static_cast<int>(EventKind::sample); ++i) {
    const auto kind = static_cast<EventKind>(i);
    EXPECT_EQ(event_kind(name_of(kind)), kind);
  }
  for (int i = 0; i < static_cast<int>(Field::count_); ++i) {
    const auto f = static_cast<Field>(i);
    EXPECT_FALSE(name_of(f).empty());
    EXPECT_EQ(field(name_of(f)), f);
  }
  EXPECT_EQ(name_of(EventKind::layer_time), "layer_time");
  EXPECT_EQ(name_of(EventKind::sample), "sample");
  EXPECT_EQ(name_of(Field::label), "label");
  EXPECT_EQ(event_kind("Progress"), std::nullopt);
  EXPECT_EQ(field("count_"), std::nullopt);
}

TEST(Event, NumbersAsLogsWriteThem) {
  EXPECT_EQ(number(Field::loss, "0.757952"), 0.757952);
  EXPECT_EQ(number(Field::loss, " +1e-05 "), 1e-05);
  EXPECT_EQ(number(Field::loss, "-2.8026e-44"), -2.8026e-44);
  EXPECT_EQ(number(Field::loss, "1e-999"), 0);
  EXPECT_EQ(number(Field::loss, "1e999"), std::nullopt);
  EXPECT_EQ(number(Field::loss, ""), std::nullopt);
  EXPECT_EQ(number(Field::loss, "abc"), std::nullopt);
  EXPECT_EQ(number(Field::loss, "12ms"), std::nullopt);
  EXPECT_DOUBLE_EQ(number(Field::seconds, "26", 0.001).value(), 0.026);
  EXPECT_DOUBLE_EQ(number(Field::loss, "1,024,000").value(), 1'024'000);
  EXPECT_DOUBLE_EQ(number(Field::seconds, "1,912.25", 0.001).value(), 1.91225);
  for (const char* odd : {"1,02", "1,0244", "1024,000", ",024", "1,024,", "1,024.5.5", "1,024,00.5"})
    EXPECT_EQ(number(Field::loss, odd), std::nullopt) << odd;
  for (const char* nan : {"nan", "-nan", "NaN", "1.#QNAN", "-1.#IND"})
    EXPECT_TRUE(std::isnan(number(Field::loss, nan).value_or(0))) << nan;
  EXPECT_TRUE(std::isinf(number(Field::loss, "-inf").value_or(0)));
  EXPECT_TRUE(std::isinf(number(Field::loss, "1.#INF").value_or(0)));
}

// Those that are written plainly are read a faster way, which may not show.
TEST(Event, PlainNumbersAreReadToTheSameBit) {
  std::mt19937_64 random(18);
  for (int i = 0; i < 100'000; ++i) {
    std::string text = std::to_string(random() >> (random() % 64));
    const std::size_t point = random() % (text.size() + 4);
    if (point <= text.size()) text.insert(point, ".");
    double expected = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), expected);
    ASSERT_EQ(error, std::errc{}) << text;
    ASSERT_EQ(end, text.data() + text.size()) << text;
    ASSERT_EQ(number(Field::loss, text), expected) << text;
  }
  for (const char* none : {".", "1.2.3", "..", "1x", "", "-", "1 2"})
    EXPECT_EQ(number(Field::loss, none), std::nullopt) << none;
}

TEST(Event, ValuesAreFoundByTheirFieldWhateverIsTakenOutOrRenamed) {
  Event event;
  event.add(Field::key, 1, "a");
  event.add(Field::loss, 1, "2");
  event.add(Field::key, 1, "b");
  EXPECT_EQ(event.text(Field::key), "a");
  event.remove(Field::key);
  EXPECT_EQ(event.text(Field::key), "b");
  event.remove(Field::key);
  EXPECT_FALSE(event.has(Field::key));
  EXPECT_EQ(event.find(Field::key), nullptr);
  event.remove(Field::key);
  event.rename(Field::key, Field::value);
  EXPECT_FALSE(event.has(Field::value));
  event.rename(Field::loss, Field::rate);
  EXPECT_FALSE(event.has(Field::loss));
  EXPECT_EQ(event.number(Field::rate), 2);
  const Event copy = event;
  EXPECT_EQ(copy.number(Field::rate), 2);
  event.clear_values();
  EXPECT_FALSE(event.has(Field::rate));
  EXPECT_TRUE(event.values().empty());
}

TEST(Event, DurationsWithUnitsAndAsClocks) {
  EXPECT_DOUBLE_EQ(number(Field::seconds, "26ms").value(), 0.026);
  EXPECT_DOUBLE_EQ(number(Field::duration, "mins): 2.5").value(), 150);
  EXPECT_DOUBLE_EQ(number(Field::duration, "ms] = 12").value(), 0.012);
  EXPECT_FALSE(number(Field::duration, "mins): "));
  EXPECT_FALSE(number(Field::duration, "mins): 2.5x"));
  EXPECT_FALSE(number(Field::duration, "miles): 2.5"));
  EXPECT_FALSE(number(Field::loss, "mins): 2.5"));
  EXPECT_DOUBLE_EQ(number(Field::seconds, "353us").value(), 353e-6);
  EXPECT_DOUBLE_EQ(number(Field::seconds, "1.5 s").value(), 1.5);
  EXPECT_DOUBLE_EQ(number(Field::elapsed, "2h").value(), 7200);
  EXPECT_DOUBLE_EQ(number(Field::seconds, "1,912.25ms").value(), 1.91225);
  EXPECT_DOUBLE_EQ(number(Field::eta, "2:03").value(), 123);
  EXPECT_DOUBLE_EQ(number(Field::eta, "1:02:03.5").value(), 3723.5);
  EXPECT_DOUBLE_EQ(number(Field::seconds, "1:60").value(), 120);
  EXPECT_DOUBLE_EQ(number(Field::seconds, "00: 02: 03").value(), 123);
  EXPECT_FALSE(number(Field::seconds, "00:  02"));
  EXPECT_FALSE(number(Field::seconds, "1:61"));
  EXPECT_FALSE(number(Field::seconds, "1:60:05"));
  EXPECT_DOUBLE_EQ(number(Field::eta, "1 day, 2:03:04").value(), 86400 + 7384);
  EXPECT_DOUBLE_EQ(number(Field::eta, "3 days").value(), 3 * 86400);
  for (const char* odd : {"2:75", "1:2:3:4", "2:", "5 parsecs", "1 day, x", "2::3", "3:-1"})
    EXPECT_EQ(number(Field::eta, odd), std::nullopt) << odd;
}

TEST(Event, IntegersOnlyWhereExact) {
  const auto integer = [](std::string_view text, double scale = 1) {
    Event event;
    event.add(Field::iteration, scale, text);
    return event.integer(Field::iteration);
  };
  EXPECT_EQ(integer("450000"), 450000);
  EXPECT_EQ(integer("-1"), -1);
  EXPECT_EQ(integer("1e4"), 10000);
  EXPECT_EQ(integer("12", 1000), 12000);
  EXPECT_EQ(integer("1.5"), std::nullopt);
  EXPECT_EQ(integer("nan"), std::nullopt);
  EXPECT_EQ(integer("99999999999999999999"), std::nullopt);
  EXPECT_EQ(integer("9223372036854775807"), 9223372036854775807);
}

TEST(Event, HoldsSoManyValuesAndNoMore) {
  Event event;
  for (std::size_t i = 0; i < Event::kMaxValues; ++i) EXPECT_TRUE(event.add(Field::loss, 1, "1"));
  EXPECT_FALSE(event.add(Field::rate, 1, "1"));
  EXPECT_FALSE(event.has(Field::rate));
  EXPECT_TRUE(event.text(Field::rate).empty());
}

}  // namespace
}  // namespace etad
