#include "parsers/rules/rule_file.h"

#include <algorithm>
#include <map>

#include "parsers/base/deep_key.h"
#include "parsers/base/duration.h"
#include "parsers/rules/toml_reader.h"

namespace etad {
namespace {

constexpr std::size_t kMaxFileBytes = 1 << 20;
constexpr std::size_t kMaxPatternBytes = 2000;
constexpr std::size_t kMaxFinds = 24;  // of a rule
constexpr std::size_t kMaxRules = 1000;
constexpr std::size_t kMaxSamples = 10'000;

std::optional<double> unit_scale(std::string_view unit) {
  if (unit == "%") return 0.01;
  if (unit == "k") return 1e3;
  if (unit == "M") return 1e6;
  return seconds_of_unit(unit);
}

// Of a file, in whatever folder.
bool is_plain_name(std::string_view name) {
  constexpr std::size_t kLongest = 255;
  return !name.empty() && name.size() <= kLongest && name != "." && name != ".." &&
         name.find('/') == std::string_view::npos;
}

class RuleFileReader : private TomlReader {
 public:
  RuleFileReader(std::string_view where, std::vector<Error>& errors) : TomlReader(where, errors) {
    file_.where = where;
  }

  RuleFile read(const toml::table& root) {
    file_.format_line = 1;
    check_keys(root,
               {"format", "framework", "recognise", "over", "timestamp", "strip", "section_body", "table",
                "beside", "generic", "needs", "find", "words", "take", "description", "rule", "sample"},
               "");
    read_names(root);
    file_.framework = optional_text(root, "framework", file_.formats.front());
    file_.section_body = optional_text(root, "section_body", "");
    file_.table = optional_text(root, "table", "");
    file_.beside = optional_text(root, "beside", "");
    if (root.get("beside") && !is_plain_name(file_.beside))
      add(line_of(*root.get("beside")),
          "'beside' is no name of a file in the log's folder: '" + file_.beside + "'");
    if (const auto* generic = root.get("generic")) {
      if (!generic->is_boolean()) add(line_of(*generic), "'generic' is not true or false");
      file_.generic = generic->value_or(false);
    }
    if (!file_.table.empty() && file_.table != "csv" && file_.table != "named")
      add(line_of(*root.get("table")), "unknown table '" + file_.table + "'",
          "there are \"csv\" and \"named\"");
    optional_text(root, "description", "");
    if (!file_.section_body.empty() && file_.section_body != "prototext")
      add(line_of(*root.get("section_body")), "unknown section_body '" + file_.section_body + "'",
          "known is 'prototext'");
    for (const auto& form : texts(root, "timestamp")) read_header_form(form);
    for (const auto& name : texts(root, "over")) file_.over.push_back(name.text);
    file_.recognise = texts(root, "recognise");
    file_.needs = texts(root, "needs");
    if (!file_.needs.empty() && !file_.generic)
      add(file_.needs.front().line, "'needs' without 'generic'",
          "only generic formats are believed by their words");
    file_.strip = texts(root, "strip");
    read_find_lists(root);
    read_words(root);
    read_tables(root, "rule", kMaxRules, [this](const toml::table& t) { read_rule(t); });
    read_tables(root, "sample", kMaxSamples, [this](const toml::table& t) { read_sample(t); });
    for (const auto& [name, list] : find_lists_)
      if (!list.used) add(list.line, "find: no rule names the list '" + name + "'");
    return std::move(file_);
  }

 private:
  // Patterns that several rules share.
  struct FindList {
    std::vector<PatternSpec> patterns;
    std::size_t line = 0;
    bool used = false;
  };

  // A format's name, or those of several that differ in some of the file's rules.
  void read_names(const toml::table& root) {
    const toml::node* node = root.get("format");
    if (node && node->is_array())
      for (PatternSpec& name : texts(root, "format")) file_.formats.push_back(std::move(name.text));
    if (!node || !node->is_array()) file_.formats = {required_text(root, "format", "the file", 1)};
    if (!file_.formats.empty()) return;
    add(line_of(*node), "'format' names none");
    file_.formats = {""};
  }

  void read_header_form(const PatternSpec& name) {
    if (name.text == "none") return;
    if (const auto form = header_form(name.text)) {
      file_.headers.push_back(*form);
    } else {
      static const std::vector<std::string_view> kForms = {
          "glog", "iso8601", "python", "tensorflow", "month_day", "epoch", "clock", "date", "none"};
      add(name.line, "unknown timestamp '" + name.text + "'", did_you_mean(name.text, kForms));
    }
  }

  template <class Read>
  void read_tables(const toml::table& root, std::string_view key, std::size_t most, Read read) {
    const toml::node* node = root.get(key);
    if (!node) return;
    const auto* list = node->as_array();
    if (!list || !list->is_homogeneous<toml::table>()) {
      wrong_type(*node, key, "written as [[" + std::string(key) + "]]");
      return;
    }
    if (list->size() > most) {
      add(line_of(*node), "more than " + std::to_string(most) + " [[" + std::string(key) + "]]");
      return;
    }
    for (const toml::node& item : *list) read(*item.as_table());
  }

  std::optional<Field> read_field(const toml::key& key, const std::string& owner) {
    const auto found = field(key.str());
    if (!found)
      add(key.source().begin.line, owner + "unknown field '" + std::string(key.str()) + "'",
          did_you_mean(key.str(), field_names()));
    return found;
  }

  void read_rule(const toml::table& table) {
    RuleSpec rule;
    rule.line = line_of(table);
    rule.name = required_text(table, "name", "a rule", rule.line);
    owner_ = "rule '" + rule.name + "': ";
    check_keys(table, {"name",    "of",   "event", "pattern", "find",      "file",   "json",
                       "when",    "set",  "scale", "unit",    "map",       "fields", "with",
                       "without", "says", "lacks", "take",    "recognise", "samples"},
               owner_);
    rule.of = read_of(table);
    for (const RuleSpec& other : file_.rules)
      if (other.name == rule.name && !rule.name.empty())
        add(rule.line, owner_ + "a rule of this name stands in line " + std::to_string(other.line));
    if (const std::string event = required_text(table, "event", "rule '" + rule.name + "'", rule.line);
        !event.empty())
      rule.event = read_event(event, line_of(*table.get("event"))).value_or(EventKind::none);
    read_pattern(table, rule);
    read_find(table, rule);
    for (auto& name : texts(table, "file")) rule.files.push_back(std::move(name.text));
    read_fields(table, rule);
    read_json(table, rule);
    read_values(table, rule);
    read_rule_samples(table, rule);
    file_.rules.push_back(std::move(rule));
  }

  // Lines of its own, or tables with such a line.
  void read_rule_samples(const toml::table& table, const RuleSpec& rule) {
    const toml::node* node = table.get("samples");
    if (!node) return;
    if (!node->is_array()) return wrong_type(*node, "samples", "a list of lines");
    for (const toml::node& item : *node->as_array()) {
      SampleSpec sample;
      sample.line = line_of(item);
      if (const auto* text = item.as_string()) {
        sample.text = text->get();
      } else if (const auto* entry = item.as_table()) {
        check_keys(*entry, {"line", "values", "time"}, owner_);
        read_sample_line(*entry, sample);
      } else {
        wrong_type(item, "samples", "a list of lines, or of tables: { line = '…', values = { … } }");
      }
      sample.rule = rule.name;
      sample.of = rule.of;
      if (rule.event != EventKind::none) sample.event = rule.event;
      keep(std::move(sample));
    }
  }

  FormatNames read_of(const toml::table& table) {
    FormatNames names = texts(table, "of");
    for (const PatternSpec& name : names)
      if (std::find(file_.formats.begin(), file_.formats.end(), name.text) == file_.formats.end())
        add(name.line, owner_ + "'of': the file has no format '" + name.text + "'",
            did_you_mean(name.text, {file_.formats.begin(), file_.formats.end()}));
    return names;
  }

  std::optional<EventKind> read_event(const std::string& name, std::size_t line) {
    const auto kind = event_kind(name);
    if (!kind) add(line, owner_ + "unknown event '" + name + "'", did_you_mean(name, kind_names()));
    return kind;
  }

  void read_pattern(const toml::table& table, RuleSpec& rule) {
    if (const toml::node* node = table.get("pattern")) {
      rule.pattern = PatternSpec{optional_text(table, "pattern", ""), line_of(*node)};
      if (rule.pattern->text.size() > kMaxPatternBytes)
        add(rule.pattern->line,
            owner_ + "the pattern is longer than " + std::to_string(kMaxPatternBytes) + " bytes");
    } else if (!table.get("json") && !table.get("fields") && !table.get("with") && !table.get("says") &&
               rule.event != EventKind::argument) {
      add(rule.line, owner_ + "neither 'pattern' nor 'json' nor 'fields'",
          "a rule must say which lines are its own");
    }
  }

  std::vector<PatternSpec> find_patterns(const toml::table& owner, std::string_view key) {
    auto patterns = texts(owner, key);
    if (patterns.size() > kMaxFinds)
      add(line_of(*owner.get(key)), owner_ + "more than " + std::to_string(kMaxFinds) + " patterns to find");
    for (const PatternSpec& pattern : patterns)
      if (pattern.text.size() > kMaxPatternBytes)
        add(pattern.line, owner_ + "a pattern is longer than " + std::to_string(kMaxPatternBytes) + " bytes");
    return patterns;
  }

  void read_find_lists(const toml::table& root) {
    owner_ = "find: ";
    read_table(root, "find", [&](const toml::key& name, const toml::node& list) {
      if (!list.is_array()) return wrong_type(list, name.str(), "a list of strings");
      find_lists_[std::string(name.str())] = {find_patterns(*root.get("find")->as_table(), name.str()),
                                              name.source().begin.line};
    });
  }

  void read_words(const toml::table& root) {
    owner_ = "words: ";
    read_table(root, "words", [&](const toml::key& name, const toml::node&) {
      file_.words.push_back({std::string(name.str()), name.source().begin.line,
                             texts(*root.get("words")->as_table(), name.str())});
    });
    // The first list that has a word counts: in the order of the file.
    std::stable_sort(file_.words.begin(), file_.words.end(),
                     [](const WordList& a, const WordList& b) { return a.line < b.line; });
    read_table(root, "take", [&](const toml::key& name, const toml::node&) {
      take_lists_[std::string(name.str())] = texts(*root.get("take")->as_table(), name.str());
    });
  }

  void read_fields(const toml::table& table, RuleSpec& rule) {
    constexpr std::string_view kKeys[] = {"fields", "with", "without", "says", "lacks", "take", "recognise"};
    if (std::none_of(std::begin(kKeys), std::end(kKeys),
                     [&](std::string_view key) { return table.contains(key); }))
      return;
    FieldSpec out;
    read_table(table, "fields", [&](const toml::key& name, const toml::node&) {
      out.counts.push_back({std::string(name.str()), texts(*table.get("fields")->as_table(), name.str()),
                            name.source().begin.line, name.source().begin.column});
    });
    // In the file's order, which is also that of the numbers in a line.
    std::stable_sort(out.counts.begin(), out.counts.end(),
                     [](const FieldSpec::Count& a, const FieldSpec::Count& b) {
                       return std::pair(a.line, a.column) < std::pair(b.line, b.column);
                     });
    read_with(table, out);
    out.without = texts(table, "without");
    out.says = texts(table, "says");
    out.lacks = texts(table, "lacks");
    out.take = texts(table, "take");
    if (const toml::node* take = table.get("take"); take && take->is_string()) {
      const auto list = take_lists_.find(out.take.front().text);
      if (list != take_lists_.end()) out.take = list->second;
    }
    if (const toml::node* node = table.get("recognise")) {
      if (node->is_boolean()) {
        out.recognise = node->value_or(false);
      } else {
        rule.recognise = texts(table, "recognise");
      }
    }
    rule.fields = std::make_shared<const FieldSpec>(std::move(out));
  }

  // Lists of words of which one has to be there, or a list of such lists.
  void read_with(const toml::table& table, FieldSpec& out) {
    const toml::node* node = table.get("with");
    if (!node) return;
    const auto* lists = node->as_array();
    if (!lists || lists->empty() || !lists->front().is_array()) {
      out.with.push_back(texts(*node, "with"));
    } else {
      for (const toml::node& list : *lists) out.with.push_back(texts(list, "with"));
    }
  }

  // A list of patterns, or the name of one that stands in the file's [find].
  void read_find(const toml::table& table, RuleSpec& rule) {
    const toml::node* node = table.get("find");
    if (!node || !node->is_string()) {
      rule.find = find_patterns(table, "find");
      return;
    }
    const std::string& name = node->as_string()->get();
    const auto list = find_lists_.find(name);
    if (list == find_lists_.end()) {
      std::vector<std::string_view> known;
      for (const auto& entry : find_lists_) known.push_back(entry.first);
      return add(line_of(*node), owner_ + "[find] has no list '" + name + "'", did_you_mean(name, known));
    }
    list->second.used = true;
    rule.find = list->second.patterns;
  }

  void read_json(const toml::table& table, RuleSpec& rule) {
    read_table(table, "json", [&](const toml::key& key, const toml::node& node) {
      JsonTake take;
      if (key.str() != "time") {
        take.field = read_field(key, owner_);
        if (!take.field) return;
      }
      const auto* path = node.as_string();
      if (!path || path->get().empty())
        return wrong_type(node, key.str(), "the key's name in the JSON object");
      take.path = path->get();
      take.optional = take.path.back() == '?';
      if (take.optional) take.path.pop_back();
      rule.json.push_back(std::move(take));
    });
    read_table(table, "when", [&](const toml::key& key, const toml::node& node) {
      JsonCondition condition{std::string(key.str()), {}};
      if (const auto* list = node.as_array()) {
        for (const toml::node& item : *list)
          if (auto text = scalar_text(item)) condition.values.push_back(std::move(*text));
      } else if (auto text = scalar_text(node)) {
        condition.values.push_back(std::move(*text));
      }
      if (condition.values.empty()) return wrong_type(node, key.str(), "a value or a list of values");
      rule.when.push_back(std::move(condition));
    });
    if (!rule.when.empty() && rule.json.empty() && !table.get("json"))
      add(rule.line, owner_ + "'when' without 'json'", "conditions are on the keys of a JSON object");
  }

  void check_word(const toml::node& node, Field f, const std::string& word) {
    const auto& known = words_of(f);
    if (known.empty() || std::find(known.begin(), known.end(), word) != known.end()) return;
    add(line_of(node), owner_ + "'" + std::string(name_of(f)) + "' does not know '" + word + "'",
        did_you_mean(word, known));
  }

  void read_values(const toml::table& table, RuleSpec& rule) {
    read_table(table, "set", [&](const toml::key& key, const toml::node& node) {
      const auto f = read_field(key, owner_);
      if (!f) return;
      if (auto text = scalar_text(node)) {
        check_word(node, *f, *text);
        rule.set.emplace_back(*f, std::move(*text));
      } else {
        wrong_type(node, key.str(), "a string or a whole number");
      }
    });
    read_table(table, "scale", [&](const toml::key& key, const toml::node& node) {
      const auto f = read_field(key, owner_);
      const auto factor = node.value<double>();
      if (f && factor && *factor > 0) {
        rule.scale.emplace_back(*f, *factor);
      } else if (f) {
        wrong_type(node, key.str(), "a number above 0");
      }
    });
    read_table(table, "unit", [&](const toml::key& key, const toml::node& node) {
      const auto f = read_field(key, owner_);
      const auto scale = node.is_string() ? unit_scale(node.as_string()->get()) : std::nullopt;
      if (f && scale) {
        rule.scale.emplace_back(*f, *scale);
      } else if (f) {
        wrong_type(node, key.str(), "a unit: s, ms, us, ns, min, h, d, %, k or M");
      }
    });
    read_table(table, "map", [&](const toml::key& key, const toml::node& node) {
      const auto f = read_field(key, owner_);
      const auto* names = node.as_table();
      if (f && !names) wrong_type(node, key.str(), "a table: { written = \"meant\" }");
      if (!f || !names) return;
      for (const auto& [from, to] : *names) {
        if (auto text = scalar_text(to)) {
          check_word(to, *f, *text);
          rule.map.push_back({*f, std::string(from.str()), std::move(*text)});
        } else {
          wrong_type(to, from.str(), "a string or a whole number");
        }
      }
    });
  }

  void read_sample(const toml::table& table) {
    SampleSpec sample;
    sample.line = line_of(table);
    owner_ = "sample: ";
    check_keys(table, {"line", "of", "event", "rule", "values", "time"}, owner_);
    sample.of = read_of(table);
    if (const toml::node* node = table.get("event"); !node) {
      add(sample.line, "sample: lacks 'event'", "write event = \"\" for a line that must give none");
    } else if (const std::string event = optional_text(table, "event", ""); !event.empty()) {
      sample.event = read_event(event, line_of(*node));
      if (sample.event == EventKind::none) sample.event.reset();
    }
    sample.rule = optional_text(table, "rule", "");
    read_sample_line(table, sample);
    keep(std::move(sample));
  }

  // The line, and what it must give.
  void read_sample_line(const toml::table& table, SampleSpec& sample) {
    sample.text = optional_text(table, "line", "");
    if (!table.get("line")) add(sample.line, "sample: lacks 'line'");
    if (const toml::node* node = table.get("time")) {
      sample.time = optional_text(table, "time", "");
      TimeContext context;
      if (node->is_string() && !read_time(sample.time, context))
        add(line_of(*node), "sample: 'time' must be written like 2026-11-20T12:00:00.25Z");
    }
    read_table(table, "values", [&](const toml::key& key, const toml::node& node) {
      const auto f = read_field(key, owner_);
      if (!f) return;
      if (const auto* text = node.as_string()) {
        sample.values.emplace_back(*f, text->get());
      } else if (node.is_number()) {
        sample.values.emplace_back(*f, *node.value<double>());
      } else {
        wrong_type(node, key.str(), "a number or a string");
      }
    });
  }

  void keep(SampleSpec sample) {
    if (file_.samples.size() == kMaxSamples) {
      add(sample.line, "more than " + std::to_string(kMaxSamples) + " samples");
    } else {
      file_.samples.push_back(std::move(sample));
    }
  }

  RuleFile file_;
  std::map<std::string, FindList> find_lists_;  // by name
  std::map<std::string, std::vector<PatternSpec>> take_lists_;
  std::string owner_;  // how messages name the rule or sample being read
};

}  // namespace

RuleFile part_of(const RuleFile& file, const std::string& format) {
  const auto is_other = [&](const auto& spec) {
    return !spec.of.empty() && std::none_of(spec.of.begin(), spec.of.end(),
                                            [&](const PatternSpec& name) { return name.text == format; });
  };
  RuleFile out = file;
  out.format = format;
  std::erase_if(out.rules, is_other);
  std::erase_if(out.samples, is_other);
  for (const RuleSpec& rule : out.rules)
    out.recognise.insert(out.recognise.end(), rule.recognise.begin(), rule.recognise.end());
  return out;
}

RuleFile read_rule_file(std::string_view where, std::string_view toml, std::vector<Error>& errors) {
  const auto refuse = [&](std::size_t line, std::string message) {
    errors.push_back({std::string(where) + ":" + std::to_string(line), std::move(message), {}});
    return RuleFile{};
  };
  if (toml.size() > kMaxFileBytes) return refuse(1, "the file is larger than 1 MiB");
  if (has_deep_key(toml)) return refuse(1, kDeepKey);
  try {
    return RuleFileReader(where, errors).read(toml::parse(toml, std::string(where)));
  } catch (const toml::parse_error& e) {
    return refuse(e.source().begin.line, std::string(e.description()));
  }
}

}  // namespace etad
