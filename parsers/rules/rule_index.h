// Which of a format's rules a line can be of, by what is cheap to look at: the source file that its header names and
// the message's first byte. Most lines are of no rule, and are done with here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/rules/rule.h"

namespace etad {

class RuleIndex {
 public:
  RuleIndex() = default;
  explicit RuleIndex(const std::vector<Rule>& rules);

  // Rules to try, by their places in the format's list and in its order.
  struct List {
    std::vector<std::uint16_t> rules;
    std::vector<std::uint16_t> particular;  // those of them that may tell one digit from another
  };

  // Of the source files that rules name; 0: any other, or none.
  std::uint16_t place_of(std::string_view file) const {
    for (const Named& named : by_size_[file.size() % by_size_.size()])
      if (named.file == file) return named.place;
    return 0;
  }

  // `file`: the place of the one that wrote the line.
  const List& candidates(std::uint16_t file, std::string_view message) const {
    const std::size_t first = message.empty() ? kEmpty : static_cast<unsigned char>(message.front());
    return lists_[firsts_[file][first]];
  }

 private:
  static constexpr std::size_t kEmpty = 256;  // the message of no byte: all rules
  using ByFirst = std::array<std::uint16_t, 257>;

  struct Named {
    std::string file;
    std::uint16_t place;
  };
  std::array<std::vector<Named>, 32> by_size_;
  std::vector<ByFirst> firsts_{ByFirst{}};  // by file: where the list is for each first byte
  std::vector<List> lists_{{}};             // each once; the first is empty
};

}  // namespace etad
