// Which rule files' samples are run when they are loaded.
#include "daemon/rules.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "daemon/settings/read_file.h"
#include "daemon/shipped_rules.h"
#include "parsers/base/files_hash.h"
#include "tests/places.h"
#include "tests/storage/temp_dir.h"

namespace etad {
namespace {

namespace fs = std::filesystem;

class Rules : public testing::Test {
 protected:
  Rules() {
    for (const auto& file : fs::directory_iterator(ETAD_RULES))
      fs::copy_file(file.path(), folder_ / file.path().filename());
  }

  // A sample that does not give what it says, at the end of a shipped file.
  void break_sample() const {
    std::ofstream(folder_ / "caffe.toml", std::ios::app)
        << "\n[[sample]]\nline = 'I1121 10:05:41.250731  4711 solver.cpp:239] Iteration 350, loss = 1'\n"
           "event = \"progress\"\nvalues = { iteration = 351 }\n";
  }

  test::TempDir dir_;
  const fs::path& folder_ = dir_.path();
};

TEST_F(Rules, TheShippedOnesAreKnownByTheirHash) {
  std::map<std::string, std::string> texts;
  for (const auto& file : fs::directory_iterator(folder_))
    texts[file.path().filename().string()] = config::read_file(file.path().string()).value();
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
