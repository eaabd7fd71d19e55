#include "parsers/rules/format.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "parsers/base/end_words.h"
#include "parsers/base/hash.h"
#include "parsers/base/object_scan.h"
#include "parsers/base/text.h"
#include "parsers/lines/launcher_label.h"
#include "parsers/lines/named_rows.h"
#include "parsers/lines/outer_stamp.h"
#include "parsers/rules/digits_alike.h"
#include "parsers/rules/pattern.h"
#include "parsers/rules/rule.h"
#include "parsers/rules/rule_check.h"
#include "parsers/rules/rule_file.h"
#include "parsers/rules/rule_index.h"
#include "parsers/rules/shape_memory.h"

namespace etad {

// What the formats of one file have in common: how a message is made of a line, and its fields of a message.
struct Format::Shared {
  std::vector<Pattern> strip;
  std::vector<Pattern> strip_with_any_digits;  // of those of `strip` that may not treat all digits alike
  Vocabulary words;

  // What launchers and loggers write before the message (`strip`), any of them, each as often as it stands
  // there.
  std::string_view stripped(std::string_view line) const {
    return stripped(line, [](std::string_view) { return true; });
  }

  // Whether more or less might be stripped off a line that differs from this one in nothing but its digits.
  bool may_strip_otherwise(std::string_view line) const {
    if (strip_with_any_digits.empty()) return false;
    bool may = false;
    stripped(line, [&](std::string_view left) {
      may = std::any_of(strip_with_any_digits.begin(), strip_with_any_digits.end(),
                        [&](const Pattern& p) { return p.matches(left); });
      return !may;
    });
    return may;
  }

  // `goes_on` is asked of what is left each time.
  template <class GoesOn>
  std::string_view stripped(std::string_view line, const GoesOn& goes_on) const {
    if (strip.empty()) return line;
    Pattern::Groups groups;
    constexpr int kMost = 8;
    for (int taken = 0; taken < kMost && !line.empty() && goes_on(line); ++taken) {
      const auto hit = std::find_if(strip.begin(), strip.end(), [&](const Pattern& p) {
        return p.can_begin_with(static_cast<unsigned char>(line.front())) && p.match(line, groups) &&
               !groups[0].empty();
      });
      if (hit == strip.end()) break;
      line.remove_prefix(groups[0].size());
    }
    return line;
  }
};

struct Format::Impl {
  std::uint64_t fingerprint = 0;
  RuleFile file;
  std::shared_ptr<const Shared> shared;
  std::vector<std::shared_ptr<const Format>> siblings;
  std::vector<Pattern> recognise;
  std::vector<Pattern> needs;
  std::vector<Rule> rules;
  bool recognises_fields = false;         // some rule does
  std::vector<std::string> object_paths;  // that rules look for in JSON objects

  RuleIndex index;
  std::uint64_t own_list = ShapeMemory::new_list();

  std::string_view stripped(std::string_view line) const { return shared->stripped(line); }

  // The first of the rules whose own the message is fills in the event. Into `shape`, if there is one, goes the first of
  // those of which it is known what they make of a line like this one, though one of which it is not (`first_undecided`)
  // may have matched before it: that one has the event, and the search goes on for the shape's sake alone.
  void try_rules(const RuleIndex::List& list, std::string_view line, TimeContext& context, Event& event,
                 RememberedShape* shape) const {
    if (list.rules.empty()) return;
    Pattern::Groups groups;
    ObjectValues object(object_paths);
    FieldsOnDemand fields(shared->words);
    for (const std::uint16_t id : list.rules) {
      const Rule& rule = rules[id];
      const bool found = event.rule != Event::kNoRule;
      if (found && !shape) break;
      const auto decided = shape ? rule.match_alike(event.message, groups, fields,
                                                    place_in(line, event.message), shape->distinguished)
                                 : std::nullopt;
      if (!decided) {
        if (shape && shape->first_undecided == Event::kNoRule && rule.may_match_alike(event.message))
          shape->first_undecided = id;
        if (!found && rule.match(event.message, groups, object, fields, context, event)) event.rule = id;
        continue;
      }
      if (!*decided) continue;
      if (shape) {
        shape->rule = id;
        if (rule.pattern()) shape->keep_groups(line, groups, rule.pattern()->group_names().size() + 1);
      }
      if (found) break;
      rule.fill_in(event.message, groups, fields, context, event);
      event.rule = id;
      break;
    }
    if (shape) keep_fields(fields, place_in(line, event.message), *shape);
  }

  // Where a line like this one asks for them again, and has the digits that they rest on ("top1" is not "top5"). The
  // message begins at `place`.
  void keep_fields(const FieldsOnDemand& fields, std::size_t place, RememberedShape& shape) const {
    const bool are_asked_for = shape.first_undecided != Event::kNoRule ||
                               (shape.rule != Event::kNoRule && rules[shape.rule].takes_fields());
    const LineFields* const read = fields.read();
    if (are_asked_for && read && read->distinguished() &&
        shape.distinguished.note(place, *read->distinguished()))
      shape.fields = std::make_shared<const LineFields>(*read);
  }

  // The rules' turn where it is known which of them a line like this one matches.
  void try_rules_alike(std::string_view line, TimeContext& context, Event& event,
                       const RememberedShape& known, Pattern::Groups& groups) const {
    if (known.first_undecided == Event::kNoRule && known.rule == Event::kNoRule) return;
    FieldsOnDemand fields(shared->words, known.fields.get());
    if (known.first_undecided < known.rule) {
      ObjectValues object(object_paths);
      for (const std::uint16_t id : index.candidates(known.file, event.message).particular) {
        if (id < known.first_undecided) continue;
        if (id >= known.rule) break;
        if (!rules[id].match(event.message, groups, object, fields, context, event)) continue;
        event.rule = id;
        return;
      }
    }
    if (known.rule == Event::kNoRule) return;
    known.groups_of(line, groups);
    rules[known.rule].fill_in(event.message, groups, fields, context, event);
    event.rule = known.rule;
  }

  // The header's time, or that of a header that came without a message, into `time` where there is one. (Value by value:
  // an optional that has just been written and is copied whole has the processor wait.)
  static void take_time(const LineHeader& header, TimeContext& context, std::optional<Instant>& time) {
    if (header.time) {
      time = *header.time;
    } else if (!header.present && context.carried) {
      time = *context.carried;
    }
    if (context.carried) context.carried.reset();
  }
  static void date(const LineHeader& header, TimeContext& context, Event& event) {
    event.headed = header.present;
    take_time(header, context, event.time);
    if (header.present && event.message.empty()) context.carried = header.time;
  }

  // Which rules a message can be of rests on its first byte. Of the digits these are such as begin the same rules.
  void note_beginning(std::string_view line, std::string_view message, RememberedShape& shape) const {
    if (message.empty() || !is_digit(message.front())) return;
    const RuleIndex::List& own = index.candidates(shape.file, message);
    DigitSet same = 0;
    for (char c = '0'; c <= '9'; ++c)
      if (&index.candidates(shape.file, {&c, 1}) == &own) same |= digit_set(c);
    shape.distinguished.note(place_in(line, message), message.front(), same);
  }

  void match(std::string_view line, TimeContext& context, Event& event, ShapeMemory* shapes) const {
    RememberedShape shape;
    event.message = stripped(line);
    shape.header = place_in(line, event.message);
    LineHeader header;
    for (std::size_t i = 0; i < file.headers.size() && !header.present; ++i) {
      header = read_header(file.headers[i], event.message, context);
      if (header.present) shape.header_form = static_cast<std::uint8_t>(i);
    }
    if (header.present) {
      event.message.remove_prefix(header.message);
      shape.header_end = place_in(line, event.message);
      event.message = stripped(event.message);
    }
    shape.message = place_in(line, event.message);
    shape.file = index.place_of(header.file);
    date(header, context, event);
    // Files may differ in a digit.
    const bool is_kept = shapes && line.size() <= ShapeMemory::kLongest &&
                         std::none_of(header.file.begin(), header.file.end(), is_digit);
    if (is_kept) note_beginning(line, event.message, shape);
    const RuleIndex::List& list = index.candidates(shape.file, event.message);
    try_rules(list, line, context, event, is_kept ? &shape : nullptr);
    if (!is_kept) return;
    shape.strips_alike =
        !shared->may_strip_otherwise(line) && !shared->may_strip_otherwise(line.substr(shape.header_end));
    shape.quiet = event.quiet = event.kind == EventKind::none && !may_tell_end(line);
    shape.labelled = launcher_label(line).has_value();
    shape.says_nothing = !shape.labelled && shape.quiet && shape.strips_alike &&
                         shape.rule == Event::kNoRule && shape.first_undecided == Event::kNoRule &&
                         !event.message.empty() && !may_be_stamped(line);
    shapes->remember(shape);
  }

  // False: it is another one than that of the line remembered.
  bool read_header_of(const RememberedShape& known, std::string_view line, TimeContext& context,
                      LineHeader& header) const {
    for (std::size_t i = 0; i < file.headers.size() && !header.present; ++i) {
      const std::size_t message = i == known.header_form ? known.header_end - known.header : 0U;
      read_header_alike(file.headers[i], line.substr(known.header), message, context, header);
      if (header.message != message) return false;
    }
    return true;
  }

  // The same of a line whose like is known. False: its header is another one after all, and nothing has been done.
  bool match_alike(const RememberedShape& known, std::string_view line, TimeContext& context, Event& event,
                   Pattern::Groups& groups) const {
    if (!known.strips_alike && place_in(line, stripped(line)) != known.header) return false;
    LineHeader header;
    if (!read_header_of(known, line, context, header)) return false;
    if (!known.strips_alike && header.present &&
        place_in(line, stripped(line.substr(known.header_end))) != known.message)
      return false;
    event.message = line.substr(known.message);
    event.quiet = known.quiet;
    date(header, context, event);
    try_rules_alike(line, context, event, known, groups);
    return true;
  }

  static std::uint16_t place_in(std::string_view line, std::string_view rest) {
    return static_cast<std::uint16_t>(line.size() - rest.size());
  }
};

Format::Format(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Format::~Format() = default;

namespace {

std::vector<Pattern> compile_all(const std::vector<PatternSpec>& specs, std::string_view key,
                                 Pattern::Anchor anchor, const std::string& where,
                                 std::vector<Error>& errors) {
  std::vector<Pattern> out;
  for (const PatternSpec& spec : specs) {
    auto pattern = Pattern::compile(spec.text, anchor);
    if (pattern) {
      out.push_back(std::move(*pattern));
    } else {
      errors.push_back({where + ":" + std::to_string(spec.line),
                        std::string(key) + ": " + pattern.error().message, pattern.error().hint});
    }
  }
  return out;
}

// In the order of the file, whichever check found them, and what several of its formats have in common once.
std::vector<Error> in_order(std::vector<Error> errors) {
  const auto line = [](const Error& e) {
    const auto colon = e.where.rfind(':');
    return colon == std::string::npos ? 0UL : std::strtoul(e.where.c_str() + colon + 1, nullptr, 10);
  };
  std::stable_sort(errors.begin(), errors.end(),
                   [&](const Error& a, const Error& b) { return line(a) < line(b); });
  std::set<std::string> told;
  std::erase_if(errors, [&](const Error& e) { return !told.insert(e.text()).second; });
  return errors;
}

}  // namespace

tl::expected<std::shared_ptr<const Format>, std::vector<Error>> Format::load(std::string_view where,
                                                                             std::string_view toml,
                                                                             Samples samples) {
  std::vector<Error> errors;
  const RuleFile file = read_rule_file(where, toml, errors);
  auto shared = std::make_shared<Shared>();
  shared->strip = compile_all(file.strip, "strip", Pattern::Anchor::beginning, file.where, errors);
  for (const Pattern& p : shared->strip)
    if (!treats_digits_alike(p.text()))
      shared->strip_with_any_digits.push_back(with_any_digits(p, Pattern::Anchor::beginning));
  shared->words = Vocabulary::make(file.words, file.where, errors);
  std::vector<std::shared_ptr<Format>> formats;
  for (const std::string& name : file.formats)
    formats.push_back(make(part_of(file, name), shared, fnv1a(toml), errors));
  // Samples are judged only by rules that are all there: one bad pattern must not blame ten samples.
  if (errors.empty() && samples == Samples::to_check)
    for (const auto& format : formats) check_samples(*format, errors);
  if (!errors.empty()) return tl::unexpected(in_order(std::move(errors)));
  for (const auto& format : formats) format->release();
  formats.front()->impl_->siblings.assign(formats.begin() + 1, formats.end());
  return formats.front();
}

std::shared_ptr<Format> Format::make(RuleFile file, std::shared_ptr<const Shared> shared,
                                     std::uint64_t fingerprint, std::vector<Error>& errors) {
  auto impl = std::make_unique<Impl>();
  impl->file = std::move(file);
  impl->shared = std::move(shared);
  impl->fingerprint = fingerprint;
  const RuleFile& own = impl->file;
  impl->recognise = compile_all(own.recognise, "recognise", Pattern::Anchor::anywhere, own.where, errors);
  impl->needs = compile_all(own.needs, "needs", Pattern::Anchor::anywhere, own.where, errors);
  PatternPool patterns;
  // Each rule has its own then, and these would be kept a second time.
  for (const RuleSpec& spec : std::exchange(impl->file.rules, {}))
    if (auto rule = Rule::compile(spec, own.where, patterns, impl->shared->words, errors))
      impl->rules.push_back(std::move(*rule));
  for (Rule& rule : impl->rules) rule.share_paths(impl->object_paths);
  impl->recognises_fields =
      std::any_of(impl->rules.begin(), impl->rules.end(), [](const Rule& r) { return r.recognises(); });
  impl->index = RuleIndex(impl->rules);
  return std::shared_ptr<Format>(new Format(std::move(impl)));
}

void Format::release() const {
  for (const Pattern& pattern : impl_->recognise) pattern.release();
  for (const Pattern& pattern : impl_->needs) pattern.release();
  for (const Pattern& pattern : impl_->shared->strip) pattern.release();
  for (const Pattern& pattern : impl_->shared->strip_with_any_digits) pattern.release();
  for (const Rule& rule : impl_->rules) rule.release();
}

std::uint64_t Format::fingerprint() const {
  return impl_->fingerprint;
}
const std::vector<std::shared_ptr<const Format>>& Format::siblings() const {
  return impl_->siblings;
}
const std::string& Format::name() const {
  return impl_->file.format;
}
const std::string& Format::framework() const {
  return impl_->file.framework;
}
std::string_view Format::section_body() const {
  return impl_->file.section_body;
}
const std::string& Format::beside() const {
  return impl_->file.beside;
}
bool Format::is_generic() const {
  return impl_->file.generic;
}
bool Format::is_table() const {
  return impl_->file.table == "csv";
}
bool Format::names_rows() const {
  return impl_->file.table == "named";
}
const RuleFile& Format::file() const {
  return impl_->file;
}
const std::vector<Rule>& Format::rules() const {
  return impl_->rules;
}
const std::vector<Pattern>& Format::recognise_patterns() const {
  return impl_->recognise;
}
const std::vector<Pattern>& Format::strip_patterns() const {
  return impl_->shared->strip;
}

std::vector<std::string> Format::rule_names() const {
  std::vector<std::string> names;
  for (const Rule& rule : impl_->rules) names.push_back(rule.name());
  return names;
}

const RememberedShape* Format::recall(std::string_view line, ShapeMemory* shapes) const {
  return shapes ? shapes->find(impl_->own_list, line) : nullptr;
}

bool Format::read_time(std::string_view line, const RememberedShape& known, TimeContext& context,
                       std::optional<Instant>& time) const {
  LineHeader header;
  if (!impl_->read_header_of(known, line, context, header)) return false;
  Impl::take_time(header, context, time);
  return true;
}

Event Format::match_unlabelled(std::string_view line, const RememberedShape* known, TimeContext& context,
                               ShapeMemory* shapes) const {
  Event event;
  if (!known || !impl_->match_alike(*known, line, context, event, shapes->groups))
    impl_->match(line, context, event, shapes);
  if (event.kind == EventKind::date) {
    const auto year = event.integer(Field::year), month = event.integer(Field::month),
               day = event.integer(Field::day);
    if (year && *year >= 1970 && *year <= 9999) {
      const auto small = [](std::optional<std::int64_t> x) {
        return x && *x >= 1 && *x <= 31 ? std::optional(static_cast<int>(*x)) : std::nullopt;
      };
      fix_date(static_cast<int>(*year), small(month), small(day), context);
    }
  }
  return event;
}

// The header goes through the rules as it is.
Event Format::match(std::string_view line, NamedRows& rows, TimeContext& context, ShapeMemory* shapes) const {
  if (!names_rows()) return match(line, context, shapes);
  if (NamedRows::may_be_header(line) && recognises(line)) {
    rows.take_header(line);
    return match(line, context);
  }
  const std::string_view row = rows.line_of(line);
  return row.empty() ? Event{} : match(row, context, shapes);
}

// A launcher's label is taken off before anything else. One that may be the program's own words ("120: 12.5")
// is taken off only where the whole line says nothing, or no more than any line with an argument in it, or where it hides
// a header.
Event Format::match(std::string_view line, TimeContext& context, ShapeMemory* shapes) const {
  return match(line, recall(line, shapes), context, shapes);
}

Event Format::match(std::string_view line, const RememberedShape* known, TimeContext& context,
                    ShapeMemory* shapes) const {
  if (known && !known->labelled) return match_unlabelled(line, known, context, shapes);
  const auto label = launcher_label(line);
  if (!label) return match_unlabelled(line, known, context, shapes);
  Event whole;
  bool says_much = false;
  if (!label->certain) {
    whole = match_unlabelled(line, known, context, shapes);
    says_much = whole.rule != Event::kNoRule && whole.kind != EventKind::argument;
    if (says_much && whole.headed) return whole;
  } else if (shapes && !known) {
    RememberedShape shape;
    shape.labelled = true;
    shapes->remember(shape);
  }
  const std::string_view own = line.substr(label->length);
  Event event = match_unlabelled(own, recall(own, shapes), context, shapes);
  const bool says_less = event.rule == Event::kNoRule || (says_much && !event.headed);
  if (says_less && whole.rule != Event::kNoRule) return whole;
  event.speaker = label->speaker;
  event.quiet = false;  // of a line without its label
  return event;
}

bool Format::recognises(std::string_view line) const {
  if (std::any_of(impl_->recognise.begin(), impl_->recognise.end(),
                  [&](const Pattern& p) { return p.matches(line); }))
    return true;
  if (!impl_->recognises_fields) return false;
  LineFields fields;
  fields.read(stripped(line), words());
  return recognises_by_fields(fields);
}

bool Format::has_signs_in_fields() const {
  return impl_->recognises_fields;
}

bool Format::recognises_by_fields(const LineFields& fields) const {
  for (const Rule& rule : impl_->rules)
    if (const FieldRule* own = rule.field_rule();
        own && !rule.pattern() && own->asks() && own->matches(fields))
      return rule.recognises();
  return false;
}

const Vocabulary& Format::words() const {
  return impl_->shared->words;
}

bool Format::meets_needs(std::string_view line, const Event& event) const {
  if (event.rule != Event::kNoRule && impl_->rules[event.rule].recognises()) return true;
  return impl_->needs.empty() || std::any_of(impl_->needs.begin(), impl_->needs.end(),
                                             [&](const Pattern& p) { return p.matches(line); });
}

std::string_view Format::stripped(std::string_view line) const {
  return impl_->stripped(line);
}

const std::vector<Pattern>& Format::strip_with_any_digits() const {
  return impl_->shared->strip_with_any_digits;
}

bool Format::may_strip_others_otherwise(std::string_view line) const {
  return impl_->shared->may_strip_otherwise(line);
}

bool Format::over(std::string_view other) const {
  const auto& names = impl_->file.over;
  return std::find(names.begin(), names.end(), other) != names.end();
}

}  // namespace etad
