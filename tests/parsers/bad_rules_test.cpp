// Every kind of mistake a rule file can hold, one fixture each: what is reported stands at the file's end in
// comments, and must be reported word for word and all at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "parsers/rules/format.h"
#include "parsers/rules/rule_check.h"
#include "tests/places.h"

namespace etad {
namespace {

class BadRules : public testing::TestWithParam<std::string> {};

TEST_P(BadRules, AreReportedAsExpected) {
  const std::string name = GetParam() + ".toml";
  std::ifstream in(ETAD_TEST_DATA "/rules/bad/" + name, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  const RuleReport report = check_rules(name, text.str());
  std::string expected, line;
  for (std::istringstream lines(text.str()); std::getline(lines, line);)
    if (line.rfind("# expect: ", 0) == 0) expected += line.substr(10) + "\n";
  EXPECT_FALSE(expected.empty());
  EXPECT_FALSE(report.errors.empty());
  EXPECT_EQ(report.text(), expected);
}

std::vector<std::string> fixtures() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(ETAD_TEST_DATA "/rules/bad"))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Fixtures, BadRules, testing::ValuesIn(fixtures()),
                         [](const auto& fixture) { return fixture.param; });

}  // namespace
}  // namespace etad
