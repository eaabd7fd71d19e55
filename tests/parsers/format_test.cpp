#include "parsers/format.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "parsers/rule_check.h"

namespace etad {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Format, SmallFileLoads) {
  const std::string path = ETAD_TEST_DATA "/rules/small.toml";
  const RuleReport report = check_rules("small.toml", read_file(path));
  EXPECT_EQ(report.text(), "small.toml: small, 3 rules, 5 samples: ok\n");
}

}  // namespace
}  // namespace etad
