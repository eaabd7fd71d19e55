#include "parsers/rules/field_rule.h"

#include <algorithm>
#include <utility>

#include "parsers/base/suggest.h"
#include "parsers/rules/field_hint.h"

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

// The lists by name, as bits; what is wrong is noted by `add`.
template <class Add>
std::uint64_t bits_of(const std::vector<PatternSpec>& names, const Vocabulary& words, Add add) {
  std::uint64_t out = 0;
  for (const PatternSpec& name : names) {
    if (const auto role = words.role(name.text)) {
      out |= Vocabulary::bit(*role);
    } else {
      add(name, words.role_names());
    }
  }
  return out;
}

}  // namespace

FieldRule FieldRule::compile(const FieldSpec& spec, const RuleSpec& rule, const std::string& where,
                             const Vocabulary& words, std::vector<Error>& errors) {
  FieldRule out;
  const auto add = [&](std::size_t line, std::string message, std::string hint) {
    errors.push_back({where + ":" + std::to_string(line), "rule '" + rule.name + "': " + std::move(message),
                      std::move(hint)});
  };
  const auto no_list = [&](const PatternSpec& name, const std::vector<std::string_view>& known) {
    const auto near = nearest_name(name.text, known);
    add(name.line, "[words] has no list '" + name.text + "'",
        near.empty() ? "[words] says by which words a number is known"
                     : "did you mean '" + std::string(near) + "'?");
  };
  const auto known_field = [&](std::string_view name, std::size_t line) {
    const auto f = field(name);
    if (!f) add(line, "unknown field '" + std::string(name) + "'", field_hint(name, ""));
    return f;
  };
  for (const FieldSpec::Count& take : spec.counts) {
    Count count;
    const CountName name = read_count_name(take.name);
    count.text = take.name;
    count.value = known_field(name.value, take.line);
    if (!name.total.empty()) count.total = known_field(name.total, take.line);
    count.needs_total = count.total && !name.optional;
    for (PatternSpec list : take.lists) {
      count.mean = take_mean_mark(list.text);
      if (const auto role = words.role(list.text)) {
        count.roles.push_back(*role);
      } else {
        no_list(list, words.role_names());
      }
    }
    out.counts_.push_back(std::move(count));
  }
  for (PatternSpec list : spec.take) {
    // "seconds = duration.mean"
    std::string_view into;
    const std::string text = list.text;
    const auto equals = text.find(" = ");
    if (equals != std::string::npos) {
      into = std::string_view(text).substr(0, equals);
      list.text = text.substr(equals + 3);
    }
    const bool mean = take_mean_mark(list.text);
    const auto role = words.role(list.text);
    if (!role) {
      no_list(list, words.role_names());
      continue;
    }
    Measure measure{*role, {}, {}, mean};
    const std::string_view name = words.name(*role);
    if (*role != Vocabulary::kTime)
      measure.field = known_field(into.empty() ? field_of_list(name) : into, list.line);
    if (const auto colon = name.find(':'); colon != std::string_view::npos)
      measure.unit = name.substr(colon + 1);
    out.measures_.push_back(std::move(measure));
  }
  for (const auto& lists : spec.with) out.with_.push_back(bits_of(lists, words, no_list));
  out.without_ = bits_of(spec.without, words, no_list);
  out.says_ = bits_of(spec.says, words, no_list);
  out.lacks_ = bits_of(spec.lacks, words, no_list);
  out.asks_ = !out.counts_.empty() || !out.with_.empty() || out.says_ != 0;
  if (!out.asks_ && (out.without_ | out.lacks_) != 0 && !rule.pattern)
    add(rule.line, "'without' and 'lacks' alone say of no line that it is the rule's", {});
  return out;
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
  const char* behind = nullptr;
  for (const Count& count : counts_) {
    const LineField* const at = found(count, fields);
    if (!at || (behind && at->value.data() < behind)) return false;
    behind = at->value.data();
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
  const char* behind = nullptr;
  for (const Count& count : counts_) {
    const LineField* const at = found(count, fields);
    if (at && behind && at->value.data() < behind)
      return "the number for '" + count.text + "' stands before that of the rule's first fields";
    if (at) behind = at->value.data();
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

void FieldRule::fill_in(const LineFields& fields, TimeContext& context, Event& event) const {
  for (const Count& count : counts_) {
    const LineField* const at = found(count, fields);
    if (!at) continue;
    if (count.value && !event.has(*count.value))
      event.add(*count.value, at->scale, count.mean ? at->mean : at->value);
    if (count.total && at->total.data()) event.add(*count.total, 1, at->total);
  }
  for (const Measure& measure : measures_) {
    const LineField* const at =
        fields.find(measure.role, measure.mean ? LineFields::Part::mean : LineFields::Part::value);
    if (!at) continue;
    if (!measure.field) {
      if (!event.time) event.time = read_time(at->value, context);
      continue;
    }
    if (event.has(*measure.field)) continue;
    event.add(*measure.field, at->scale, measure.mean ? at->mean : at->value);
    if (!measure.unit.empty() && !event.has(Field::unit)) event.add(Field::unit, 1, measure.unit);
  }
}

}  // namespace etad
