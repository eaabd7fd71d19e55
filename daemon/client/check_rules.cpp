// etactl check-rules: what the daemon would say of rule files, said beforehand.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "daemon/client/commands.h"
#include "daemon/client/text.h"
#include "parsers/rules/format.h"

namespace etad::client {
namespace {

void report(const std::vector<Error>& errors) {
  for (const Error& error : errors) std::cerr << printable(error.text()) << '\n';
}

// A folder stands for the rule files in it.
std::vector<std::string> rule_files(const std::vector<std::string>& given) {
  std::vector<std::string> files;
  for (const std::string& path : given) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const auto first = static_cast<std::ptrdiff_t>(files.size());
    for (const auto& entry : std::filesystem::directory_iterator(path, error))
      if (entry.path().extension() == ".toml") files.push_back(entry.path().string());
    std::sort(files.begin() + first, files.end());
  }
  return files;
}

}  // namespace

int check_rules(const std::vector<std::string>& given, const std::string& log) {
  std::vector<std::shared_ptr<const Format>> formats;
  bool good = true;
  for (const std::string& path : rule_files(given)) {
    std::ifstream in(path, std::ios::binary);
    const std::string toml{std::istreambuf_iterator<char>(in), {}};
    if (!in) {
      std::cerr << "etactl: " << printable(path) << ": can't be read\n";
      return kUsage;
    }
    auto format = Format::load(path, toml);
    if (!format) {
      report(format.error());
      good = false;
      continue;
    }
    if (log.empty())
      std::cout << printable(path) << ": " << (*format)->name() << ", " << (*format)->rule_names().size()
                << " rules, all samples as stated\n";
    formats.push_back(std::move(*format));
  }
  const auto set = FormatSet::make(std::move(formats));
  if (!set) report(set.error());
  if (!set || !good) return kRefused;
  return log.empty() ? kDone : try_rules(*set, log);
}

}  // namespace etad::client
