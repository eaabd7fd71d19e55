// What the lines of a log have in common that no rule knows: lines that differ in nothing but their digits are one
// template. For whoever writes a rule for them.
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
    // Of each group of digits within the example's words, in order, whether other lines have others there: "e01" and
    // "e02" hold a number, "top1" and "ResNet50" hold none.
    std::vector<bool> differ;
  };

  // Of very many templates the ones met first are counted.
  void add(std::string_view line);

  std::int64_t lines() const { return lines_; }          // in all
  std::int64_t uncounted() const { return uncounted_; }  // of templates beyond the bound
  // Those with numbers first: what never says another thing measures nothing.
  std::vector<Template> most_frequent(std::size_t count) const;

 private:
  static void note(Template& found, const std::vector<std::string_view>& in_words);

  std::unordered_map<std::string, Template> templates_;
  std::int64_t lines_ = 0;
  std::int64_t uncounted_ = 0;
};

// The example with its numbers marked: "epoch <3>/<40> loss <0.81>".
std::string with_numbers_marked(const LineTemplates::Template& found);

// A rule's pattern that matches the lines of a template: what stands before a number names its field where that is
// plain ("epoch", "loss"); the other numbers are to be named by whoever knows them.
std::string pattern_for(const LineTemplates::Template& found);

}  // namespace etad
