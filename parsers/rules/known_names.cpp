#include "parsers/rules/known_names.h"

#include <map>

#include "parsers/base/record.h"
#include "parsers/base/suggest.h"

namespace etad {

const std::vector<std::string_view>& field_names() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Field::count_); ++i)
      names.push_back(name_of(static_cast<Field>(i)));
    return names;
  }();
  return kNames;
}

const std::vector<std::string_view>& kind_names() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (int i = 0; i <= static_cast<int>(EventKind::sample); ++i)
      names.push_back(name_of(static_cast<EventKind>(i)));
    return names;
  }();
  return kNames;
}

const std::vector<std::string_view>& words_of(Field field) {
  static const std::map<Field, std::vector<std::string_view>> kWords = {
      {Field::job, {name_of(Job::train), name_of(Job::test), name_of(Job::time)}},
      {Field::phase, {name_of(Phase::train), name_of(Phase::test)}},
      {Field::outcome, {"finished", "stopped", "ended", "early", "trained"}},
      {Field::since,
       {"start", "first", "epoch", "progress", "most", "zero", "heading", "end", "trained", "last", "later",
        "amid", "any", "each", "display", "over", "next"}},
      {Field::unit, {"epoch", "sample", "sample_or_step", "tok", "episode", "batch"}}};
  static const std::vector<std::string_view> kAny;
  const auto words = kWords.find(field);
  return words == kWords.end() ? kAny : words->second;
}

std::string did_you_mean(std::string_view mistyped, const std::vector<std::string_view>& known) {
  if (const auto near = nearest_name(mistyped, known); !near.empty())
    return "did you mean '" + std::string(near) + "'?";
  constexpr std::size_t kShortList = 12;
  if (known.size() > kShortList) return "etad-rules(5) lists those there are";
  std::string list = "known are ";
  for (std::size_t i = 0; i < known.size(); ++i) list += (i ? ", " : "") + std::string(known[i]);
  return list;
}

std::string field_hint(std::string_view mistyped, std::string_view otherwise) {
  std::vector<std::string_view> known = {"time"};
  known.insert(known.end(), field_names().begin(), field_names().end());
  if (!nearest_name(mistyped, known).empty()) return did_you_mean(mistyped, known);
  return std::string(otherwise) + (otherwise.empty() ? "" : "; ") + "etad-rules(5) lists the fields";
}

}  // namespace etad
