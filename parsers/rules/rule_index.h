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
    std::uint64_t id = 0;  // ShapeMemory::new_list()
    std::vector<std::uint16_t> rules;
    std::vector<std::uint16_t> particular;  // those of them that may tell one digit from another
  };

  // `file`: empty where the line names none.
  const List& candidates(std::string_view file, std::string_view message) const {
    const std::size_t first = message.empty() ? kEmpty : static_cast<unsigned char>(message.front());
    return lists_[firsts_[place_of(file)][first]];
  }

 private:
  static constexpr std::size_t kEmpty = 256;  // the message of no byte: all rules
  using ByFirst = std::array<std::uint16_t, 257>;

  // Of the files that rules name; 0: any other.
  std::size_t place_of(std::string_view file) const {
    for (const Named& named : by_size_[file.size() % by_size_.size()])
      if (named.file == file) return named.place;
    return 0;
  }

  struct Named {
    std::string file;
    std::size_t place;
  };
  std::array<std::vector<Named>, 32> by_size_;
  std::vector<ByFirst> firsts_{ByFirst{}};  // by file: where the list is for each first byte
  std::vector<List> lists_{{}};             // each once; the first is empty
};

}  // namespace etad
