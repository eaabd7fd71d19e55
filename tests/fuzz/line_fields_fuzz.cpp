// Any line taken apart into fields: no crash, no more of them than the bound, each a part of the line, in its order.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/rules/line_fields.h"
#include "parsers/rules/rule_file.h"
#include "parsers/rules/vocabulary.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using etad::LineFields;
using etad::Vocabulary;

const Vocabulary& words() {
  static const Vocabulary kWords = [] {
    std::vector<etad::Error> errors;
    const std::string toml =
        "format = \"f\"\n[words]\nword = [\"step\", \"it\"]\nvalidation = [\"val\"]\nsteps = [\"* step#\", "
        "\"it#\"]\n"
        "epochs = [\"* epoch#\"]\nloss = [\"* loss *\"]\nseconds = [\"* <word> time\", \"s per <word>\"]\n"
        "duration = [\"time\", \"s\"]\n";
    const etad::RuleFile file = etad::read_rule_file("fuzz.toml", toml, errors);
    auto out = Vocabulary::make(file.words, "fuzz.toml", errors);
    if (!errors.empty()) std::abort();
    return out;
  }();
  return kWords;
}

bool lies_within(etad::Place part, std::string_view line) {
  return !part || std::size_t{part.at} + part.length <= line.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  LineFields fields;
  fields.read(line, words());
  if (fields.size() > LineFields::kMost || fields.numbers() > LineFields::kLongestLine) std::abort();
  std::size_t behind = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const etad::LineField& field = fields[i];
    if (field.role >= words().roles() || !lies_within(field.value, line) || !lies_within(field.total, line) ||
        !lies_within(field.mean, line) || field.value.at < behind)
      std::abort();
    behind = std::size_t{field.value.at} + field.value.length;
  }
  return 0;
}
