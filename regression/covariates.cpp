#include "regression/covariates.h"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace etad::regression {

std::string_view setting_of(const std::map<std::string, std::string>& settings, const std::string& name) {
  const auto found = settings.find(name);
  return found == settings.end() ? std::string_view() : found->second;
}

const std::vector<std::string>& covariate_names() {
  static const std::vector<std::string> kNames{"iter_size", "precision", "sequence_length", "type",
                                               "workers"};
  return kNames;
}

std::vector<std::string> table_settings(const std::map<std::string, std::string>& settings) {
  std::istringstream names{std::string(setting_of(settings, "table_settings"))};
  return {std::istream_iterator<std::string>(names), {}};
}

Covariates covariates_of(const std::map<std::string, std::string>& settings, bool training) {
  Covariates out;
  for (const std::string& name : covariate_names()) {
    if (!training && name != "precision") continue;
    std::string value(setting_of(settings, name));
    if (name == "iter_size" && value.empty()) value = "1";
    out.push_back(name + "=" + value);
  }
  for (const std::string& name : table_settings(settings)) {
    const auto found = settings.find(name);
    const bool known =
        std::ranges::any_of(out, [&](const auto& covariate) { return covariate_name(covariate) == name; });
    if (found != settings.end() && !known) out.push_back(name + "=" + found->second);
  }
  std::ranges::sort(out);
  return out;
}

std::string_view covariate_name(std::string_view covariate) {
  return covariate.substr(0, covariate.find('='));
}

}  // namespace etad::regression
