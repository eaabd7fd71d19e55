// A format: one framework's log format, as a rule file describes it. Loading compiles and checks it (its
// samples included); matching turns a line into an event.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parsers/base/error.h"
#include "parsers/base/event.h"
#include "parsers/base/timestamp.h"

namespace etad {

struct RuleFile;
class LineFields;
class NamedRows;
class Pattern;
class Recogniser;
class Rule;
class ShapeMemory;
struct RememberedShape;
class Vocabulary;

// Whether it is known of a rule file that its samples give what they say, and that no other format claims them
// (rule_check.h). To check it takes as long as to read and compile it.
enum class Samples : std::uint8_t { to_check, known_to_hold };

// A compiled rule file. Immutable; shared by all sources of that format.
class Format {
 public:
  // `where` names the file in errors. All mistakes of the file are reported, not only the first. Of a file of several
  // formats it is the first one, with the others as its siblings.
  static tl::expected<std::shared_ptr<const Format>, std::vector<Error>> load(
      std::string_view where, std::string_view toml, Samples samples = Samples::to_check);
  ~Format();
  const std::vector<std::shared_ptr<const Format>>& siblings() const;
  const std::string& name() const;
  const std::string& framework() const;         // what runs of this format are filed under
  std::vector<std::string> rule_names() const;  // by Event::rule

  // What `shapes` has of a line; nullptr: nothing.
  const RememberedShape* recall(std::string_view line, ShapeMemory* shapes) const;

  // The time of a line of which it is remembered that it says no more, as match() reads it. False: this line is another
  // one after all.
  bool read_time(std::string_view line, const RememberedShape& known, TimeContext& context,
                 std::optional<Instant>& time) const;

  // The event of one cleaned line. Pure but for `context.last` and `context.year`, which it moves on. With `shapes` it
  // comes to the same, and mostly sooner.
  Event match(std::string_view line, TimeContext& context, ShapeMemory* shapes = nullptr) const;

  // The same of a line that was recalled just now.
  Event match(std::string_view line, const RememberedShape* known, TimeContext& context,
              ShapeMemory* shapes) const;

  // The same of a log that may be a table with named rows, whose header `rows` remembers; the event's values are views
  // into it.
  Event match(std::string_view line, NamedRows& rows, TimeContext& context,
              ShapeMemory* shapes = nullptr) const;

  // Whether this line shows the file to be of this format.
  bool recognises(std::string_view line) const;

  // Whether some rule does so by a line's fields.
  bool has_signs_in_fields() const;

  // Whether its fields alone do: those that a rule with `recognise = true` asks for. `fields` are those of stripped(line)
  // by words(), which are the same for all formats of a file.
  bool recognises_by_fields(const LineFields& fields) const;

  // Whether this line, of which the format has made the event, says what some line of the log has to before the format
  // is believed (`needs`). Where the file asks for nothing, every line does; and one that shows the format by its
  // fields does.
  bool meets_needs(std::string_view line, const Event& event) const;

  // A line without what loggers write before it (`strip`), each of them as often as it stands there.
  std::string_view stripped(std::string_view line) const;
  // Whether something else might be taken off a line that differs from this one in nothing but its digits.
  bool may_strip_others_otherwise(std::string_view line) const;

  // Whether it calls itself more specific than that format.
  bool over(std::string_view other) const;

  // Gives back what RE2 made for the checks of its samples, which are more lines than most logs show it. While nobody
  // matches.
  void release() const;

  // Of the rule file's text: another one may read logs otherwise.
  std::uint64_t fingerprint() const;

  // What it was made of, for those who check it.
  const RuleFile& file() const;
  const std::vector<Rule>& rules() const;
  const Vocabulary& words() const;
  const std::vector<Pattern>& recognise_patterns() const;
  const std::vector<Pattern>& strip_patterns() const;
  // Those of them that tell one digit from another, as they are with any digits in their place.
  const std::vector<Pattern>& strip_with_any_digits() const;

  // How lines between `section` and the next headed line are read: "prototext" or "" (not at all).
  std::string_view section_body() const;

  // The file in a log's folder that says how its runs were started; empty: there is none.
  const std::string& beside() const;

  // Whether it is of no framework: it reads only what no other format does, and has to be surer of it.
  bool is_generic() const;

  // Whether the lines are rows of a table of measurements (SegmentTable), whose columns the recognised line names.
  bool is_table() const;

  // Whether the recognised line is a header, and the rules read the rows below it as lines that name their values
  // (NamedRows).
  bool names_rows() const;

 private:
  struct Impl;
  struct Shared;
  static std::shared_ptr<Format> make(RuleFile file, std::shared_ptr<const Shared> shared,
                                      std::uint64_t fingerprint, std::vector<Error>& errors);
  Event match_unlabelled(std::string_view line, const RememberedShape* known, TimeContext& context,
                         ShapeMemory* shapes) const;
  explicit Format(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// All loaded formats. A line shows those that claim it, less those that another of them calls itself more
// specific than (`over = ["…"]`), and less the generic ones if any other does. LogParser weighs what it shows.
class FormatSet {
 public:
  // Cross-checks: each format's samples against every other format's recognition.
  static tl::expected<FormatSet, std::vector<Error>> make(std::vector<std::shared_ptr<const Format>> formats,
                                                          Samples samples = Samples::to_check);

  std::shared_ptr<const Format> find(std::string_view name) const;  // nullptr: none of that name
  // With `shapes` the same, and mostly sooner. Without `generic` no generic format. One that reads the log and has made
  // nothing of the line (`passed_over_by`) claims it no more against generic ones.
  std::vector<std::shared_ptr<const Format>> shown_by(std::string_view line, ShapeMemory* shapes = nullptr,
                                                      bool generic = true,
                                                      std::string_view passed_over_by = {}) const;
  std::shared_ptr<const Format> recognise(std::string_view line) const;  // the only one shown; else nullptr
  const std::vector<std::shared_ptr<const Format>>& all() const { return formats_; }
  std::string fingerprint() const;          // of all their rule files
  std::vector<std::string> beside() const;  // the files that they look for beside a log, each once

 private:
  std::vector<std::shared_ptr<const Format>> formats_;
  std::shared_ptr<const Recogniser> recogniser_;
};

}  // namespace etad
