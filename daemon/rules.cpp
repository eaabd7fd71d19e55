#include "daemon/rules.h"

#include <filesystem>
#include <map>
#include <utility>

#include "daemon/settings/read_file.h"
#include "daemon/shipped_rules.h"
#include "daemon/system.h"
#include "parsers/base/files_hash.h"

namespace etad {

tl::expected<std::shared_ptr<const FormatSet>, std::vector<Error>> load_rules(
    const std::vector<std::string>& folders, Samples of_shipped) {
  std::vector<Error> errors;
  std::map<std::string, std::string> paths;  // by file name
  for (const std::string& folder : folders) {
    auto files = system::toml_files(folder);
    if (!files) errors.push_back(files.error());
    if (!files) continue;
    for (std::string& path : *files) paths[std::filesystem::path(path).filename().string()] = std::move(path);
  }
  std::map<std::string, std::string> texts;
  for (const auto& [name, path] : paths) {
    auto text = config::read_file(path);
    if (text) {
      texts[name] = std::move(*text);
    } else {
      errors.push_back(text.error());
    }
  }
  const Samples samples = files_hash(texts) == kShippedRules ? of_shipped : Samples::to_check;
  std::vector<std::shared_ptr<const Format>> formats;
  for (const auto& [name, text] : texts) {
    auto format = Format::load(paths[name], text, samples);
    if (format) {
      formats.push_back(std::move(*format));
    } else {
      errors.insert(errors.end(), format.error().begin(), format.error().end());
    }
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  auto set = FormatSet::make(std::move(formats), samples);
  if (!set) return tl::unexpected(std::move(set.error()));
  return std::make_shared<const FormatSet>(std::move(*set));
}

}  // namespace etad
