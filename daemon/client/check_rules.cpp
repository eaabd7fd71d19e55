// etactl check-rules: what the daemon would say of rule files, said beforehand, beside the rules it has.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>
#include <set>

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

std::optional<std::string> content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string toml{std::istreambuf_iterator<char>(in), {}};
  return in ? std::optional(std::move(toml)) : std::nullopt;
}

using Formats = std::vector<std::shared_ptr<const Format>>;

// The formats that the daemon knows already, but for those whose files the given ones would replace.
Formats installed_formats(const std::vector<std::string>& folders, const std::vector<std::string>& given) {
  const auto name = [](const std::string& path) { return std::filesystem::path(path).filename().string(); };
  std::map<std::string, std::string> paths;
  for (const std::string& path : rule_files(folders)) paths[name(path)] = path;  // a later folder's counts
  for (const std::string& path : given) paths.erase(name(path));
  Formats out;
  for (const auto& [file, path] : paths) {
    const auto toml = content(path);
    auto format = toml ? Format::load(path, *toml) : tl::unexpected(std::vector<Error>());
    if (format) out.push_back(std::move(*format));
  }
  return out;
}

// How these formats and those that are there already are in each other's way.
std::vector<Error> clashes(const Formats& formats, const Formats& installed) {
  const auto errors = [](Formats all) {
    const auto set = FormatSet::make(std::move(all));
    return set ? std::vector<Error>() : set.error();
  };
  Formats all = installed;
  all.insert(all.end(), formats.begin(), formats.end());
  std::vector<Error> out = errors(std::move(all));
  std::set<std::string> old;  // theirs among themselves are no matter of the new ones
  for (const Error& error : errors(installed)) old.insert(error.text());
  std::erase_if(out, [&](const Error& error) { return old.contains(error.text()); });
  return out;
}

}  // namespace

int check_rules(const std::vector<std::string>& given, const std::string& log,
                const std::vector<std::string>& installed) {
  Formats formats;
  bool good = true;
  const auto files = rule_files(given);
  for (const std::string& path : files) {
    const auto toml = content(path);
    if (!toml) {
      std::cerr << "etactl: " << printable(path) << ": can't be read\n";
      return kUsage;
    }
    auto format = Format::load(path, *toml);
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
  const auto in_the_way = clashes(formats, installed_formats(installed, files));
  report(in_the_way);
  const auto set = FormatSet::make(std::move(formats));
  if (!set || !good || !in_the_way.empty()) return kRefused;
  return log.empty() ? kDone : try_rules(*set, log);
}

}  // namespace etad::client
