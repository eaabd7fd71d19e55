#include "tests/parsers/shipped_rules.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <utility>

#include "tests/places.h"

namespace etad::test {
namespace {

std::string path_of(const std::string& name) {
  return std::string(ETAD_RULES) + "/" + name + ".toml";
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(ETAD_RULES))
    if (entry.path().extension() == ".toml") all.push_back(entry.path().stem());
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

std::string file_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> rule_file_texts() {
  std::vector<std::string> texts;
  for (const std::string& name : names()) texts.push_back(file_text(path_of(name)));
  return texts;
}

std::shared_ptr<const Format> format_named(const std::string& name) {
  const std::string path = path_of(name);
  auto format = Format::load(path, file_text(path));
  if (format) return *format;
  for (const Error& e : format.error()) std::cerr << e.text() << '\n';
  std::abort();
}

const FormatSet& shipped_formats() {
  static const FormatSet set = [] {
    std::vector<std::shared_ptr<const Format>> all;
    for (const std::string& name : names()) all.push_back(format_named(name));
    return FormatSet::make(std::move(all)).value();
  }();
  return set;
}

}  // namespace etad::test
