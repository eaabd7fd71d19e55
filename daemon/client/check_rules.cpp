// etactl check-rules: what the daemon would say of rule files, said beforehand, beside the rules it has.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>
#include <set>

#include "daemon/client/check_rules.h"
#include "daemon/client/deployment_words.h"
#include "daemon/client/output.h"
#include "daemon/client/text.h"
#include "daemon/settings/read_file.h"
#include "daemon/settings/rules_path.h"
#include "parsers/rules/format.h"

namespace etad::client {
namespace {

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

using Formats = std::vector<std::shared_ptr<const Format>>;

// The rule files that the daemon reads: of two namesakes that in the later folder.
std::map<std::string, std::string> installed_files(const std::vector<std::string>& folders) {
  std::map<std::string, std::string> out;  // by name
  for (const std::string& path : rule_files(folders)) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;  // such a folder need not be there
    out[std::filesystem::path(path).filename().string()] = path;
  }
  return out;
}

// The formats that the daemon knows already, but for those whose files the given ones would replace.
Formats installed_formats(std::map<std::string, std::string> installed,
                          const std::vector<std::string>& given) {
  for (const std::string& path : given) installed.erase(std::filesystem::path(path).filename().string());
  Formats out;
  for (const auto& [file, path] : installed) {
    const auto toml = config::read_file(path);
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

Object error_of(const Error& error) {
  return {{"where", printable(error.where)},
          {"message", printable(error.message)},
          {"hint", printable(error.hint)}};
}

std::string text_of_report(const Object& report) {
  if (report.contains("log")) return tried_text(object_of(report, "log"));
  std::string out;
  for (const Object& file : objects_of(report, "files")) {
    out += text_of(file, "path") + ": " + text_of(file, "format") + ", " +
           counted(count_of(file, "rules"), "rule") + ", all samples as stated\n";
  }
  return out;
}

}  // namespace

std::vector<std::string> installed_rules(const paths::Paths& system, const paths::Paths& user) {
  const auto folders = [](const paths::Paths& of, std::vector<std::string> usual) {
    auto said = config::rules_path(of.config, of.home);
    if (!said) {
      std::cerr << "etactl: " << printable(said.error().text()) << "; the usual folders of rules are taken\n";
      return usual;
    }
    return std::move(*said).value_or(std::move(usual));
  };
  std::vector<std::string> out = folders(system, system.rules);
  for (std::string& folder : folders(user, {user.rules.back()})) out.push_back(std::move(folder));
  return out;
}

int check_rules(const Common& common, const RuleCheck& asked) {
  const auto installed = installed_files(asked.installed);
  std::vector<std::string> files = rule_files(asked.files);
  if (asked.files.empty())
    for (const auto& [name, path] : installed) files.push_back(path);
  Formats formats;
  std::vector<Error> errors;
  boost::json::array loaded;
  for (const std::string& path : files) {
    const auto toml = config::read_file(path);
    if (!toml) {
      std::cerr << "etactl: " << printable(toml.error().text()) << '\n';
      return kUsage;
    }
    auto format = Format::load(path, *toml);
    if (!format) {
      errors.insert(errors.end(), format.error().begin(), format.error().end());
      continue;
    }
    loaded.push_back(Object{{"path", printable(path)},
                            {"format", printable((*format)->name())},
                            {"rules", (*format)->rule_names().size()}});
    formats.push_back(std::move(*format));
  }
  if (files.empty()) {
    std::string where;
    for (const std::string& folder : asked.files.empty() ? asked.installed : asked.files)
      where += (where.empty() ? "" : ", ") + folder;
    std::cerr << "etactl: there is no rule file in " << printable(where)
              << ": name one, or the folder it is in\n";
    return kUsage;
  }
  const Formats others = installed_formats(installed, files);
  const auto set = FormatSet::make(formats);
  const auto alone = set ? std::vector<Error>() : set.error();
  const auto in_the_way = others.empty() ? alone : clashes(formats, others);
  errors.insert(errors.end(), in_the_way.begin(), in_the_way.end());
  boost::json::array wrong;
  for (const Error& error : errors) wrong.push_back(error_of(error));
  Object report = {{"files", std::move(loaded)}, {"errors", std::move(wrong)}};
  bool good = errors.empty();
  if (good && set && !asked.log.empty()) {
    auto log = try_rules(*set, asked.log);
    if (!log) {
      std::cerr << "etactl: " << printable(log.error().text()) << '\n';
      return kUsage;
    }
    good = !array_of(*log, "runs").empty() || count_of(*log, "samples") > 0;
    report["log"] = std::move(*log);
  }
  if (!common.json)
    for (const Error& error : errors) std::cerr << printable(error.text()) << '\n';
  done(common, report, text_of_report);
  return good ? kDone : kRefused;
}

}  // namespace etad::client
