// What a rule asks of a line's fields (line_fields.h), and what it takes of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/base/event.h"
#include "parsers/base/timestamp.h"
#include "parsers/rules/line_fields.h"
#include "parsers/rules/rule_file.h"
#include "parsers/rules/vocabulary.h"

namespace etad {

// A line's fields, read when the first rule asks for them.
class FieldsOnDemand {
 public:
  // `known`: those of a line like it, which has the same; nullptr: none is known.
  explicit FieldsOnDemand(const Vocabulary& words, const LineFields* known = nullptr)
      : words_(words), fields_(known) {}

  const LineFields& of(std::string_view message) {
    if (!fields_) {
      own_.emplace().read(message, words_);
      fields_ = &*own_;
    }
    return *fields_;
  }

  // nullptr: no rule has asked for them.
  const LineFields* read() const { return own_ ? &*own_ : nullptr; }

 private:
  const Vocabulary& words_;
  std::optional<LineFields> own_;
  const LineFields* fields_;
};

class FieldRule {
 public:
  // Appends what is wrong to `errors`.
  static FieldRule compile(const FieldSpec& spec, const RuleSpec& rule, const std::string& where,
                           const Vocabulary& words, std::vector<Error>& errors);

  // Whether it asks for anything.
  bool asks() const { return asks_; }
  bool takes() const { return !counts_.empty() || !measures_.empty(); }

  bool matches(const LineFields& fields) const;

  // Why not, in words; empty: it does.
  std::string missing(const LineFields& fields, const Vocabulary& words) const;

  // What the event has already is left as it is.
  void fill_in(const LineFields& fields, std::string_view message, TimeContext& context, Event& event) const;

 private:
  struct Count {
    std::vector<Vocabulary::Role> roles;  // one of them
    bool mean = false;                    // the number in brackets behind it
    std::optional<Field> value, total;
    bool needs_total = false;
    std::string text;  // as written
  };
  struct Measure {
    Vocabulary::Role role;
    std::optional<Field> field;  // none: the line's time
    std::string unit;            // of `loss:unit`
    bool mean = false;
  };
  class Compiler;
  static const LineField* found(const Count& count, const LineFields& fields);

  bool asks_ = false;
  std::vector<Count> counts_;
  std::vector<Measure> measures_;
  std::vector<std::uint64_t> with_;  // of each one
  std::uint64_t without_ = 0, says_ = 0, lacks_ = 0;
};

}  // namespace etad
