#include "parsers/base/saved.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace etad {
namespace {

enum class Colour : std::uint8_t { red, green, blue };

struct Inner {
  double weight = 1;
  std::vector<std::int64_t> counts;
};
ETAD_SAVED(Inner, weight, counts)

struct Outer {
  std::string name = "nobody";
  Colour colour = Colour::red;
  std::optional<Instant> at;
  std::optional<bool> sure;
  Duration took{};
  std::uint64_t hash = 0;
  std::set<std::uint64_t> hashes;
  std::map<std::string, std::string> words;
  std::vector<std::pair<std::string, Inner>> inner;
};
ETAD_SAVED(Outer, name, colour, at, sure, took, hash, hashes, words, inner)

Outer full() {
  return {
      "caf\xe9 \"\x01", Colour::blue, Instant(std::chrono::microseconds(-7)), false, Duration(353'001), ~0ULL,
      {1, ~0ULL},       {{"a", "b"}}, {{"x", {0.1, {1, 2}}}, {"y", {}}}};
}

std::string text(const Outer& x, saved::Form form = saved::Form::sparse) {
  return saved::to_text(x, 3, form);
}

TEST(Saved, WhatWasWrittenIsReadBackInBothForms) {
  for (const auto form : {saved::Form::sparse, saved::Form::whole}) {
    for (const Outer& x : {Outer{}, full()}) {
      const auto back = saved::from_text<Outer>(text(x, form), 3, "it", form);
      ASSERT_TRUE(back) << back.error().text();
      EXPECT_EQ(text(*back, form), text(x, form));
      EXPECT_EQ(back->name, x.name);
      EXPECT_EQ(back->hashes, x.hashes);
      EXPECT_EQ(back->at, x.at);
      EXPECT_EQ(back->sure, x.sure);
      EXPECT_EQ(back->inner.size(), x.inner.size());
    }
  }
}

TEST(Saved, ASparseValueSaysWhatDiffersFromANewOne) {
  EXPECT_EQ(text({}), R"({"version":3})");
  Outer x;
  x.name.clear();  // nothing, but not what a new one has
  EXPECT_EQ(text(x), R"({"name":"","version":3})");
  EXPECT_EQ(saved::from_text<Outer>(text(x), 3, "it")->name, "");
  EXPECT_EQ(saved::from_text<Outer>(text({}), 3, "it")->name, "nobody");
}

struct Renamed {
  std::int64_t steps_done = 0;
  bool sure = false;
};
ETAD_SAVED(Renamed, steps_done, sure)
ETAD_SAVED_KEYS(Renamed, {"steps_done", "done"})

TEST(Saved, AMemberNamedAnewKeepsItsKey) {
  const std::string before = R"({"done":7,"sure":true,"version":3})";
  const auto back = saved::from_text<Renamed>(before, 3, "it", saved::Form::whole);
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(back->steps_done, 7);
  EXPECT_EQ(saved::to_text(*back, 3), before);
}

// The text is JSON, whatever stands in a string: as Boost.JSON writes what it reads of it.
TEST(Saved, TheTextIsJson) {
  Outer x = full();
  for (int c = 0; c < 0x7f; ++c) x.name += static_cast<char>(c);
  x.words = {{"a \"b\"\n", "\\"}, {"", ""}};
  x.inner.emplace_back("z", Inner{0.5, {}});
  for (const auto form : {saved::Form::sparse, saved::Form::whole}) {
    const std::string written = text(x, form);
    boost::json::parse_options lenient;
    lenient.allow_invalid_utf8 = true;
    const boost::json::value read = boost::json::parse(written, {}, lenient);
    EXPECT_EQ(read.at("name").as_string(), x.name);
    EXPECT_EQ(read.at("words").at("a \"b\"\n").as_string(), "\\");
    EXPECT_EQ(boost::json::parse(boost::json::serialize(read), {}, lenient), read);
    const auto back = saved::from_text<Outer>(written, 3, "it", form);
    ASSERT_TRUE(back) << back.error().text();
    EXPECT_EQ(back->words, x.words);
    EXPECT_EQ(back->inner.back().second.counts, x.inner.back().second.counts);
  }
  EXPECT_EQ(text({"\t\"", Colour::green, {}, true, {}, 0, {}, {}, {{"x", {}}, {"y", {0.25, {1, 2}}}}}),
            R"({"name":"\u0009\"","colour":1,"sure":true,)"
            R"("inner":[["x",{}],["y",{"weight":"0.25","counts":[1,2]}]],"version":3})");
}

TEST(Saved, DoublesHaveTheSameBits) {
  std::mt19937_64 random(1);
  std::vector<double> numbers{0.0,         -0.0, 0.1, 1e-308, 5e-324, std::numeric_limits<double>::infinity(),
                              std::nan("")};
  for (int i = 0; i < 1000; ++i) numbers.push_back(std::bit_cast<double>(random()));
  for (const double number : numbers) {
    const auto back = saved::from_text<Inner>(saved::to_text(Inner{number, {}}, 1), 1, "it");
    ASSERT_TRUE(back) << back.error().text();
    if (std::isnan(number)) {
      EXPECT_TRUE(std::isnan(back->weight));
    } else {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(back->weight), std::bit_cast<std::uint64_t>(number));
    }
  }
}

TEST(Saved, WhatIsDamagedIsRefusedAndSaysWhere) {
  const auto refusal = [](std::string_view saved_text, saved::Form form = saved::Form::sparse) {
    const auto out = saved::from_text<Outer>(saved_text, 3, "the state", form);
    EXPECT_FALSE(out) << saved_text;
    return out ? std::string() : out.error().text();
  };
  EXPECT_EQ(refusal("{"), "the state is no JSON object");
  EXPECT_EQ(refusal("[]"), "the state is no JSON object");
  EXPECT_EQ(refusal("{}"), "the state names no version");
  EXPECT_EQ(refusal(R"({"version":4})"), "the state is of version 4, not 3");
  EXPECT_EQ(refusal(R"({"version":3,"colour":3})"), "the state is damaged: colour: there is no such value");
  EXPECT_EQ(refusal(R"({"version":3,"inner":[["x",{"weight":"1x"}]]})"),
            "the state is damaged: inner: weight: \"1x\" is no number");
  EXPECT_EQ(refusal(R"({"version":3,"inner":[["x"]]})"), "the state is damaged: inner: that is no pair");
  for (const char* text :
       {R"({"version":3,"name":1})", R"({"version":3,"at":"now"})", R"({"version":3,"hash":-1})",
        R"({"version":3,"sure":1})", R"({"version":3,"words":[]})", R"({"version":3,"took":1.5})"})
    refusal(text);
  boost::json::object whole = boost::json::parse(text(full(), saved::Form::whole), {},
                                                 [] {
                                                   boost::json::parse_options lenient;
                                                   lenient.allow_invalid_utf8 = true;
                                                   return lenient;
                                                 }())
                                  .as_object();
  for (const char* member : {"name", "took", "inner"}) {
    boost::json::object lacking = whole;
    lacking.erase(member);
    EXPECT_EQ(refusal(boost::json::serialize(lacking), saved::Form::whole),
              "the state is damaged: " + std::string(member) + ": it is missing");
  }
}

}  // namespace
}  // namespace etad
