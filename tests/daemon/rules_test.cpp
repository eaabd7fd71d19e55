// Which rule files' samples are run when they are loaded.
#include "daemon/rules.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "daemon/shipped_rules.h"
#include "parsers/base/files_hash.h"
#include "tests/places.h"

namespace etad {
namespace {

namespace fs = std::filesystem;

class Rules : public testing::Test {
 protected:
  Rules() {
    std::string pattern = (fs::temp_directory_path() / "etad-rules-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    for (const auto& file : fs::directory_iterator(ETAD_RULES))
      fs::copy_file(file.path(), folder_ / file.path().filename());
  }
  ~Rules() override { fs::remove_all(folder_); }

  // A sample that does not give what it says, at the end of a shipped file.
  void break_sample() const {
    std::ofstream(folder_ / "caffe.toml", std::ios::app)
        << "\n[[sample]]\nline = 'I1121 10:05:41.250731  4711 solver.cpp:239] Iteration 350, loss = 1'\n"
           "event = \"progress\"\nvalues = { iteration = 351 }\n";
  }

  fs::path folder_;
};

TEST_F(Rules, TheShippedOnesAreKnownByTheirHash) {
  std::map<std::string, std::string> texts;
  for (const auto& file : fs::directory_iterator(folder_)) {
    std::ostringstream text;
    text << std::ifstream(file.path()).rdbuf();
    texts[file.path().filename().string()] = text.str();
  }
  EXPECT_EQ(files_hash(texts), kShippedRules);
  const auto loaded = load_rules({folder_.string()});
  ASSERT_TRUE(loaded);
  EXPECT_EQ((*loaded)->fingerprint(), load_rules({ETAD_RULES}, Samples::to_check).value()->fingerprint());
}

TEST_F(Rules, OneThatWasChangedIsChecked) {
  break_sample();
  const auto loaded = load_rules({folder_.string()});
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().front().text().find("351"), std::string::npos) << loaded.error().front().text();
}

TEST_F(Rules, AFurtherOneIsCheckedAgainstTheShipped) {
  const fs::path own = folder_ / "own";
  fs::create_directory(own);
  std::ofstream(own / "own.toml") << R"(
format = "own"
framework = "own"
description = "What also Caffe's lines look like"
timestamp = "glog"
recognise = ['Iteration \d+']

[[rule]]
name = "progress"
event = "progress"
pattern = 'Iteration (?P<iteration>\d+)'

[[sample]]
line = 'I1121 10:05:41.250731  4711 solver.cpp:239] Iteration 350, loss = 1'
event = "progress"
values = { iteration = 350 }
)";
  EXPECT_FALSE(load_rules({ETAD_RULES, own.string()}));
}

}  // namespace
}  // namespace etad
