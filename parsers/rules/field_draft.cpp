#include "parsers/rules/field_draft.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "parsers/base/printable.h"
#include "parsers/rules/line_fields.h"

namespace etad {
namespace {

struct Drafted {
  std::string name;                  // the list's, and the field's
  std::vector<std::string> phrases;  // as [words] has them
};

bool speaks_of(const std::string& name, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return (" " + name + " ").find(" " + std::string(word) + " ") != std::string::npos;
  });
}

std::string role_of(const NamedNumber& number) {
  const std::string& name = number.name;
  const std::string about = name + " " + number.unit;
  if (number.lasts)
    return speaks_of(name, {"eta", "left", "remaining"})                           ? "eta"
           : speaks_of(about, {"per", "step", "iter", "iteration", "it", "batch"}) ? "seconds"
                                                                                   : "duration";
  if (number.unit.ends_with(" per s"))
    return speaks_of(number.unit, {"it", "iter", "step", "batch"}) ? "rate" : "samples_per_second";
  return name.find("loss") != std::string::npos ? "loss" : "figure";
}

std::string counts_of(const NamedNumber& number) {
  if (speaks_of(number.name, {"epoch", "ep"})) return "epoch";
  return "iteration";
}

std::string list_of(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "\"" : ", \"") + printable(text) + "\"";
  return "[" + out + "]";
}

}  // namespace

std::string field_rule_for(std::string_view line) {
  std::vector<Drafted> counts, roles;
  std::vector<std::string> fields;
  for (const NamedNumber& number : named_numbers(line)) {
    const bool is_named = !number.name.empty();
    if (is_named && number.is_count && counts.size() < 2) {
      std::string field = counts_of(number);
      if (!counts.empty() && counts.front().name == "iteration") continue;
      if (!counts.empty() && field == "epoch") continue;
      if (!counts.empty()) field = "batch";
      const std::string totals = field == "epoch" ? "epochs" : field == "batch" ? "batches" : "max_iter";
      fields.push_back((number.has_total ? "\"" + field + "/" + totals + "?\"" : field) + " = \"" + field +
                       "\"");
      counts.push_back({field, {number.name + "#"}});
      continue;
    }
    const std::string phrase = is_named ? number.name : number.unit;
    if (phrase.empty() || phrase == "clock" || (is_named && number.is_count)) continue;
    const std::string name = role_of(number);
    auto at = std::find_if(roles.begin(), roles.end(), [&](const Drafted& r) { return r.name == name; });
    if (at == roles.end()) at = roles.insert(roles.end(), {name, {}});
    if (std::find(at->phrases.begin(), at->phrases.end(), phrase) == at->phrases.end())
      at->phrases.push_back(phrase);
  }
  if (counts.empty() || roles.empty()) return {};
  std::string out = "[words]\n", with, take;
  for (const auto* lists : {&counts, &roles})
    for (const Drafted& role : *lists) out += role.name + " = " + list_of(role.phrases) + "\n";
  std::vector<std::string> with_lists, take_lists;
  for (const Drafted& role : roles) {
    with_lists.push_back(role.name);
    if (role.name != "figure") take_lists.push_back(role.name);
  }
  out += "\n[[rule]]\nname = \"" + counts.back().phrases.front() + "\"\nevent = \"progress\"\nfields = { ";
  out.erase(out.rfind('#'), 1);
  for (std::size_t i = 0; i < fields.size(); ++i) out += (i > 0 ? ", " : "") + fields[i];
  out += " }\nwith = " + list_of(with_lists) + "\n";
  if (!take_lists.empty()) out += "take = " + list_of(take_lists) + "\n";
  return out + "recognise = true\n";
}

}  // namespace etad
