#include "prediction/names.h"

#include <algorithm>

#include "parsers/base/text.h"

namespace etad::prediction {

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_case(x) == lower_case(y); });
}

Fit fit_of(const std::optional<std::string>& asked, std::string_view has) {
  if (!asked || *asked == has) return Fit::as_asked;
  return equal_ignoring_case(*asked, has) ? Fit::but_for_case : Fit::none;
}

}  // namespace etad::prediction
