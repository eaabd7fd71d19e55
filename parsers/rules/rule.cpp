#include "parsers/rules/rule.h"

#include <algorithm>

#include "parsers/base/object_scan.h"
#include "parsers/rules/arguments.h"
#include "parsers/rules/digits_alike.h"
#include "parsers/rules/known_names.h"

namespace etad {

std::optional<Rule> Rule::compile(const RuleSpec& spec, const std::string& where, PatternPool& patterns,
                                  const Vocabulary& words, std::vector<Error>& errors) {
  Rule rule;
  rule.spec_ = spec;
  const std::size_t before = errors.size();
  const auto add = [&](std::size_t line, std::string message, std::string hint) {
    errors.push_back({where + ":" + std::to_string(line), "rule '" + spec.name + "': " + std::move(message),
                      std::move(hint)});
  };
  const auto compile_pattern = [&](const PatternSpec& text, Pattern::Anchor anchor,
                                   std::vector<Target>& groups) {
    auto pattern = patterns.compile(text.text, anchor);
    if (!pattern) {
      add(text.line, pattern.error().message, pattern.error().hint);
      return std::optional<Pattern>();
    }
    for (const std::string& name : pattern->group_names()) {
      const auto f = field(name);
      if (name.empty()) {
        add(text.line, "a group without a name", "write (?:…) for a group that captures nothing");
      } else if (!f && name != "time") {
        add(text.line, "unknown field '" + name + "'",
            field_hint(name, "a group without a name is written (?:…)"));
      }
      groups.push_back(rule.target(f));
    }
    return std::optional(std::move(*pattern));
  };
  if (spec.fields)
    rule.fields_ =
        std::make_shared<const FieldRule>(FieldRule::compile(*spec.fields, spec, where, words, errors));
  if (spec.pattern) {
    rule.pattern_ = compile_pattern(*spec.pattern, Pattern::Anchor::beginning, rule.groups_);
    if (!rule.pattern_) return {};
    rule.finds_end_alike_ = etad::treats_digits_alike(spec.pattern->text);
    if (!rule.treats_digits_alike()) {
      auto any = patterns.compile(with_any_digits(spec.pattern->text));
      if (any) rule.any_digits_ = std::move(*any);
    }
  }
  for (const PatternSpec& text : spec.find) {
    std::vector<Target> groups;
    if (auto pattern = compile_pattern(text, Pattern::Anchor::anywhere, groups))
      rule.find_.push_back({std::move(*pattern), std::move(groups)});
  }
  for (const JsonTake& take : spec.json) rule.json_.push_back(rule.target(take.field));
  if (rule.groups_.size() + spec.json.size() + spec.set.size() > Event::kMaxValues)
    add(spec.line, "more than " + std::to_string(Event::kMaxValues) + " values", "an event carries no more");
  if (errors.size() != before) return {};
  return rule;
}

void Rule::release() const {
  if (pattern_) pattern_->release();
  if (any_digits_) any_digits_->release();
  for (const Sought& sought : find_) sought.pattern.release();
}

bool Rule::can_begin_with(unsigned char byte) const {
  if (pattern_) return pattern_->can_begin_with(byte);
  if (reads_arguments() || !asks_object()) return true;
  return byte == '{' || byte == ' ' || byte == '\t';
}

Rule::Target Rule::target(std::optional<Field> f) const {
  Target t{f, 1};
  for (const auto& [scaled, factor] : spec_.scale)
    if (f == scaled) t.scale = factor;
  return t;
}

bool Rule::may_match_alike(std::string_view message) const {
  Pattern::Groups groups;
  if (any_digits_ && !any_digits_->match(message, groups)) return false;
  if (!asks_object() || !finds_end_alike_) return true;
  return ObjectValues::may_begin(message.substr(groups[0].size()));
}

bool Rule::speaks_for(std::string_view file) const {
  return spec_.files.empty() || std::find(spec_.files.begin(), spec_.files.end(), file) != spec_.files.end();
}

void Rule::take(const Target& target, std::string_view text, TimeContext& context, Event& event) const {
  if (!target.field) {
    if (const auto at = read_time(text, context)) event.time = at;
    return;
  }
  for (const RuleSpec::Renaming& r : spec_.map) {
    if (r.field != *target.field || r.from != text) continue;
    text = r.to;
    break;
  }
  event.add(*target.field, target.scale, text);
}

std::optional<bool> Rule::match_alike(std::string_view message, Pattern::Groups& groups,
                                      FieldsOnDemand& fields, std::size_t place,
                                      DistinguishedDigits& distinguished) const {
  if (asks_object() || !(pattern_ || asks_fields())) return std::nullopt;
  if (pattern_) {
    const auto matches = finds_end_alike_ ? pattern_->match(message, groups)
                                          : pattern_->match(message, groups, place, distinguished);
    if (!matches.value_or(false)) return matches;
  }
  if (!asks_fields()) return true;
  const LineFields& of_line = fields.of(message);
  if (!of_line.distinguished() || !distinguished.note(place, *of_line.distinguished())) return std::nullopt;
  return fields_->matches(of_line);
}

bool Rule::match(std::string_view message, Pattern::Groups& groups, ObjectValues& object,
                 FieldsOnDemand& fields, TimeContext& context, Event& event) const {
  std::size_t matched = 0;
  if (pattern_) {
    if (!pattern_->match(message, groups)) return false;
    matched = groups[0].size();
  }
  if (reads_arguments() && !add_arguments(message, event)) return false;
  if (asks_fields() && !fields_->matches(fields.of(message))) return false;
  if (asks_object()) {
    if (!object.read(message.substr(matched)) || !match_object(object, context, event)) return false;
  }
  fill_in(message, groups, fields, context, event);
  return true;
}

void Rule::fill_in(std::string_view message, Pattern::Groups& groups, FieldsOnDemand& fields,
                   TimeContext& context, Event& event) const {
  event.kind = spec_.event;
  for (std::size_t i = 0; i < groups_.size(); ++i)
    if (groups[i + 1].data()) take(groups_[i], groups[i + 1], context, event);
  find_more(message, groups, context, event);
  if (takes_fields()) fields_->fill_in(fields.of(message), message, context, event);
  for (const auto& [f, text] : spec_.set) event.add(f, 1, text);
}

// What stands anywhere in the message, in whatever order. Of several patterns for one field the first that finds it
// counts, and what the line's head or the rule's own pattern says goes before. A line may tell of several pauses.
void Rule::find_more(std::string_view message, Pattern::Groups& groups, TimeContext& context,
                     Event& event) const {
  for (const Sought& sought : find_) {
    const auto is_known = [&](const Target& t) {
      if (!t.field) return event.time.has_value();
      return *t.field != Field::pause && event.has(*t.field);
    };
    if (std::all_of(sought.groups.begin(), sought.groups.end(), is_known)) continue;
    if (!sought.pattern.match(message, groups)) continue;
    for (std::size_t i = 0; i < sought.groups.size(); ++i)
      if (groups[i + 1].data() && !is_known(sought.groups[i]))
        take(sought.groups[i], groups[i + 1], context, event);
  }
}

void Rule::share_paths(std::vector<std::string>& paths) {
  const auto place_of = [&paths](const std::string& path) {
    const auto at = std::find(paths.begin(), paths.end(), path);
    const auto place = static_cast<std::size_t>(at - paths.begin());
    if (at == paths.end()) paths.push_back(path);
    return place;
  };
  for (const JsonTake& take : spec_.json) json_paths_.push_back(place_of(take.path));
  for (const JsonCondition& condition : spec_.when) when_paths_.push_back(place_of(condition.path));
}

bool Rule::match_object(const ObjectValues& object, TimeContext& context, Event& event) const {
  for (std::size_t i = 0; i < when_paths_.size(); ++i) {
    const auto& values = spec_.when[i].values;
    const std::string_view value = object[when_paths_[i]];
    if (!value.data() || std::find(values.begin(), values.end(), value) == values.end()) return false;
  }
  const auto says = [](std::string_view value) { return value.data() && value != "null"; };
  for (std::size_t i = 0; i < json_paths_.size(); ++i)
    if (!says(object[json_paths_[i]]) && !spec_.json[i].optional) return false;
  for (std::size_t i = 0; i < json_paths_.size(); ++i)
    if (const std::string_view value = object[json_paths_[i]]; says(value))
      take(json_[i], value, context, event);
  return true;
}

}  // namespace etad
