#include "daemon/settings/rules_path.h"

#include "daemon/settings/read_file.h"
#include "daemon/settings/table.h"

namespace etad::config {

Result<std::optional<std::vector<std::string>>> rules_path(const std::string& file, const std::string& home) {
  std::optional<std::vector<std::string>> out;
  const auto text = read_file(file);
  if (!text) return out;
  const auto parsed = parse(file, *text);
  if (!parsed) return tl::unexpected(parsed.error());
  const toml::table* const rules = (*parsed)["rules"].as_table();
  if (rules == nullptr || !rules->contains("path")) return out;
  Errors errors;
  Table(file, "rules", *rules, errors).texts("path", out.emplace());
  if (!errors.empty()) return tl::unexpected(std::move(errors.front()));
  for (std::string& folder : *out) expand_home(home, folder);
  return out;
}

}  // namespace etad::config
