#include "parsers/rules/field_hint.h"

#include <vector>

#include "parsers/base/event.h"
#include "parsers/base/suggest.h"

namespace etad {

std::string field_hint(std::string_view mistyped, std::string_view otherwise) {
  std::vector<std::string_view> known = {"time"};
  for (std::size_t i = 0; i < static_cast<std::size_t>(Field::count_); ++i)
    known.push_back(name_of(static_cast<Field>(i)));
  const auto near = nearest_name(mistyped, known);
  if (!near.empty()) return "did you mean '" + std::string(near) + "'?";
  return std::string(otherwise) + (otherwise.empty() ? "" : "; ") + "etad-rules(5) lists the fields";
}

}  // namespace etad
