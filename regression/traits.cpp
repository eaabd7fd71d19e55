#include "regression/traits.h"

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
  return out;
}

std::string_view trait_name(std::string_view trait) {
  return trait.substr(0, trait.find('='));
}

}  // namespace etad::regression
