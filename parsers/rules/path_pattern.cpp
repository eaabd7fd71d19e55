#include "parsers/rules/path_pattern.h"

#include <re2/re2.h>

#include <vector>

#include "parsers/base/event.h"
#include "parsers/base/trace_labels.h"
#include "parsers/rules/known_names.h"

namespace etad {

struct PathPattern::Compiled {
  explicit Compiled(const std::string& pattern) : expression(pattern, RE2::Quiet) {}
  RE2 expression;
};

Result<PathPattern> PathPattern::compile(const std::string& pattern, std::string_view key) {
  const std::string where = std::string(key) + " '" + pattern + "'";
  PathPattern out;
  if (pattern.empty()) return out;
  auto compiled = std::make_shared<const Compiled>(pattern);
  if (!compiled->expression.ok()) {
    return fail(where + ": " + compiled->expression.error(), "it is an RE2 pattern");
  }
  if (compiled->expression.NamedCapturingGroups().empty()) {
    return fail(where + " has no named group", "write (?P<batch_size>\\d+)");
  }
  for (const auto& [name, index] : compiled->expression.NamedCapturingGroups()) {
    if (!field(name) && !trace_label(name) && name != "gpus")
      return fail(where + " names '" + name + "', which is no field", field_hint(name));
  }
  out.compiled_ = std::move(compiled);
  return out;
}

std::vector<std::string> PathPattern::names() const {
  std::vector<std::string> out;
  if (!compiled_) return out;
  for (const auto& [name, index] : compiled_->expression.NamedCapturingGroups()) out.push_back(name);
  return out;
}

std::map<std::string, std::string> PathPattern::labels(std::string_view path) const {
  std::map<std::string, std::string> out;
  if (!compiled_) return out;
  const RE2& expression = compiled_->expression;
  std::vector<re2::StringPiece> groups(static_cast<std::size_t>(expression.NumberOfCapturingGroups()) + 1);
  const re2::StringPiece text(path.data(), path.size());
  if (!expression.Match(text, 0, text.size(), RE2::UNANCHORED, groups.data(),
                        static_cast<int>(groups.size()))) {
    return out;
  }
  for (const auto& [name, index] : expression.NamedCapturingGroups()) {
    const re2::StringPiece& group = groups[static_cast<std::size_t>(index)];
    if (!group.empty()) out[name] = std::string(group.data(), group.size());
  }
  return out;
}

}  // namespace etad
