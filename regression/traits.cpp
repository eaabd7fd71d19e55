#include "regression/traits.h"

#include <algorithm>
#include <sstream>

namespace etad::regression {

const std::vector<std::string>& trait_names() {
  static const std::vector<std::string> kNames{"iter_size", "precision", "sequence_length", "type", "workers"};
  return kNames;
}

Traits traits_of(const std::map<std::string, std::string>& settings, bool training) {
  Traits out;
  for (const std::string& name : trait_names()) {
    if (!training && name != "precision") continue;
    const auto found = settings.find(name);
    std::string value = found == settings.end() ? "" : found->second;
    if (name == "iter_size" && value.empty()) value = "1";
    out.push_back(name + "=" + value);
  }
  const auto named = settings.find("table_settings");
  std::istringstream names(named == settings.end() ? "" : named->second);
  for (std::string name; names >> name;) {
    const auto found = settings.find(name);
    const bool known = std::ranges::any_of(out, [&](const auto& trait) { return trait_name(trait) == name; });
    if (found != settings.end() && !known) out.push_back(name + "=" + found->second);
  }
  std::ranges::sort(out);
  return out;
}

std::string_view trait_name(std::string_view trait) {
  return trait.substr(0, trait.find('='));
}

}  // namespace etad::regression
