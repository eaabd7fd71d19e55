#include "parsers/rules/field_rule.h"

#include <algorithm>
#include <utility>

#include "parsers/base/suggest.h"
#include "parsers/rules/known_names.h"

namespace etad {
namespace {

// "epoch/epochs?": what the number is, and what its total.
struct CountName {
  std::string_view value, total;
  bool optional = false;
};

CountName read_count_name(std::string_view text) {
  CountName out{text, {}, false};
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return out;
  out.value = text.substr(0, slash);
  out.total = text.substr(slash + 1);
  out.optional = out.total.ends_with('?');
  if (out.optional) out.total.remove_suffix(1);
  return out;
}

// A list "samples_per_second:tok" is of that field, in tokens.
std::string_view field_of_list(std::string_view list) {
  return list.substr(0, list.find(':'));
}

// "duration.mean": the number in brackets behind it.
bool take_mean_mark(std::string& list) {
  constexpr std::string_view kMean = ".mean";
  if (!list.ends_with(kMean)) return false;
  list.resize(list.size() - kMean.size());
  return true;
}

}  // namespace

// Makes the rule, and notes what is wrong with it.
class FieldRule::Compiler {
 public:
  Compiler(const RuleSpec& rule, const std::string& where, const Vocabulary& words,
           std::vector<Error>& errors)
      : rule_(rule), where_(where), words_(words), errors_(errors) {}

  FieldRule compile(const FieldSpec& spec) {
    for (const FieldSpec::Count& count : spec.counts) add_count(count);
    for (const PatternSpec& list : spec.take) add_measure(list);
    for (const auto& lists : spec.with) out_.with_.push_back(bits_of(lists));
    out_.without_ = bits_of(spec.without);
    out_.says_ = bits_of(spec.says);
    out_.lacks_ = bits_of(spec.lacks);
    out_.asks_ = !out_.counts_.empty() || !out_.with_.empty() || out_.says_ != 0;
    const bool asks_for_none = (out_.without_ | out_.lacks_) != 0;
    if (!out_.asks_ && asks_for_none && !rule_.pattern)
      add(rule_.line, "'without' and 'lacks' alone say of no line that it is the rule's", {});
    out_.asks_ |= asks_for_none;
    return std::move(out_);
  }

 private:
  void add(std::size_t line, std::string message, std::string hint) {
    errors_.push_back({where_ + ":" + std::to_string(line),
                       "rule '" + rule_.name + "': " + std::move(message), std::move(hint)});
  }

  void add_no_list(const PatternSpec& name) {
    const auto near = nearest_name(name.text, words_.role_names());
    add(name.line, "[words] has no list '" + name.text + "'",
        near.empty() ? "[words] says by which words a number is known"
                     : "did you mean '" + std::string(near) + "'?");
  }

  // The lists by name.
  std::uint64_t bits_of(const std::vector<PatternSpec>& names) {
    std::uint64_t out = 0;
    for (const PatternSpec& name : names) {
      if (const auto role = words_.role(name.text)) {
        out |= Vocabulary::bit(*role);
      } else {
        add_no_list(name);
      }
    }
    return out;
  }

  std::optional<Field> known_field(std::string_view name, std::size_t line) {
    const auto f = field(name);
    if (!f) add(line, "unknown field '" + std::string(name) + "'", field_hint(name, ""));
    return f;
  }

  // One of `fields`: "epoch/epochs?" = "epochs".
  void add_count(const FieldSpec::Count& take) {
    Count count;
    const CountName name = read_count_name(take.name);
    count.text = take.name;
    count.value = known_field(name.value, take.line);
    if (!name.total.empty()) count.total = known_field(name.total, take.line);
    count.needs_total = count.total && !name.optional;
    for (PatternSpec list : take.lists) {
      count.mean = take_mean_mark(list.text);
      if (const auto role = words_.role(list.text)) {
        count.roles.push_back(*role);
      } else {
        add_no_list(list);
      }
    }
    out_.counts_.push_back(std::move(count));
  }

  // One of `take`: "loss", or "seconds = duration.mean".
  void add_measure(PatternSpec list) {
    std::string_view into;
    const std::string text = list.text;
    const auto equals = text.find(" = ");
    if (equals != std::string::npos) {
      into = std::string_view(text).substr(0, equals);
      list.text = text.substr(equals + 3);
    }
    const bool mean = take_mean_mark(list.text);
    const auto role = words_.role(list.text);
    if (!role) return add_no_list(list);
    Measure measure{*role, {}, {}, mean};
    const std::string_view name = words_.name(*role);
    if (*role != Vocabulary::kTime)
      measure.field = known_field(into.empty() ? field_of_list(name) : into, list.line);
    if (const auto colon = name.find(':'); colon != std::string_view::npos)
      measure.unit = name.substr(colon + 1);
    out_.measures_.push_back(std::move(measure));
  }

  FieldRule out_;
  const RuleSpec& rule_;
  const std::string& where_;
  const Vocabulary& words_;
  std::vector<Error>& errors_;
};

FieldRule FieldRule::compile(const FieldSpec& spec, const RuleSpec& rule, const std::string& where,
                             const Vocabulary& words, std::vector<Error>& errors) {
  return Compiler(rule, where, words, errors).compile(spec);
}

const LineField* FieldRule::found(const Count& count, const LineFields& fields) {
  const auto part = count.mean          ? LineFields::Part::mean
                    : count.needs_total ? LineFields::Part::total
                                        : LineFields::Part::value;
  for (const Vocabulary::Role role : count.roles)
    if (const LineField* const at = fields.find(role, part)) return at;
  return nullptr;
}

bool FieldRule::matches(const LineFields& fields) const {
  const std::uint64_t present = fields.present(), said = fields.mentioned();
  for (const std::uint64_t lists : with_)
    if ((present & lists) == 0) return false;
  if ((present & without_) != 0 || (said & lacks_) != 0) return false;
  if (says_ != 0 && (said & says_) == 0) return false;
  std::size_t behind = 0;
  for (const Count& count : counts_) {
    const LineField* const at = found(count, fields);
    if (!at || at->value.at < behind) return false;
    behind = at->value.at;
  }
  return true;
}

std::string FieldRule::missing(const LineFields& fields, const Vocabulary& words) const {
  const auto names = [&](std::uint64_t bits) {
    std::string out;
    for (std::size_t i = 0; i < words.roles(); ++i)
      if ((bits >> i & 1U) != 0)
        out += (out.empty() ? "'" : ", '") + words.name(static_cast<Vocabulary::Role>(i)) + "'";
    return out;
  };
  std::size_t behind = 0;
  for (const Count& count : counts_) {
    const LineField* const at = found(count, fields);
    if (at && at->value.at < behind)
      return "the number for '" + count.text + "' stands before that of the rule's first fields";
    if (at) behind = at->value.at;
    if (at) continue;
    std::uint64_t bits = 0;
    for (const auto role : count.roles) bits |= Vocabulary::bit(role);
    return "it has no number for '" + count.text + "': none of " + names(bits);
  }
  for (const std::uint64_t lists : with_)
    if ((fields.present() & lists) == 0) return "it has none of " + names(lists);
  if ((fields.present() & without_) != 0) return "it has " + names(fields.present() & without_);
  if (says_ != 0 && (fields.mentioned() & says_) == 0) return "it says none of " + names(says_);
  if ((fields.mentioned() & lacks_) != 0) return "it says " + names(fields.mentioned() & lacks_);
  return {};
}

void FieldRule::fill_in(const LineFields& fields, std::string_view message, TimeContext& context,
                        Event& event) const {
  for (const Count& count : counts_) {
    const LineField* const at = found(count, fields);
    if (!at) continue;
    if (count.value && !event.has(*count.value))
      event.add(*count.value, at->scale, (count.mean ? at->mean : at->value).in(message));
    if (count.total && at->total) event.add(*count.total, 1, at->total.in(message));
  }
  for (const Measure& measure : measures_) {
    const LineField* const at =
        fields.find(measure.role, measure.mean ? LineFields::Part::mean : LineFields::Part::value);
    if (!at) continue;
    if (!measure.field) {
      if (!event.time) event.time = read_time(at->value.in(message), context);
      continue;
    }
    if (event.has(*measure.field)) continue;
    event.add(*measure.field, at->scale, (measure.mean ? at->mean : at->value).in(message));
    if (!measure.unit.empty() && !event.has(Field::unit)) event.add(Field::unit, 1, measure.unit);
  }
}

}  // namespace etad
