// What is checked of rule files beyond their form: that each sample gives the event it names, that each rule
// has a sample, and that no format claims another's lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/error.h"

namespace etad {

class Format;
class FormatSet;

// Runs a format's samples against its rules; appends every mistake.
void check_samples(const Format& format, std::vector<Error>& errors);

// Runs each format's samples against every other format's recognition; appends every mistake.
void check_recognition(const FormatSet& formats, std::vector<Error>& errors);

// What `etactl check-rules` and `etad --check-rules` print of one file.
struct RuleReport {
  std::string where;
  std::string format;  // empty where the file could not be read
  std::size_t rules = 0;
  std::size_t samples = 0;
  std::vector<Error> errors;

  // "caffe.toml: caffe, 41 rules, 63 samples: ok", or each error on a line of its own.
  std::string text() const;
};

RuleReport check_rules(std::string_view where, std::string_view toml);

}  // namespace etad
