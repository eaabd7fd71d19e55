#include "parsers/rules/rule_index.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "parsers/rules/format.h"
#include "tests/places.h"

namespace etad {
namespace {

// What asking each rule gives.
std::vector<std::uint16_t> asked(const std::vector<Rule>& rules, std::string_view file,
                                 std::string_view message) {
  std::vector<std::uint16_t> out;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const bool begins =
        message.empty() || rules[i].can_begin_with(static_cast<unsigned char>(message.front()));
    if (begins && rules[i].speaks_for(file)) out.push_back(static_cast<std::uint16_t>(i));
  }
  return out;
}

TEST(RuleIndex, GivesTheRulesThatAskingEachOfThemWould) {
  for (const auto& entry : std::filesystem::directory_iterator(ETAD_RULES)) {
    std::ifstream in(entry.path());
    std::ostringstream text;
    text << in.rdbuf();
    const auto format = Format::load(entry.path().string(), text.str());
    ASSERT_TRUE(format) << entry.path();
    const std::vector<Rule>& rules = (*format)->rules();
    const RuleIndex index(rules);
    std::set<std::string> files = {"",          "solver.cp",          "solver.cpp ",
                                   "nobody.cc", std::string(32, 'x'), std::string(42, 'y')};
    for (const Rule& rule : rules) files.insert(rule.files().begin(), rule.files().end());
    for (const std::string& file : files) {
      EXPECT_EQ(index.candidates(index.place_of(file), "").rules, asked(rules, file, ""))
          << entry.path() << " " << file;
      for (int byte = 0; byte < 256; ++byte) {
        const std::string message(1, static_cast<char>(byte));
        EXPECT_EQ(index.candidates(index.place_of(file), message).rules, asked(rules, file, message))
            << entry.path() << " " << file << " " << byte;
      }
    }
  }
}

TEST(RuleIndex, OfNoRulesGivesNone) {
  EXPECT_TRUE(RuleIndex().candidates(0, "").rules.empty());
  const RuleIndex none{std::vector<Rule>()};
  EXPECT_TRUE(none.candidates(none.place_of("a.cpp"), "x").rules.empty());
}

}  // namespace
}  // namespace etad
