// The rule files that etad ships: each loads with all its samples, and none claims another's lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "parsers/rules/format.h"
#include "tests/places.h"

namespace etad {
namespace {

std::vector<std::filesystem::path> rule_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(ETAD_RULES))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::shared_ptr<const Format> load(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  auto format = Format::load(path.filename().string(), text.str());
  if (format) return *format;
  for (const Error& e : format.error()) ADD_FAILURE() << e.text();
  return nullptr;
}

TEST(ShippedRules, EachLoadsWithAllItsSamples) {
  ASSERT_FALSE(rule_files().empty());
  for (const auto& path : rule_files()) EXPECT_NE(load(path), nullptr) << path;
}

TEST(ShippedRules, NoneClaimsTheLinesOfAnother) {
  std::vector<std::shared_ptr<const Format>> formats;
  for (const auto& path : rule_files())
    if (auto format = load(path)) formats.push_back(std::move(format));
  const auto set = FormatSet::make(std::move(formats));
  if (set) return;
  for (const Error& e : set.error()) ADD_FAILURE() << e.text();
}

TEST(ShippedRules, ProseWithTheWordsOfAHeaderIsNoTableOfMeasurements) {
  const auto format = load(std::filesystem::path(ETAD_RULES) / "measurements.toml");
  ASSERT_NE(format, nullptr);
  EXPECT_FALSE(format->recognises("one network, whose iterations, each over a batch, took so many seconds."));
  EXPECT_FALSE(format->recognises("network LeNet, 100 iterations, 5 seconds"));
  EXPECT_TRUE(format->recognises("run,\"network\" , iterations;seconds,note"));
  EXPECT_TRUE(format->recognises("seconds,loss,iterations,network"));
  EXPECT_TRUE(format->recognises("batch_size,iterations,seconds"));
}

}  // namespace
}  // namespace etad
