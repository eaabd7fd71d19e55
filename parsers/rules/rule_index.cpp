#include "parsers/rules/rule_index.h"

#include <algorithm>
#include <utility>

namespace etad {
namespace {

RuleIndex::List make_list(const std::vector<Rule>& rules, const std::vector<std::uint16_t>& places) {
  RuleIndex::List list{places, {}};
  for (const std::uint16_t i : places)
    if (!rules[i].treats_digits_alike()) list.particular.push_back(i);
  return list;
}

}  // namespace

RuleIndex::RuleIndex(const std::vector<Rule>& rules) {
  std::vector<std::string> files = {std::string(1, '\0')};  // any that no rule names
  for (const Rule& rule : rules)
    for (const std::string& file : rule.files())
      if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
  for (std::size_t place = 1; place < files.size(); ++place)
    by_size_[files[place].size() % by_size_.size()].push_back(
        {files[place], static_cast<std::uint16_t>(place)});

  firsts_.assign(files.size(), ByFirst{});
  std::vector<std::uint16_t> speak, list;
  for (std::size_t place = 0; place < files.size(); ++place) {
    speak.clear();
    for (std::size_t i = 0; i < rules.size(); ++i)
      if (rules[i].speaks_for(files[place])) speak.push_back(static_cast<std::uint16_t>(i));
    std::size_t last = 0;  // neighbouring bytes mostly begin the same rules
    for (std::size_t first = 0; first <= kEmpty; ++first) {
      list.clear();
      for (const std::uint16_t i : speak)
        if (first == kEmpty || rules[i].can_begin_with(static_cast<unsigned char>(first))) list.push_back(i);
      if (lists_[last].rules != list) {
        last = static_cast<std::size_t>(std::ranges::find(lists_, list, &List::rules) - lists_.begin());
        if (last == lists_.size()) lists_.push_back(make_list(rules, list));
      }
      firsts_[place][first] = static_cast<std::uint16_t>(last);
    }
  }
}

}  // namespace etad
