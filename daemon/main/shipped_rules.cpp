// Part of the build: shipped_rules FILE… prints the header by which load_rules() knows the rule files that are shipped.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include "parsers/base/files_hash.h"

int main(int argc, char** argv) {
  std::map<std::string, std::string> texts;
  for (int i = 1; i < argc; ++i) {
    const std::filesystem::path path(argv[i]);
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (!(text << in.rdbuf())) {
      std::cerr << path << ": cannot be read\n";
      return EXIT_FAILURE;
    }
    texts[path.filename().string()] = text.str();
  }
  std::cout << "// Made by shipped_rules.cpp.\n#pragma once\n\n#include <cstdint>\n\nnamespace etad {\n\n"
            << "inline constexpr std::uint64_t kShippedRules = " << etad::files_hash(texts)
            << "U;\n\n}  // namespace etad\n";
}
