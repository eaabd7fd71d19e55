// etactl check-rules: what the daemon would say of rule files, said beforehand.
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

}  // namespace

int check_rules(const std::vector<std::string>& files) {
  std::vector<std::shared_ptr<const Format>> formats;
  bool good = true;
  for (const std::string& path : files) {
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
    std::cout << printable(path) << ": " << (*format)->name() << ", " << (*format)->rule_names().size()
              << " rules, all samples as stated\n";
    formats.push_back(std::move(*format));
  }
  if (const auto set = FormatSet::make(std::move(formats)); !set) {
    report(set.error());
    good = false;
  }
  return good ? kDone : kRefused;
}

}  // namespace etad::client
