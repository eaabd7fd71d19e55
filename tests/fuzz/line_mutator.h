// Mutates inputs that are read line by line as lines, not as bytes: known lines are put in, lines are taken out,
// repeated with numbers that grow, moved, and numbers become extreme ones. Random bytes alone hardly ever make a
// line that any rule, route or rule file knows.
//
// A target that is linked with line_mutator.cpp says which lines are known. Only libFuzzer's programs use it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace etad::fuzz {

struct KnownLines {
  std::vector<std::string> lines;  // neighbours belong together; without line ends
  std::size_t header = 0;          // bytes before the first line
};

// Defined by the target.
KnownLines known_lines();

}  // namespace etad::fuzz
