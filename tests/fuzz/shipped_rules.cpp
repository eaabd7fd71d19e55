#include "tests/fuzz/shipped_rules.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

namespace etad::fuzz {

std::vector<std::string> rule_file_texts() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(ETAD_RULES))
    if (entry.path().extension() == ".toml") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return texts;
}

const FormatSet& shipped_rules() {
  static const FormatSet set = [] {
    std::vector<std::shared_ptr<const Format>> formats;
    for (const std::string& text : rule_file_texts())
      formats.push_back(Format::load("shipped.toml", text).value());
    return FormatSet::make(std::move(formats)).value();
  }();
  return set;
}

}  // namespace etad::fuzz
