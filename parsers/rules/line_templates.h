// What the lines of a log have in common that no rule knows: lines that differ in nothing but their numbers
// are one template. For whoever writes a rule for them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace etad {

class LineTemplates {
 public:
  struct Template {
    std::int64_t lines = 0;
    bool numbers = false;  // has any
    std::string example;   // the first of them
  };

  // Of very many templates the ones met first are counted.
  void add(std::string_view line);

  std::int64_t lines() const { return lines_; }          // in all
  std::int64_t uncounted() const { return uncounted_; }  // of templates beyond the bound
  // Those with numbers first: what never says another thing measures nothing.
  std::vector<Template> most_frequent(std::size_t count) const;

 private:
  std::unordered_map<std::string, Template> templates_;
  std::int64_t lines_ = 0;
  std::int64_t uncounted_ = 0;
};

// The line with its numbers marked: "epoch <3>/<40> loss <0.81>".
std::string with_numbers_marked(std::string_view line);

// A rule's pattern that matches the line and those of its template: what stands before a number names its
// field where that is plain ("epoch", "loss"); the other numbers are to be named by whoever knows them.
std::string pattern_for(std::string_view line);

}  // namespace etad
