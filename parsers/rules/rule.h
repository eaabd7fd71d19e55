// A compiled rule: tries one message and, where it is the rule's own, fills in the event.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/base/event.h"
#include "parsers/base/timestamp.h"
#include "parsers/rules/field_rule.h"
#include "parsers/rules/pattern.h"
#include "parsers/rules/rule_file.h"

namespace etad {

class ObjectValues;

class Rule {
 public:
  // Appends what is wrong with the rule to `errors`.
  static std::optional<Rule> compile(const RuleSpec& spec, const std::string& where, PatternPool& patterns,
                                     const Vocabulary& words, std::vector<Error>& errors);

  const std::string& name() const { return spec_.name; }
  std::size_t line() const { return spec_.line; }
  EventKind event() const { return spec_.event; }
  const Pattern* pattern() const { return pattern_ ? &*pattern_ : nullptr; }

  // Whether a message that begins with this byte can be its own.
  bool can_begin_with(unsigned char byte) const;

  // Whether lines that this source file wrote can be its own; empty: the line names none.
  bool speaks_for(std::string_view file) const;
  const std::vector<std::string>& files() const { return spec_.files; }  // empty: any

  void release() const;  // its patterns' memory (pattern.h)

  // Adds to `paths` those under which it looks in JSON objects, each once. Before the first match().
  void share_paths(std::vector<std::string>& paths);

  // Whether its pattern alone tells whether a message is its own, and treats all digits alike.
  bool treats_digits_alike() const {
    return pattern_ && !asks_object() && !asks_fields() && finds_end_alike_;
  }

  // Whether a message that differs from this one in nothing but its digits is the rule's own, as this one is or is not,
  // as long as the digits noted in `distinguished` hold; the message stands at `place` in its line. None: it has to be
  // asked.
  std::optional<bool> match_alike(std::string_view message, Pattern::Groups& groups, FieldsOnDemand& fields,
                                  std::size_t place, DistinguishedDigits& distinguished) const;

  // Whether a message may be its own that differs from this one in nothing but its digits. In doubt: true.
  bool may_match_alike(std::string_view message) const;

  // Fills in kind, values and (from a group or key `time`) the time. False: not this rule's, `event`
  // unchanged. The values are views into `message` and into this rule; `groups` is scratch, shared by the
  // rules that a line is tried on, as `object` is, which reads for them what share_paths() has collected. The
  // caller has asked speaks_for().
  bool match(std::string_view message, Pattern::Groups& groups, ObjectValues& object, FieldsOnDemand& fields,
             TimeContext& context, Event& event) const;

  // Does that with a message whose groups are known already.
  void fill_in(std::string_view message, Pattern::Groups& groups, FieldsOnDemand& fields,
               TimeContext& context, Event& event) const;

  bool takes_fields() const { return fields_ && fields_->takes(); }

  // What it asks of the line's fields; and whether a line that it matches shows the format.
  const FieldRule* field_rule() const { return fields_.get(); }
  bool recognises() const { return spec_.fields && spec_.fields->recognise; }

 private:
  struct Target {
    std::optional<Field> field;  // none: the line's time
    double scale = 1;
  };

  bool asks_fields() const { return fields_ && fields_->asks(); }
  bool reads_arguments() const {
    return spec_.event == EventKind::argument && !pattern_ && !asks_object() && !asks_fields();
  }
  bool asks_object() const { return !spec_.json.empty() || !spec_.when.empty(); }
  Target target(std::optional<Field> field) const;
  void take(const Target& target, std::string_view text, TimeContext& context, Event& event) const;
  bool match_object(const ObjectValues& object, TimeContext& context, Event& event) const;
  void find_more(std::string_view message, Pattern::Groups& groups, TimeContext& context, Event& event) const;

  RuleSpec spec_;
  std::shared_ptr<const FieldRule> fields_;  // nullptr: it asks for none and takes none
  std::optional<Pattern> pattern_;
  std::optional<Pattern>
      any_digits_;               // where it may not: what matches whatever pattern_ would with other digits
  bool finds_end_alike_ = true;  // whether with other digits it would match alike, and also end there
  std::vector<Target> groups_;   // of the pattern, from group 1 on
  struct Sought {
    Pattern pattern;
    std::vector<Target> groups;
  };
  std::vector<Sought> find_;  // of spec_.find, one each
  std::vector<Target> json_;  // of spec_.json, one each
  std::vector<std::size_t> json_paths_,
      when_paths_;  // of spec_.json and spec_.when: places in the shared list
};

}  // namespace etad
