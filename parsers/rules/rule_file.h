// A rule file as written: the TOML text, checked for form (keys, types, names), not yet compiled.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/base/event.h"
#include "parsers/base/timestamp.h"

namespace etad {

// A regular expression and where it stands.
struct PatternSpec {
  std::string text;
  std::size_t line = 0;
};

// A list of words as the file has it.
struct WordList {
  std::string name;
  std::size_t line = 0;
  std::vector<PatternSpec> phrases;
};

// What a rule takes from a JSON object (or a Python dictionary) in the line.
struct JsonTake {
  std::optional<Field> field;  // none: the line's time
  std::string path;            // keys joined by dots
  bool optional = false;       // the rule matches without it
};

struct JsonCondition {
  std::string path;
  std::vector<std::string> values;  // one of them
};

// What a rule asks of a line's fields (field_rule.h), of which most rules ask nothing.
struct FieldSpec {
  struct Count {
    std::string name;  // "epoch/epochs?"
    std::vector<PatternSpec> lists;
    std::size_t line = 0, column = 0;
  };
  std::vector<Count> counts;
  // Which lists of words it has to have and must not have, as numbers and in words; and which other numbers are taken.
  std::vector<std::vector<PatternSpec>> with;  // of each one
  std::vector<PatternSpec> without, says, lacks, take;
  bool recognise = false;
};

// Which formats of its file a rule or a sample is of; empty: all of them.
using FormatNames = std::vector<PatternSpec>;

struct RuleSpec {
  std::string name;
  std::size_t line = 0;
  FormatNames of;
  EventKind event = EventKind::none;
  std::vector<PatternSpec> recognise;  // in the whole line, beside the file's
  std::optional<PatternSpec> pattern;
  std::vector<PatternSpec> find;  // what may stand anywhere in the message
  std::vector<std::string> files;
  std::shared_ptr<const FieldSpec> fields;  // nullptr: it asks for none and takes none
  std::vector<JsonTake> json;
  std::vector<JsonCondition> when;
  std::vector<std::pair<Field, std::string>> set;
  std::vector<std::pair<Field, double>> scale;
  struct Renaming {
    Field field;
    std::string from, to;
  };
  std::vector<Renaming> map;
};

struct SampleSpec {
  std::string text;
  std::size_t line = 0;
  FormatNames of;
  std::optional<EventKind> event;  // none: the line must give no event
  std::string rule;                // which rule must match; empty: any of that event
  std::vector<std::pair<Field, std::variant<double, std::string>>> values;
  std::string time;  // RFC 3339; empty: not compared
};

struct RuleFile {
  std::string where;
  std::vector<std::string> formats;  // one, mostly
  std::string format;                // of those the one that is read of it: part_of()
  std::string framework, section_body, table, beside;
  bool generic = false;  // reads what no other format does
  std::vector<HeaderForm> headers;
  std::vector<std::string> over;
  std::vector<PatternSpec> recognise, needs, strip;
  std::vector<WordList> words;
  std::vector<RuleSpec> rules;
  std::vector<SampleSpec> samples;
  std::size_t format_line = 1;
};

// Appends every mistake to `errors`; the file is whole only where none was added.
RuleFile read_rule_file(std::string_view where, std::string_view toml, std::vector<Error>& errors);

// The file as that format of it has it: with its own rules and samples and those of all.
RuleFile part_of(const RuleFile& file, const std::string& format);

}  // namespace etad
